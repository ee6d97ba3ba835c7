"""What a release consists of: the files that state its version, dependencies, workflows and contents agree."""

import importlib.util
import json
import re
import runpy
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import novikoff as nk

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
RECIPE = yaml.safe_load((ROOT / "packaging/conda/recipe.yaml").read_text())
NOT_IN_ALL = {"dask", "ray", "spark"}  # docs/install.md says why
CONDA_NAMES = {"matplotlib": "matplotlib-base", "prometheus-client": "prometheus_client", "duckdb": "python-duckdb"}
CONDA_NAMES |= {"ray": "ray-core"}


def tool(name):
    """A script of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bounds(texts):
    """Package to its bounds, of requirements of Python packages; those of other extras are left out."""
    matches = [re.match(r"([\w.-]+)(\[[^]]*\])?([^;]*)", text) for text in texts]
    return {match[1]: match[3].strip() for match in matches if match[1] != "novikoff"}


def conda_bounds(texts):
    return {name: bound for name, _, bound in (text.partition(" ") for text in texts)}


# ---- version ---------------------------------------------------------------------------------------------------------


def test_the_version_is_stated_in_one_place_and_repeated_by_files_that_cannot_read_it():
    release = tool("check_release")
    assert "version" in PROJECT["project"]["dynamic"]
    assert "version" not in PROJECT["project"]
    assert set(release.stated_versions().values()) == {nk.__version__}


PUBLIC = """
[project]
dynamic = ["readme"]
[project.urls]
homepage = "https://example.org/"
Repository = "https://example.org/novikoff"
"""


def copied_release(tmp_path, monkeypatch, changelog, project=PUBLIC, readme=""):
    """The script that checks a release, on copies of the files that it reads."""
    release = tool("check_release")
    for name in ("src/novikoff/_version.py", *release.STATED):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        text = f'__version__ = "{nk.__version__}"\n' if name.startswith("src/") else (ROOT / name).read_text()
        (tmp_path / name).write_text(text)
    for name, text in (("CHANGELOG.md", changelog), ("pyproject.toml", project), ("README.md", readme)):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    return release


def test_a_tag_with_the_version_and_a_dated_heading_can_be_released(tmp_path, monkeypatch):
    changelog = f"# Changelog\n\n## [Unreleased]\n\n## [{nk.__version__}] - 2026-01-31\n\n### Added\n"
    release = copied_release(tmp_path, monkeypatch, changelog)
    assert release.faults(f"v{nk.__version__}") == []
    assert [fault[:3] for fault in release.faults("v99.0.0")] == ["The"]
    citation = tmp_path / "CITATION.cff"
    citation.write_text(citation.read_text().replace(nk.__version__, "98.0.0"))
    assert release.faults(f"v{nk.__version__}") == [f"CITATION.cff states version '98.0.0', not {nk.__version__}."]


def test_entries_that_are_not_under_the_version_keep_a_tag_from_being_released(tmp_path, monkeypatch):
    changelog = f"# Changelog\n\n## [Unreleased]\n\n- new\n\n## [{nk.__version__}] - 2026-01-31\n"
    release = copied_release(tmp_path, monkeypatch, changelog)
    assert release.faults(f"v{nk.__version__}") == [
        "CHANGELOG.md has entries under Unreleased. Move them under the version."
    ]
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n")
    assert "has no heading" in release.faults(f"v{nk.__version__}")[0]


RELEASED = f"# Changelog\n\n## [Unreleased]\n\n## [{nk.__version__}] - 2026-01-31\n"


def test_a_project_without_public_addresses_cannot_be_released(tmp_path, monkeypatch):
    release = copied_release(tmp_path, monkeypatch, RELEASED, project='[project]\ndynamic = ["readme"]\n')
    sentence = "under [project.urls]. Add the public address."
    assert release.faults(f"v{nk.__version__}") == [f"pyproject.toml has no Homepage and no Repository {sentence}"]
    (tmp_path / "pyproject.toml").write_text(PUBLIC.replace("Repository", "Issues"))
    assert release.faults(f"v{nk.__version__}") == [f"pyproject.toml has no Repository {sentence}"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("![A report](docs/images/report.png)", "docs/images/report.png"),
        ("[the site](https://example.org/), [part](#part) and [docs](docs/index.md#here)", "docs/index.md#here"),
        ("[the site](https://example.org/), [part](#part)", None),
    ],
)
def test_a_description_with_links_that_the_index_cannot_resolve_cannot_be_released(text, first, tmp_path, monkeypatch):
    static = PUBLIC.replace('dynamic = ["readme"]', 'readme = "README.md"')
    release = copied_release(tmp_path, monkeypatch, RELEASED, project=static, readme=text)
    expected = f"README.md has links such as {first}, which do not work on PyPI. See docs/releasing.md."
    assert release.faults(f"v{nk.__version__}") == ([expected] if first else [])


def test_the_changelog_has_the_form_of_keep_a_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions, kinds = re.findall(r"(?m)^## (.*)$", text), re.findall(r"(?m)^### (.*)$", text)
    assert text.startswith("# Changelog\n")
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", version) for version in versions[1:])
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_citation_has_the_required_keys_and_no_invented_person():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    assert citation["license"] == PROJECT["project"]["license"]
    assert citation["authors"] == [{"name": "The novikoff developers"}]


# ---- dependencies ----------------------------------------------------------------------------------------------------


def test_the_extra_all_has_every_extra_that_installs_everywhere():
    (requirement,) = EXTRAS["all"]
    named = re.fullmatch(r"novikoff\[(.*)\]", requirement)[1].split(",")
    assert sorted(named) == named
    assert set(named) == set(EXTRAS) - {"all"} - NOT_IN_ALL


def test_the_installation_page_names_every_extra():
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    table = page.split("## Extras")[1].split("##")[0]
    assert set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"(?m)^\| (`.*?) \|", table)))) == set(EXTRAS)


def test_the_conda_recipe_has_the_dependencies_of_the_package():
    run = conda_bounds(RECIPE["requirements"]["run"])
    assert run.pop("python") == ""
    lowest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert RECIPE["build"]["skip"] == [
        f'match(python, "<{lowest}")'
    ]  # a comparison of numbers never holds in this format
    assert run == bounds(PROJECT["project"]["dependencies"])
    host = conda_bounds(RECIPE["requirements"]["host"])
    assert {name: host[name] for name in host if name not in {"python", "pip"}} == bounds(
        PROJECT["build-system"]["requires"]
    )
    tools = conda_bounds(text for text in RECIPE["requirements"]["build"] if isinstance(text, str) and "{{" not in text)
    assert tools == {name: bounds(PROJECT["dependency-groups"]["build"])[name] for name in ("cmake", "ninja")}


def test_the_conda_recipe_constrains_the_packages_of_all_extras():
    expected = {}
    for extra in EXTRAS.values():
        expected |= {CONDA_NAMES.get(name, name): bound for name, bound in bounds(extra).items()}
    assert conda_bounds(RECIPE["requirements"]["run_constraints"]) == expected


def test_the_conda_recipe_has_the_licence_and_commands_of_the_package():
    assert RECIPE["about"]["license"] == PROJECT["project"]["license"]
    commands = dict(text.split(" = ") for text in RECIPE["build"]["python"]["entry_points"])
    assert commands == PROJECT["project"]["scripts"]


def test_the_conda_recipe_compiles_with_clang_cl_on_windows():
    assert {"if": "win", "then": "clang"} in RECIPE["requirements"]["build"]
    windows, install = RECIPE["build"]["script"]
    assert windows == {"if": "win", "then": ['set "CXX=clang-cl"', 'set "CMAKE_GENERATOR=Ninja"']}
    assert install.startswith("${{ PYTHON }} -m pip install .")


def test_the_conda_recipe_needs_a_macos_whose_library_writes_floating_point_numbers():
    text = (ROOT / "packaging/conda/conda_build_config.yaml").read_text()
    version = yaml.safe_load(text)["c_stdlib_version"]
    assert version == ["13.3"]
    assert all(line.endswith("# [osx]") for line in text.splitlines() if not line.startswith("#"))
    assert '${{ stdlib("c") }}' in RECIPE["requirements"]["build"]
    of_wheels = PROJECT["tool"]["cibuildwheel"]["macos"]["environment"]["MACOSX_DEPLOYMENT_TARGET"]
    assert float(of_wheels) >= float(version[0])


def test_the_build_group_has_the_versions_that_a_build_in_isolation_has():
    assert bounds(PROJECT["build-system"]["requires"]).items() <= bounds(PROJECT["dependency-groups"]["build"]).items()


# ---- workflows -------------------------------------------------------------------------------------------------------


def steps():
    """All steps of all workflows, with the name of their workflow."""
    for name, workflow in WORKFLOWS.items():
        for job in workflow["jobs"].values():
            yield from ((name, step) for step in job.get("steps", ()))


def test_there_are_workflows_for_tests_documentation_wheels_and_releases():
    assert set(WORKFLOWS) == {"docs.yml", "release.yml", "test.yml", "wheels.yml"}


def test_workflows_only_call_targets_of_the_makefile():
    targets = set(re.findall(r"(?m)^([a-z][a-z-]*):", (ROOT / "Makefile").read_text()))
    called = [re.findall(r"\bmake ([a-z-]+)", step.get("run", "")) for _, step in steps()]
    assert {"test", "lint", "docs", "wheel", "wheels"} <= {name for names in called for name in names} <= targets


def test_workflows_only_call_scripts_that_exist():
    scripts = {name for _, step in steps() for name in re.findall(r"\btools/\w+\.py", step.get("run", ""))}
    assert scripts
    assert all((ROOT / script).is_file() for script in scripts)


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_only_read_unless_a_job_needs_more(name):
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    more = {kind for job in workflow["jobs"].values() for kind in job.get("permissions", ())}
    assert more == {"docs.yml": {"pages", "id-token"}, "release.yml": {"id-token", "attestations"}}.get(name, set())


@pytest.mark.parametrize("name", WORKFLOWS)
def test_every_job_has_a_machine_and_a_time_limit_or_calls_a_workflow(name):
    for job in WORKFLOWS[name]["jobs"].values():
        assert "uses" in job or {"runs-on", "timeout-minutes", "steps"} <= set(job)
        assert "uses" not in job or (ROOT / job["uses"]).is_file()
        needed = job.get("needs", [])
        assert ({needed} if isinstance(needed, str) else set(needed)) <= set(WORKFLOWS[name]["jobs"])


def test_a_release_is_published_after_lint_tests_and_all_wheels():
    jobs = WORKFLOWS["release.yml"]["jobs"]
    assert {name: jobs[name]["uses"] for name in jobs["publish"]["needs"]} == {
        "test": "./.github/workflows/test.yml",
        "build": "./.github/workflows/wheels.yml",
    }
    for name in ("test.yml", "wheels.yml"):
        assert "workflow_call" in WORKFLOWS[name][True]  # YAML 1.1 reads "on" as true
    conditions = {name: job.get("if") for name, job in WORKFLOWS["test.yml"]["jobs"].items()}
    assert conditions.pop("long") == "github.event_name != 'push' && github.event_name != 'pull_request'"
    assert {"lint", "test", "windows"} == set(conditions)
    assert set(conditions.values()) == {None}


def test_the_long_job_has_the_programs_that_the_script_of_all_tests_installs():
    needed = set(re.findall(r"(?m)^need \S+ ([\w+-]+)", (ROOT / ".ci/run").read_text()))
    runs = "\n".join(step.get("run", "") for step in WORKFLOWS["test.yml"]["jobs"]["long"]["steps"])
    on_machines = {"g++", "git", "make", "default-jre-headless"}  # of GitHub
    assert needed - on_machines == set(re.search(r"apt-get install -qy (.*)", runs)[1].split())
    assert runs.index("make peers clusters") < runs.index("make test-slow")


def test_actions_are_pinned_to_commits_whose_version_a_comment_states():
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        for line in re.findall(r"(?m)^\s*(?:- )?uses: (.*)$", path.read_text()):
            assert line.startswith("./") or re.fullmatch(r"[\w/.-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line), line


def test_a_checkout_keeps_no_credentials():
    checkouts = [step for _, step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_templates_of_reports_are_forms_with_unique_fields():
    forms = [path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
    assert len(forms) == 3
    for path in forms:
        form = yaml.safe_load(path.read_text())
        assert {"name", "description", "body"} <= set(form)
        names = [field["id"] for field in form["body"] if field["type"] != "markdown"]
        assert len(set(names)) == len(names) > 0


def test_dependabot_renews_the_actions():
    (entry,) = yaml.safe_load((ROOT / ".github/dependabot.yml").read_text())["updates"]
    assert entry["package-ecosystem"] == "github-actions"


# ---- wheels ----------------------------------------------------------------------------------------------------------


def test_wheels_are_built_for_the_pythons_that_the_package_supports():
    built = re.findall(r"cp3(\d+)-", PROJECT["tool"]["cibuildwheel"]["build"])
    assert built[0] == PROJECT["project"]["requires-python"].removeprefix(">=3.")
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert {"11", "14"} <= set(built)


def test_the_classifiers_name_the_pythons_and_systems_of_the_wheels():
    classifiers, wheels = PROJECT["project"]["classifiers"], PROJECT["tool"]["cibuildwheel"]
    versions = re.findall(r"Python :: 3\.(\d+)", "\n".join(classifiers))
    assert versions == re.findall(r"cp3(\d+)-", wheels["build"])
    systems = {text.split(" :: ")[-1].lower() for text in classifiers if text.startswith("Operating System")}
    assert systems == wheels.keys() & {"linux", "macos", "windows"}
    assert classifiers == sorted(classifiers)


def test_every_wheel_is_tested():
    wheels = PROJECT["tool"]["cibuildwheel"]
    assert "test-skip" not in wheels
    (musl,) = wheels["overrides"]
    needed = {re.split("[<>=]", text)[0] for text in PROJECT["project"]["dependencies"]}
    assert needed - set(musl["test-requires"]) == {"scikit-learn", "python-flint"}  # which have no wheels for musl
    assert musl["test-environment"]["PIP_NO_DEPS"] == "1"
    commands = {command.partition("{project}/")[2] for command in (wheels["test-command"], musl["test-command"])}
    assert commands == {"tools/smoke.py", f"tools/smoke.py {tool('smoke').FEW}"}


WITHOUT = """
import runpy, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"duckdb", "flint", "pyarrow", "sklearn", "typer"}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
script, option = sys.argv[1:]
sys.argv = [script, option]
runpy.run_path(script, run_name="__main__")
"""


def test_a_wheel_works_without_scikit_learn_and_flint(tmp_path):
    command = [sys.executable, "-c", WITHOUT, ROOT / "tools/smoke.py", "--few-dependencies"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert "proved: all " in done.stdout
    assert f"novikoff {nk.__version__} works on Python" in done.stdout


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        ("novikoff/_core.abi3.so", False),
        ("novikoff\\_core.cp311-win_amd64.pyd", False),
        ("novikoff/_core.pyi", False),
        ("novikoff.libs/msvcp140-0123.dll", True),
        ("novikoff.libs/libstdc++-0123.so.6.0.33", True),
        ("novikoff/.dylibs/libc++.1.dylib", True),
    ],
)
def test_a_wheel_with_a_library_of_others_is_refused(name, is_refused):
    assert_one_library = tool("smoke").assert_one_library
    if is_refused:
        with pytest.raises(AssertionError, match="the wheel contains"):
            assert_one_library([name])
    else:
        assert_one_library([name])


@pytest.mark.parametrize(
    ("platform", "tags"),
    [
        ("linux --archs x86_64", {"manylinux_x86_64", "musllinux_x86_64"}),
        ("linux --archs aarch64", {"manylinux_aarch64", "musllinux_aarch64"}),
        ("macos --archs arm64", {"macosx_arm64"}),
        ("windows --archs AMD64", {"win_amd64"}),
    ],
)
@pytest.mark.slow
def test_cibuildwheel_accepts_the_configuration(platform, tags):
    pytest.importorskip("cibuildwheel")
    command = [sys.executable, "-m", "cibuildwheel", "--print-build-identifiers", "--platform", *platform.split(), ROOT]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {f"cp3{python}-{tag}" for python in (11, 12, 13, 14) for tag in tags}


def made_up_nanobind(folder):
    headers = folder / "ext/robin_map/include/tsl"
    headers.mkdir(parents=True)
    (folder / "cmake").mkdir()
    (folder / "cmake/nanobind-config-version.cmake").write_text('set(PACKAGE_VERSION "9.8.7")\n')
    (folder / "LICENSE").write_text("Copyright of bindings\n")
    numbers = "".join(f"#define TSL_RH_VERSION_{part} {k}\n" for k, part in enumerate(("MAJOR", "MINOR", "PATCH"), 4))
    (headers / "robin_growth_policy.h").write_text(numbers)
    (headers / "robin_map.h").write_text("/**\n * MIT License\n *\n * Copyright of maps\n */\n#ifndef X\n")
    return folder


def test_the_bill_of_materials_lists_what_is_compiled_into_the_modules(tmp_path):
    sbom = tool("make_sbom")
    parts = sbom.components(made_up_nanobind(tmp_path))
    llvm = "Apache-2.0 WITH LLVM-exception"
    assert [part[:3] for part in parts] == [
        ("nanobind", "9.8.7", "BSD-3-Clause"),
        ("robin-map", "4.5.6", "MIT"),
        ("Unicode Character Database", "14.0.0", "Unicode-3.0"),
        ("zig", "0.17.0", "MIT"),
        ("wasi-libc", "zig-0.17.0", f"{llvm} AND MIT AND BSD-2-Clause"),
        ("libc++ and libc++abi", "22.1.8", llvm),
    ]
    bill = sbom.bill("1.2.3", parts)
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    tool("check_distributions").check_bill(bill, "1.2.3")
    assert [entry["name"] for entry in bill["components"]] == [part.name for part in parts]
    assert bill["dependencies"] == [{"ref": "novikoff", "dependsOn": [part.name for part in parts]}]
    notices = sbom.notices(parts)
    for part in parts:
        assert f"\n{part.name} {part.version}: {part.licence} (" in notices
        assert part.text.strip() in notices
        assert part.text or part.licence.endswith("-exception")  # which permits copies without the text
    for holder in ("Zig contributors", "Rich Felker", "Nuxi"):
        assert re.search(rf"\nCopyright \(c\) [^\n]*{holder}[^\n]*\n\n(Permission|Redistribution)", notices)
    assert "\nUNICODE LICENSE V3\n\nCOPYRIGHT AND PERMISSION NOTICE\n" in notices
    assert "Copyright of bindings" in notices
    assert "MIT License\n\nCopyright of maps" in notices


def test_the_bill_states_the_compiler_that_the_kernels_of_the_playground_are_built_with():
    assert f'play = ["ziglang=={tool("make_sbom").ZIG}"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed: make play")
def test_the_bill_states_the_library_that_zig_ships():
    folder = Path(importlib.util.find_spec("ziglang").origin).parent / "lib/libcxx/include"
    major, minor, patch = map(int, tool("make_sbom").LLVM.split("."))
    number = 10_000 * major + 100 * minor + patch
    assert f"#  define _LIBCPP_VERSION {number}\n" in (folder / "__config").read_text(encoding="utf-8")


def test_the_runtime_of_the_playground_is_in_its_module():
    """Symbols are stripped: what zig links is known by its messages and by the calls of the system that it imports."""
    module = (ROOT / "playground/page/kernels.wasm").read_bytes()
    assert b"wasi_snapshot_preview1" in module  # wasi-libc
    assert b"Broken pipe" in module  # strerror of musl
    assert b"bad_alloc was thrown in -fno-exceptions mode" in module  # libc++abi


@pytest.mark.parametrize(
    ("compiler", "expression"),
    [
        ("gcc", "GPL-3.0-or-later WITH GCC-exception-3.1"),
        ("microsoft", "Apache-2.0 WITH LLVM-exception AND LicenseRef-Microsoft-Visual-Studio"),
    ],
)
def test_a_runtime_that_is_linked_statically_is_in_the_bill(compiler, expression, tmp_path):
    sbom = tool("make_sbom")
    *_, runtime = sbom.bill("1.2.3", sbom.components(made_up_nanobind(tmp_path), **{compiler: "14.2.1"}))["components"]
    assert runtime["version"] == "14.2.1"
    assert runtime["licenses"] == [{"expression": expression}]


def test_wheels_for_windows_link_the_runtime_statically_and_list_it():
    settings = PROJECT["tool"]["cibuildwheel"]["windows"]["config-settings"]
    assert settings == {"cmake.define.CMAKE_MSVC_RUNTIME_LIBRARY": "MultiThreaded"}
    text = (ROOT / "CMakeLists.txt").read_text()
    lowest = re.search(r"cmake_minimum_required\(VERSION 3\.(\d+)\)", text)
    assert int(lowest[1]) >= 15  # since then the variable decides (CMP0091)
    assert '"${CMAKE_MSVC_RUNTIME_LIBRARY}" STREQUAL "MultiThreaded"' in text


def test_the_script_that_cmake_runs_writes_both_files(tmp_path):
    nanobind = made_up_nanobind(tmp_path / "nanobind")
    command = [
        sys.executable,
        ROOT / "tools/make_sbom.py",
        "--version",
        "1.2.3",
        "--nanobind",
        nanobind,
        tmp_path / "out",
    ]
    subprocess.run([*command, "--gcc-runtime=", "--microsoft-runtime="], check=True)
    assert len(json.loads((tmp_path / "out/sboms/novikoff.cdx.json").read_text())["components"]) == 6
    assert "robin-map 4.5.6: MIT" in (tmp_path / "out/licenses/THIRD-PARTY.txt").read_text()


@pytest.mark.parametrize(
    ("name", "is_compiler"),
    [
        *(
            (name, True)
            for name in ("gcc", "g++", "cc", "c++", "clang++-16", "aarch64-linux-gnu-gcc-12", "x86_64-linux-gnu-ld")
        ),
        *(
            (name, False)
            for name in ("git", "bash", "ccrypt", "cpplint", "python3", "chromium", "clang-format", "ldd", "asciidoc")
        ),
    ],
)
def test_only_compilers_and_linkers_are_hidden_from_the_tests_of_a_wheel(name, is_compiler):
    assert bool(tool("test_wheel").COMPILER.fullmatch(name)) == is_compiler


def test_tests_that_need_the_sources_exist():
    for name in tool("test_wheel").NEEDS_SOURCES:
        file, _, test = name.partition("::")
        assert not test or f"def {test}(" in (ROOT / file).read_text(), name
        assert (ROOT / file).is_file()


def committed(*folders):
    """The files of the repository, or of some of its folders."""
    if not (ROOT / ".git").exists():
        pytest.skip("the files are not those of a git repository")
    command = ["git", "ls-files", "-z", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).exists()]


def test_the_repository_has_no_large_and_no_unexpected_files():
    paths = committed()
    assert len(paths) > 1000
    assert [path for path in paths if path.stat().st_size > 500_000] == []
    kinds = {path.suffix or path.name for path in paths if path.parent == ROOT}
    hidden = {".clang-format", ".dockerignore", ".gitattributes", ".gitignore"}
    assert kinds == hidden | {".cff", ".md", ".toml", ".txt", "Dockerfile", "LICENSE", "Makefile"}


def test_every_source_file_is_of_a_kind_that_a_wheel_may_contain():
    check = tool("check_distributions")
    names = [path.relative_to(ROOT / "src").as_posix() for path in committed("src")]
    assert len(names) > 100
    assert [name for name in names if not check.PACKAGE.fullmatch(name) or check.JUNK.search(name)] == []


def test_a_source_distribution_has_the_source_of_the_playgrounds_kernels():
    included, allowed = PROJECT["tool"]["scikit-build"]["sdist"]["include"], tool("check_distributions").SDIST
    build = runpy.run_path(str(ROOT / "playground/kernels/build.py"))
    for path in (*build["sources"](), build["DIGEST"], ROOT / "playground/kernels/build.py"):
        name = path.relative_to(ROOT).as_posix()
        assert name.startswith(tuple(f"{folder}/" for folder in included)), name
        assert allowed.fullmatch(name), name


def test_a_wheel_with_a_stranger_or_without_its_module_is_refused(tmp_path):
    check = tool("check_distributions")
    path = tmp_path / f"novikoff-{nk.__version__}-cp313-cp313-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w"):
        pass
    with pytest.raises(SystemExit, match="not cp311-cp311 or cp312-abi3"):
        check.check_wheel(path, nk.__version__, [])
    for name in ("src/novikoff/x.pyc", "src/novikoff/_core.abi3.so", "novikoff/__pycache__/x.py", ".gitignore"):
        assert check.JUNK.search(name)
    for name in ("tests/test_x.py", "build/x", "novikoff/x.orig", "novikoff/_core.abi3.so"):
        assert not check.PACKAGE.fullmatch(name)
