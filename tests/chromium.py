"""Chromium, started once per module of tests."""

import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
expect.set_options(timeout=20_000)  # milliseconds: two browsers share the processors with the other tests


def pytest_collection_modifyitems(items):
    """Try tests in a browser a second time if they fail. The summary names them, for a test may be wrong about time."""
    for item in items:
        if "browser" in item.fixturenames:
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
