"""The README and the pages in docs/: their code and commands run, and they are up to date. See also tests/docs/."""

import importlib.util
import json
import math
import re
import shlex
import warnings
from pathlib import Path

import pytest
from command import novikoff

import novikoff_check
from engine_logs import written

ROOT = Path(__file__).parents[1]
PATHS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PATHS}
OF_SITE = ("docs/guide/", "docs/coming-from/", "docs/project/")  # folders whose pages docs/index.md leads to
NOT_RUN = ("text", "diff", "sh")  # output, changes to files, and commands that install or build
NOT_RUN_BECAUSE = re.compile(r"^<!-- not run: \S.+ -->\n+```[a-z]+\n.*?^```$", re.DOTALL | re.MULTILINE)  # a reason
FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

DECIMAL = re.compile(r"(\d+\.\d+(?:e[+-]\d+)?)")

SPEEDS = {  # what the README states, and the stored comparison whose seconds and ratios these are
    r"one dict takes ([\d.]+) µs, ([\d.]+) times less than River": ("online", "predict_one + learn_one, dict"),
    r"read in ([\d.]+) s on two cores, (\d+) times .*?scikit-learn and (\d+) times": ("parse", "read, two threads"),
    r"named columns in ([\d.]+) s, ([\d.]+) times faster": ("tables", "read and encode"),
    r"into a model in ([\d.]+) s, .*? ([\d.]+) times faster than `liblinear-train`": ("end_to_end", "fit"),
}


def alike(lines, others):
    """Whether lines are the same but for the last digits of numbers, which depend on the processor.

    They may differ by 1e-6 of their size, or by 1e-12: a small gap is the difference of two much larger numbers.
    """
    parts, expected = (DECIMAL.split("\n".join(each)) for each in (lines, others))
    numbers = zip(map(float, parts[1::2]), map(float, expected[1::2]), strict=True)
    return parts[::2] == expected[::2] and all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-12) for a, b in numbers)


