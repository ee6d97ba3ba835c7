"""The site, for the tests of its files."""

import pytest
from site_build import built


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The folder of the built site."""
    pytest.importorskip("sphinx_gallery", reason="Sphinx is not installed (make docs)")
    return built(tmp_path_factory)
