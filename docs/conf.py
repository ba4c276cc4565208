"""How Sphinx builds these pages: `make docs`."""

project = "rosenblatt"
author = "The rosenblatt developers"
copyright = author
extensions = ["myst_parser"]
source_suffix = [".md"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "rosenblatt"
html_last_updated_fmt = None  # the same sources give the same pages
html_static_path: list[str] = []
html_theme_options = {"navigation_with_keys": True}
