"""Write docs/images/report.png, the picture in the README: the top of a real report.

Run it with ``.venv/bin/python docs/make_image.py``. It needs Chromium and the dependency group ``test``.
"""

from __future__ import annotations

import shutil
import tempfile
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright
from sklearn.datasets import load_breast_cancer

import novikoff as nk

TARGET = Path(__file__).parent / "images" / "report.png"
SIZE = {"width": 960, "height": 980}  # CSS pixels: the verdict, its picture and the tables of the predictions
SCALE = 5 / 3  # 1,600 pixels wide, so that it is sharp at a width of 800 on screens of high resolution
COLOURS = 256  # enough for text and lines, at a third of the size of a picture in true colour


def write_report(path: Path) -> None:
    """Fit the breast cancer data of scikit-learn, standardised, and write the report."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = (X - X.mean()) / X.std()
    y = np.where(y == 1, "benign", "malignant")
    nk.report(nk.LinearSVM(C=0.1).fit(X, y), X, y, path, title="Breast cancer, LinearSVM")


def main() -> None:
    """Write the report, open it in Chromium and save what is visible."""
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
    TARGET.parent.mkdir(exist_ok=True)
    picture.convert("RGB").quantize(COLOURS).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
