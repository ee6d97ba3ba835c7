"""What the tests of pages share."""

from chromium import browser as browser
from chromium import pytest_collection_modifyitems as pytest_collection_modifyitems
