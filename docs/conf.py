"""How Sphinx builds these pages: `make docs`. The figures are drawn by the lab, from real runs, while it builds."""

from pathlib import Path
from typing import Any

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


def draw_figures(app: Any) -> None:
    """Runs the experiments that need no data but what is bundled, and no clock; about half a minute."""
    from rosenblatt import lab

    folder = Path(app.srcdir) / "figures"
    folder.mkdir(exist_ok=True)
    for name in sorted(set(lab.EXPERIMENTS) - {"income", "mpg", "cost"}):
        (folder / f"{name}.svg").write_bytes(lab.perform(name).picture())


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.connect("builder-inited", draw_figures)
