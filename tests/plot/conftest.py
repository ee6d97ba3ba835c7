"""Pictures are drawn without a screen, and closed after each test."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures():
    from matplotlib import pyplot

    yield
    pyplot.close("all")
