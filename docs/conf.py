"""How Sphinx builds these pages: `make docs`. The figures are drawn by the lab, from real runs, while it builds."""

import re
import sys
from pathlib import Path
from typing import Any

project = "rosenblatt"
author = "The rosenblatt developers"
copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
napoleon_google_docstring = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
source_suffix = [".md"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
myst_enable_extensions = ["dollarmath"]
html_math_renderer = "mathml"
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
    sys.path.insert(0, str(app.srcdir))
    import pictures

    pictures.draw_all(folder)


def take_docstrings_as_they_are(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are plain text: |x| and coef_ are no marks of reStructuredText."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.lstrip().startswith(">>>") or (in_example and bool(line.strip()))
        if not in_example and not line.lstrip().startswith(".. "):
            lines[number] = re.sub(r"(?<![\\\w`])(\w+)_(?!\w)(?!`)", r"\1\\_", line.replace("|", "\\|").replace("*", "\\*"))


def write_mathml(translator: Any, node: Any) -> None:
    """A formula as MathML, which browsers typeset by themselves: no script, from here or elsewhere."""
    from docutils.nodes import SkipNode, math_block
    from latex2mathml.converter import convert

    display = "block" if isinstance(node, math_block) else "inline"
    translator.body.append(convert(node.astext(), display=display))
    raise SkipNode


def setup(app: Any) -> None:
    """Sphinx calls this."""
    app.add_html_math_renderer("mathml", (write_mathml, None), (write_mathml, None))
    app.connect("builder-inited", draw_figures)
    app.connect("autodoc-process-docstring", take_docstrings_as_they_are, priority=600)  # after napoleon
