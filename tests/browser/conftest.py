"""Chromium, started once per module of tests."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from playground_tab import DESKTOP, SQUARE, Tab

NAMES = ("chromium", "chromium-browser", "google-chrome")
expect.set_options(timeout=20_000)  # milliseconds: two browsers share the processors with the other tests


def pytest_collection_modifyitems(items):
    """Try tests in a browser a second time if they fail. The summary names them, for a test may be wrong about time."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")  # while it is open, playwright's event loop runs, and no other can be started
def browser():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("Chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the playground's page."""
    return tmp_path_factory.mktemp("playground")


@pytest.fixture(scope="module")
def shared(browser, folder):
    """A tab with the playground, for all tests of a module."""
    tab = Tab(browser, folder)
    yield tab
    tab.context.close()


@pytest.fixture
def tab(shared):
    """That tab with four points, on a desktop and light."""
    shared.page.emulate_media(color_scheme="light")
    shared.page.set_viewport_size(DESKTOP)
    shared.show(SQUARE, learner="perceptron", intercept=True, shuffle=True, seed=0, passes=100, hulls=True, preset="")
    yield shared
    assert shared.trouble == []
