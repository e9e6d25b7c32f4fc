"""Settings of the documentation site; ``scripts/site`` collects its pages and builds it."""

from __future__ import annotations

from importlib import metadata

project = "irenic"
author = "the irenic developers"
release = metadata.version("irenic")
version = release

extensions = ["myst_parser", "sphinx_copybutton", "sphinx_design", "sphinx_gallery.gen_gallery"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["examples", "gallery/**/*.ipynb", "**/sg_execution_times.rst"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# Output of programs is shown as it is, and not every notation has a lexer.
suppress_warnings = ["misc.highlighting_failure", "config.cache"]
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "irenic"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"]
html_sourcelink_suffix = ""
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": [],
    "footer_end": [],
}
html_sidebars = {"index": [], "reference/api/*": ["sidebar-nav-bs"]}

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_exclude = ".go, .gp"

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": "paper_figures",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10**6,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}

linkcheck_ignore = [r"https?://.*"]
