"""A tab of Chromium with the playground, for all tests of a module."""

import pytest

from chromium import browser as browser
from chromium import pytest_collection_modifyitems as pytest_collection_modifyitems
from playground_tab import DESKTOP, SQUARE, Tab


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
