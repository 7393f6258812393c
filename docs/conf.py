"""The documentation site: ``make docs`` builds it into site/, with warnings as errors."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

os.environ.setdefault("MPLBACKEND", "Agg")  # pictures are drawn where there is no screen

import elseif  # noqa: E402

project = "elseif"
author = "The elseif developers"
project_copyright = author
version = release = elseif.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "field_comments",
    "running_code",
]
exclude_patterns = ["_ext", "_gallery"]
suppress_warnings: list[str] = []
nitpicky = False  # names of other libraries cannot be looked up without a network

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
python_maximum_signature_line_length = 120
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]  # a list, not headings of their own

language = "en_GB"
html_theme = "furo"
html_title = f"elseif {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5c7a", "color-brand-content": "#0b5c7a"},
    "dark_css_variables": {"color-brand-primary": "#7cc4e0", "color-brand-content": "#7cc4e0"},
}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
