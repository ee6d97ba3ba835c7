"""Configuration of the site: make docs. The pages are those of docs/, docs/_ext/navigation.py says where each is."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import novikoff  # after the line above, which must come before NumPy is imported

warnings.filterwarnings("ignore", category=novikoff.NotHaltedWarning)  # examples show unfinished runs, too

project = "novikoff"
author = "the novikoff developers"
copyright = author
version = release = novikoff.__version__
language = "en"
smartquotes = False  # quotes and dashes of code in tables stay as they are
toc_object_entries_show_parents = "hide"

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "navigation",
    "repository_links",
    "mathml",
    "api_objects",
    "playground",
    "statements",
    "slim_theme",
    "accessible",
]
exclude_patterns = ["_ext", "_static", "_templates"]
templates_path = ["_templates"]
nitpicky = True
nitpick_ignore_regex = [  # packages whose manuals are elsewhere: the site has no list of their names, and no network
    (r"py:.*", r"(sklearn|numpy|scipy|pandas|polars|matplotlib|starlette|river|dask|pyspark|flint)\b.*"),
]

# ---- pages in Markdown
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_html_meta = {  # what search engines show below a title
    "description": "Linear classifiers for Python and the command line, from the perceptron to the support vector "
    "machine. Every model carries a certificate that anyone can check against the data.",
}
myst_links_external_new_tab = False

# ---- reference of the Python interface
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = True
numpydoc_show_class_members = False
numpydoc_use_plots = False
numpydoc_xref_param_type = False

# ---- gallery
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"[/\\]plot_",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("novikoff",),
    "reference_url": {"novikoff": None},
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 10_000,
    "download_all_examples": False,
    "abort_on_example_error": True,
    "only_warn_on_example_error": False,
    "parallel": False,
    "image_srcset": [],
    "thumbnail_size": (400, 280),
}

# ---- appearance
html_theme = "pydata_sphinx_theme"
html_title = "novikoff"
html_search_scorer = str(Path(__file__).parent / "_static" / "search_scorer.js")
html_logo = "_static/logo.svg"
html_favicon = "_static/favicon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # it would fetch the pages, which browsers refuse for files
html_show_copyright = False
html_domain_indices = False
html_use_index = True
html_sidebars = {
    page: [] for page in ("index", "start", "choosing", "playground", "benchmarks", "scaling", "cli", "project/*")
}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "novikoff", "alt_text": "novikoff, start page"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "primary_sidebar_end": [],
    "footer_start": ["footer"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_depth": 3,
    "search_bar_text": "Search",
    "back_to_top_button": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
