"""Write the pictures of the manual: docs/images/report.png, the top of a real report, and docs/images/displays.png.

Run it with ``.venv/bin/python docs/make_image.py``. It needs Chromium and the dependency group ``test``.
"""

from __future__ import annotations

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib import pyplot
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff as nk
from novikoff.plot import BoundaryDisplay, LossDisplay, StepsDisplay, TraceDisplay

matplotlib.use("Agg")

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 960, "height": 980}  # CSS pixels: the verdict, its picture and the tables of the predictions
SCALE = 5 / 3  # 1,600 pixels wide, so that it is sharp at a width of 800 on screens of high resolution
COLOURS = 256  # enough for text and lines, at a third of the size of a picture in true colour


def write_report(path: Path) -> None:
    """Fit the breast cancer data of scikit-learn, standardised, and write the report."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    y = np.where(y == 1, "benign", "malignant")
    nk.report(nk.LinearSVM(C=0.1).fit(X, y), X, y, path, title="Breast cancer, LinearSVM")


def draw_displays() -> Image.Image:
    """Draw four displays in a grid."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 2))
    X = X[np.abs(X @ [1.0, 0.5]) > 0.1]
    y = np.where(X @ [1.0, 0.5] > 0, "yes", "no")
    figure, grid = pyplot.subplots(2, 2, figsize=(11, 9), layout="constrained")
    BoundaryDisplay.from_estimator(nk.HardMarginSVM().fit(X, y), X, y, ax=grid[0, 0])
    digits, digit = load_digits(return_X_y=True)
    TraceDisplay.from_trace(nk.trace(nk.Perceptron(), digits, digit == 0), ax=grid[0, 1])
    StepsDisplay.from_margins(ax=grid[1, 0])
    LossDisplay.from_losses(ax=grid[1, 1])
    page = BytesIO()
    figure.savefig(page, dpi=110)
    return Image.open(page)


def save(picture: Image.Image, name: str) -> None:
    """Write a picture with few colours."""
    IMAGES.mkdir(exist_ok=True)
    picture.convert("RGB").quantize(COLOURS).save(IMAGES / name, optimize=True)


def main() -> None:
    """Draw the displays; write the report, open it in Chromium and save what is visible."""
    save(draw_displays(), "displays.png")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "report.html"
        write_report(path)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, device_scale_factor=SCALE, color_scheme="light")
        page.goto(path.as_uri())
        page.wait_for_selector("#figure-gap .cartesianlayer")
        page.evaluate("document.fonts.ready")
        picture = Image.open(BytesIO(page.screenshot()))
        browser.close()
    save(picture, "report.png")


if __name__ == "__main__":
    main()
