"""Chromium, started once per module of tests."""

import shutil

import pytest
from playwright.sync_api import sync_playwright

from playground_tab import Tab

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")  # while it is open, playwright's event loop runs, and no other can be started
def browser():
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
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