def module_at(path):
    """A script of the repository as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DEMO = module_at(ROOT / "examples" / "demo.py")


def blocks(page, language):
    return [text for kind, text in FENCE.findall(NOT_RUN_BECAUSE.sub("", PAGES[page])) if kind == language]


ELSEWHERE = ("docs/extending.md", "docs/distributed.md")  # test_extending.py, distributed/test_manual.py
CODE = re.compile(
    r"^(?:<!-- not run: (?:it needs )?(?P<need>.*?) -->\n+)?```python\n(?P<code>.*?)^```$"
    r"(?:\n\n```text\n(?P<shown>.*?)^```$)?",
    re.DOTALL | re.MULTILINE,
)
SHOWN = ("docs/start.md", "docs/choosing.md", "docs/guide/", "docs/coming-from/")  # all output, as it is printed
PACKAGES = {  # which other tests do not need, and what installs them
    "River": ("river", "make peers"),
    "Vowpal Wabbit": ("vowpalwabbit", ".venv/bin/pip install vowpalwabbit"),
}


def runnable(page):
    """The blocks of Python of a page that tests can run."""
    packages = PACKAGES if page.startswith("docs/coming-from/") else ()
    return [block for block in CODE.finditer(PAGES[page]) if block["need"] is None or block["need"] in packages]


@pytest.mark.parametrize("page", [page for page in PAGES if page not in ELSEWHERE and runnable(page)])
def test_the_python_code_of_a_page_runs_and_prints_what_the_page_shows(page, tmp_path, monkeypatch, capsys):
    """All blocks of a page, one after the other, as a reader would try them."""
    monkeypatch.chdir(tmp_path)
    DEMO.write_table(tmp_path / "tumours.csv")
    names, missing = {"__name__": "__main__"}, []
    for block in runnable(page):
        package, command = PACKAGES.get(block["need"], ("novikoff", ""))
        if importlib.util.find_spec(package) is None:
            missing = [block["need"], command]
            continue
        with warnings.catch_warnings():
            if block["need"]:
                warnings.simplefilter("default")
            exec(compile(block["code"], page, "exec"), names)
        printed = capsys.readouterr().out
        if block["shown"] is not None and page.startswith(SHOWN):
            assert alike(printed.splitlines(), block["shown"].splitlines()), printed
    if missing:
        pytest.skip(f"{missing[0]} is not installed ({missing[1]})")


def test_pages_that_show_output_are_found():
    shown = {page for page in PAGES if page.startswith(SHOWN) and any(block["shown"] for block in runnable(page))}
    assert {"docs/start.md", "docs/coming-from/river.md", "docs/coming-from/vowpal-wabbit.md"} <= shown


def test_outputs_are_alike_but_for_the_last_digits():
    assert alike(["gap 4.942618394e-05", "C 1"], ["gap 4.94261839e-05", "C 1"])
    assert alike(["gap 7.591925544e-10"], ["gap 7.591928618e-10"])
    for line, other in (("gap 7.592e-10", "gap 7.69e-10"), ("gap 4.9427e-05", "gap 4.9426e-05"), ("on 114", "on 115")):
        assert not alike([line], [other])
    assert not alike(["a 1.5"], ["a 1.5", "b 1.5"])


def timeless(text):
    """The lines of an output without durations and the sizes of files, which depend on versions."""
    lines = [line for line in text.splitlines() if not line.startswith("time ")]
    return [re.sub(r"[\d,]+ bytes", "some bytes", line) for line in lines]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")])
def test_the_commands_of_a_page_run_and_print_what_it_shows(page, tmp_path):
    DEMO.write_table(tmp_path / "tumours.csv")
    written(tmp_path / "models", groups=2)  # the state directory of a server
    for block in blocks(page, "console"):
        for entry in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = entry.partition("\n")
            program, *arguments = shlex.split(command, comments=True)
            if program == "novikoff-check":
                assert novikoff_check.main([str(tmp_path / argument) for argument in arguments]) == 0, command
                continue
            assert program == "novikoff"
            run = novikoff(*arguments, folder=tmp_path)
            assert (run.code, run.err) == (0, ""), (command, run)
            assert not shown or alike(timeless(run.out), timeless(shown)), (command, run.out)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_code_is_run_or_needs_not_be(page):
    kinds = {kind for kind, _ in FENCE.findall(PAGES[page])}
    assert kinds <= {"python", "console", *NOT_RUN}


def test_the_readme_links_to_every_page():
    pages = [page for page in PAGES if page != "README.md" and not page.startswith(OF_SITE)]
    assert [page for page in pages if f"({page})" not in PAGES["README.md"]] == []
    assert "(CHANGELOG.md)" in PAGES["README.md"]


def test_the_first_screen_has_two_commands():
    assert re.findall(r"^(make [a-z-]+)", PAGES["README.md"], re.M) == ["make demo", "make test"]


@pytest.mark.parametrize("statement", SPEEDS)
def test_the_readme_states_the_speeds_that_are_stored(statement):
    suite, work = SPEEDS[statement]
    table = json.loads((ROOT / "benchmarks" / "results" / f"{suite}.json").read_text())["table"]
    row = next(row for row in table if row["work"].startswith(work))
    seconds, *ratios = re.search(statement, " ".join(PAGES["README.md"].split())).groups()
    stored = [row["ours"]["seconds"] * (1e6 if "µs" in statement else 1), *(peer["ratio"] for peer in row["peers"])]
    for text, value in zip((seconds, *ratios), stored, strict=False):  # peers that the README leaves out come last
        assert text == f"{value:.{len(text.partition('.')[2])}f}"


def test_the_readme_states_the_soft_margin_as_the_page_of_benchmarks_does():
    readme, page = (" ".join(PAGES[name].split()) for name in ("README.md", "docs/benchmarks.md"))
    statement = (
        r"on (\d+) of (\d+) problems. LinearSVC wins (\d+), and on the other (\d+) .*? "
        r"The median ratio of its time to that of novikoff is ([\d.]+\d)"
    )
    won, cells, lost, undecided, median = re.search(statement, readme).groups()
    assert int(won) + int(lost) + int(undecided) == int(cells)
    assert f"The median of the ratios is {median}, and" in page
    assert f"novikoff wins {won} of {cells} cells and loses {lost}; the others" in page


@pytest.mark.parametrize("name", ["benchmarks", "cli", "server_api", "settings"])
def test_a_generated_page_is_up_to_date(name):
    page = f"docs/{name.replace('_', '-')}.md"
    assert module_at(ROOT / "docs" / f"make_{name}.py").page() == PAGES[page], "run make docs"


@pytest.mark.slow
def test_the_demo_runs_and_names_three_commands_that_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(DEMO, "run", lambda arguments: _run(arguments, tmp_path))
    DEMO.main()
    following = re.findall(r"^  novikoff (.*?) +#", capsys.readouterr().out, re.M)
    assert (tmp_path / "out" / "report.html").stat().st_size > 1_000_000  # it contains plotly
    assert len(following) == 3
    for arguments in following:
        _run(arguments, tmp_path)


def _run(arguments, folder):
    run = novikoff(*shlex.split(arguments), folder=folder)
    assert (run.code, run.err) == (0, ""), run
