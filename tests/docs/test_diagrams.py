"""The diagrams of the manual: they are what docs/make_diagrams.py writes, and name what exists."""

import importlib.util
import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import novikoff as nk

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"


def diagrams():
    spec = importlib.util.spec_from_file_location("make_diagrams", ROOT / "docs" / "make_diagrams.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {"choosing": module.choosing(), "architecture": module.architecture()}


DIAGRAMS = diagrams()


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_is_up_to_date(name):
    stored = (ROOT / "docs" / "images" / f"{name}.svg").read_text(encoding="utf-8")
    assert stored == DIAGRAMS[name], "run python docs/make_diagrams.py"


@pytest.mark.parametrize("name", DIAGRAMS)
def test_a_diagram_has_a_title_and_no_text_outside_of_it(name):
    root = ElementTree.fromstring(DIAGRAMS[name])
    _, _, width, height = map(float, root.get("viewBox").split())
    assert root.find(f"{SVG}title").text
    for text in root.iter(f"{SVG}text"):
        assert 0 < float(text.get("x")) < width
        assert 0 < float(text.get("y")) < height


def test_the_chart_names_public_learners_which_the_list_below_it_names_too():
    page = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    named = set(re.findall(r">([A-Z]\w+)\(", DIAGRAMS["choosing"]))
    assert len(named) >= 6
    assert all(hasattr(nk, name) and f"`{name}(" in page for name in named - {"MulticlassAROW"})
    assert "MulticlassAROW(" in page


def test_the_layers_are_packages_in_their_order():
    lines = re.findall(r'class="code" x="40" y="[\d.]+">([^<]*)<', DIAGRAMS["architecture"])
    layers = re.search(r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.S | re.M)[1]
    order = {name: place for place, row in enumerate(layers.splitlines()) for name in re.findall(r"\w+", row)}
    rows = [[order[name] for name in line.split(" · ")] for line in lines if line.split(" · ")[0] in order]
    assert len(rows) >= 8
    assert all(max(above) < min(below) for above, below in itertools.pairwise(rows))
