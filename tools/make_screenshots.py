"""Write pictures of whole reports to out/: for 2, 7 and 20 classes, on a desktop and a phone, light and dark.

A picture of each learner in the playground goes there, too, and one of the perceptron to docs/images/playground.png.
Run it with ``.venv/bin/python tools/make_screenshots.py``, with the numbers of classes, or ``playground``, as arguments
if only some are wanted. It needs Chromium and the dependency group ``test``, and nothing from the network.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_breast_cancer, make_classification

import novikoff as nk
from novikoff._play import playground

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "out"
LEARNERS = ("perceptron", "averaged", "voted", "margin", "pa1", "pa2", "arow", "hard", "soft")  # of the playground
SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
COLOURS = 256  # enough for text and lines, at a third of the size of a picture in true colour
WINES = [20, 163, 1457, 2198, 880, 175, 5]  # rows of each quality, as in the white wines of the UCI repository
GROUPS = """
alt.atheism comp.graphics comp.os.ms-windows.misc comp.sys.ibm.pc.hardware comp.sys.mac.hardware comp.windows.x
misc.forsale rec.autos rec.motorcycles rec.sport.baseball rec.sport.hockey sci.crypt sci.electronics sci.med sci.space
soc.religion.christian talk.politics.guns talk.politics.mideast talk.politics.misc talk.religion.misc
"""


def two(path: Path) -> None:
    """The breast cancer data of scikit-learn, standardised, on its training rows."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    y = np.where(y == 1, "benign", "malignant")
    nk.report(nk.LinearSVM(C=0.1).fit(X, y), X, y, path, title="Breast cancer, LinearSVM")


def seven(path: Path) -> None:
    """Generated wines of seven overlapping qualities, of very different frequency, with test rows."""
    rng = np.random.default_rng(7)
    quality = np.repeat(np.arange(3, 10), WINES)
    names = ["alcohol", "acidity", "sugar", "chlorides", "sulphates", "density", "pH", "sulphur"]
    X = rng.normal(size=(len(quality), len(names)))
    X[:, 0] += 0.7 * (quality - 6) + 0.3 * (quality > 6)
    X[:, 1] -= 0.4 * np.abs(quality - 6)
    X[:, 5] -= 0.5 * (quality - 6)
    order = rng.permutation(len(quality))
    train, test = order[:3600], order[3600:]
    model = nk.LinearSVM(C=1.0).fit(X[train], quality[train])
    rows, held_out = (X[train], quality[train]), (X[test], quality[test])
    nk.report(model, *rows, path, title="Wine quality, LinearSVM", feature_names=names, test=held_out)


def twenty(path: Path) -> None:
    """Generated rows of twenty classes with the names of the groups of news20, with test rows."""
    shape: dict[str, Any] = {"n_samples": 4000, "n_features": 60, "n_informative": 30, "n_classes": 20}
    X, codes = make_classification(**shape, n_clusters_per_class=1, class_sep=1.3, flip_y=0.02, random_state=0)
    y = np.array(GROUPS.split())[codes]
    model = nk.LinearSVM(C=0.1).fit(X[:3000], y[:3000])
    nk.report(model, X[:3000], y[:3000], path, title="Twenty groups, LinearSVM", test=(X[3000:], y[3000:]))


SUBJECTS = {2: two, 7: seven, 20: twenty}


def save(shot: bytes, target: Path) -> None:
    """Save a picture with few colours."""
    picture = Image.open(BytesIO(shot))
    picture.convert("RGB").quantize(COLOURS).save(target, optimize=True)
    print(f"{target.name}: {picture.width} x {picture.height}, {target.stat().st_size // 1000} kB")


def reports(browser: Browser, classes: int, folder: Path) -> None:
    """Write a report, open it in Chromium and save pictures of the full page."""
    path = folder / f"{classes}.html"
    SUBJECTS[classes](path)
    for size in SIZES:
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport=SIZES[size], color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(path.as_uri())
            page.wait_for_selector(".lead-figure .cartesianlayer")
            page.wait_for_timeout(500)
            save(page.screenshot(full_page=True), FOLDER / f"report-{classes}-{size}-{scheme}.png")
            page.close()


def playground_pages(browser: Browser, folder: Path) -> None:
    """Show points of narrow margin to each learner of the playground, and save pictures after most of its steps."""
    path = folder / "playground.html"
    path.write_text(playground(), encoding="utf-8")
    page = browser.new_page(viewport=SIZES["desktop"])  # type: ignore[arg-type]
    for learner in LEARNERS:
        page.goto("about:blank")
        page.goto(f"{path.as_uri()}#v=1&learner={learner}&preset=narrow")
        page.evaluate("playground.go(Math.floor(0.6 * playground.run.count))")
        save(page.screenshot(full_page=True), FOLDER / f"playground-{learner}.png")
        if learner == LEARNERS[0]:
            save(page.screenshot(), ROOT / "docs/images/playground.png")
    page.close()


def main() -> None:
    """Write the pages that are wanted, and pictures of them."""
    FOLDER.mkdir(exist_ok=True)
    wanted = sys.argv[1:] or [*map(str, SUBJECTS), "playground"]
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for subject in wanted:
            if subject == "playground":
                playground_pages(browser, Path(name))
            else:
                reports(browser, int(subject), Path(name))
        browser.close()


if __name__ == "__main__":
    main()
