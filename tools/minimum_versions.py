"""Print the lowest versions that pyproject.toml allows, as constraints for pip: ``make test-minimum`` installs them."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = {  # of the tests, whose version does not matter to users
    *("pytest", "pytest-rerunfailures", "pytest-xdist", "hypothesis", "pexpect", "playwright", "openpyxl", "grimp"),
    *("axe-playwright-python", "clarabel", "onnxruntime"),
    *("openapi-spec-validator", "pyyaml"),
}
BOUND = re.compile(r"([A-Za-z0-9_-]+)(?:\[[^]]*\])?>=([0-9.]+)")


def minimum_versions(project: dict) -> dict[str, str]:
    """Return the lowest version of every package that the package, its extras or the tests of its inputs need.

    Parameters
    ----------
    project : dict
        The content of pyproject.toml.
    """
    extras = project["project"]["optional-dependencies"].values()
    groups = [project["project"]["dependencies"], *extras, project["dependency-groups"]["test"]]
    found = [match for group in groups for text in group if (match := BOUND.match(text)) and match[1] not in TOOLS]
    versions: dict[str, str] = {}
    for match in found:
        name, version = match.groups()
        if versions.setdefault(name, version) != version:
            raise SystemExit(f"pyproject.toml: {name} has the lower bounds {versions[name]} and {version}. Use one.")
    return versions


if __name__ == "__main__":
    for name, version in sorted(minimum_versions(tomllib.loads((ROOT / "pyproject.toml").read_text())).items()):
        print(f"{name}=={version}")
