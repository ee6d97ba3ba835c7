"""The playground as one HTML text: complete, small, and without a request."""

import base64
import hashlib
import importlib.util
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris

from novikoff._play import playground

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "playground" / "page"
BUILD = runpy.run_path(str(ROOT / "playground" / "kernels" / "build.py"))
MAX_BYTES = 500_000


def test_the_page_is_below_its_limit_of_size():
    assert len(playground().encode()) < MAX_BYTES


def test_the_page_names_no_other_file():
    page = playground()
    assert re.findall(r'\b(?:src|href)="([^"]*)"', page) == ["#why"]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", page)
    assert "import(" not in page
    assert "fetch(" not in page


def test_the_policy_allows_this_script_and_no_request():
    page = playground()
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval';")


def test_all_files_of_the_folder_are_in_the_page():
    names = {path.name for path in FOLDER.iterdir() if path.suffix in (".js", ".css", ".html", ".wasm")}
    text = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert names == {"index.html", *re.findall(r'(?:src|href)="([\w.]+)"', text)}


def test_the_page_contains_the_kernels():
    text = re.search(r'id="kernels">([^<]*)<', playground())[1]
    assert base64.b64decode(text, validate=True) == (FOLDER / "kernels.wasm").read_bytes()


def test_scripts_do_not_end_the_element_that_has_them():
    assert not any("</script" in path.read_text(encoding="utf-8") for path in FOLDER.glob("*.js"))


def test_the_manual_is_linked_only_if_it_is_there():
    assert "data-manual=" not in playground()
    assert '<html lang="en" data-manual="../">' in playground(manual="../")
    assert 'data-manual="&quot;&gt;"' in playground(manual='">')


# ---- kernels --------------------------------------------------------------------------------------------------------


def test_the_kernels_were_built_from_the_present_sources():
    stored = BUILD["DIGEST"].read_text().strip()
    assert stored == BUILD["digest"](), "The C++ sources have changed. Run: make play"


def test_the_digest_is_of_all_headers_that_the_kernels_include():
    names = {path.name for path in BUILD["sources"]()}
    assert {"kernels.cpp", "online_run.hpp", "rules.hpp", "pass.hpp", "random.hpp", "count.hpp", "lanes.hpp"} <= names
    assert "svmlight.hpp" not in names


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed (make play)")
def test_a_second_build_has_the_same_bytes(tmp_path):
    BUILD["build"](tmp_path / "kernels.wasm")
    assert (tmp_path / "kernels.wasm").read_bytes() == (FOLDER / "kernels.wasm").read_bytes()


# ---- real data ------------------------------------------------------------------------------------------------------


def text_of(name):
    """The text of a constant of real_data.js."""
    source = (FOLDER / "real_data.js").read_text(encoding="utf-8")
    return "".join(re.findall(r'"([^"]*)"', re.search(rf"const {name} =([^;]*);", source)[1]))


def pairs_of(name):
    return np.array([[float(value) for value in pair.split(",")] for pair in text_of(name).split()])


def test_the_flowers_are_those_of_fisher():
    X, y = load_iris(return_X_y=True)
    np.testing.assert_array_equal(pairs_of("IRIS"), X[y > 0][:, 2:])


def test_the_tumours_are_principal_components_of_the_data():
    X, y = load_breast_cancer(return_X_y=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    components = np.linalg.svd(Z, full_matrices=False)[2][:2]
    components *= np.sign(components[:, :1])
    np.testing.assert_allclose(pairs_of("TUMOURS"), (Z @ components.T)[::3], atol=0.005001)
    assert text_of("TUMOUR_LABELS") == "".join(np.where(y[::3] == 0, "p", "n"))
