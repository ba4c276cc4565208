"""The displays as SVG to stand inside a page: its ink is the page's, its text is text, its bytes are always the same."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data.markup import shown
from rosenblatt.learning.history import History
from rosenblatt.show.canvas import PALETTE
from rosenblatt.show.plots import (
    HistoryDisplay,
    MarginDisplay,
    PrecisionRecallDisplay,
    ReliabilityDisplay,
    RocDisplay,
)

if TYPE_CHECKING:
    from markupsafe import Markup

    from rosenblatt.learning.measures import ScoredRows
    from rosenblatt.learning.threshold import Threshold

FIGURE_SIZE = (5.4, 3.3)  # inches, of every figure: so text has the same size in all
INK = "#010203"  # drawn with this, and then named `currentColor`, so that figures follow the page into the dark
GREYS = ("#333333", "#4c4c4c")  # what displays draw their guide lines with
THEME = {
    "svg.fonttype": "none",  # text stays text: it can be read out, found and copied
    "svg.hashsalt": "rosenblatt",  # names of clips and markers would be random
    "text.parse_math": False,  # a label with a $ is a label
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 0,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


def epochs_figure(history: History, averages: bool) -> Markup:
    """Mistakes in training and, where rows were held out, the errors of last, averaged and best weights.

    The best so far are those of the lowest error of the weights that the learner predicts with, as in training.
    """

    def draw(ax: Any) -> None:
        HistoryDisplay(history).plot(ax)
        errors = history["held_out_averaged" if averages else "held_out_last"]
        if all(error is not None for error in errors):
            best = np.minimum.accumulate(errors.astype(float))
            ax.plot(np.arange(1, len(best) + 1), best, "--", color=PALETTE[3], linewidth=2, label="held out, best so far")
        if len(history) == 1:
            ax.set_xticks([1])
        legend_above(ax)

    return figure(draw, "epochs", "Error by epoch")


def margins_figure(values: np.ndarray) -> Markup:
    """The histogram of margins."""

    def draw(ax: Any) -> None:
        MarginDisplay(values, what="margin by |w|").plot(ax)
        legend_above(ax)

    return figure(draw, "margins", "Histogram of margins")


def deciding_figures(rows: ScoredRows, classes: np.ndarray, threshold: Threshold | None) -> dict[str, Markup]:
    """ROC, precision by recall with the threshold marked, and, where there are probabilities, what they promise; none where
    all rows are of one class.
    """
    names = np.array([shown(label, 24) for label in classes.tolist()])
    if len(np.unique(rows.codes)) < 2:
        return {}
    displays = {
        "roc": (RocDisplay(rows, names, threshold), "ROC curve"),
        "precision": (PrecisionRecallDisplay(rows, names, threshold), "Precision by recall"),
    }
    if rows.probabilities is not None:
        displays["reliability"] = (ReliabilityDisplay(rows, names), "Reliability of probabilities")  # type: ignore[assignment]

    def draw(display: Any) -> Callable[[Any], None]:
        def on_axes(ax: Any) -> None:
            display.plot(ax)
            legend_above(ax)

        return on_axes

    return {name: figure(draw(display), name, title) for name, (display, title) in displays.items()}


def legend_above(ax: Any) -> None:
    """Where it hides nothing."""
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0, handlelength=1.6)


def figure(draw: Callable[[Any], None], name: str, title: str) -> Markup:
    """What `draw` puts on axes, as an <svg> element in which every name begins with `name`."""
    import matplotlib.style
    from markupsafe import Markup
    from matplotlib.figure import Figure

    stream = io.StringIO()
    with matplotlib.style.context(["default", THEME]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the page's own font may well have the letter
        drawing = Figure(figsize=FIGURE_SIZE, layout="constrained")
        ax = drawing.subplots()
        draw(ax)
        ax.set_title("")
        drawing.savefig(stream, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return Markup(for_page(stream.getvalue(), name, title))


def for_page(svg: str, name: str, title: str) -> str:
    """The <svg> element alone, with names of its own, the page's ink, and a title for those who cannot see it.

    Only tags are changed: what stands between them is text, and may be a label from the data.

    >>> for_page('<?xml?><svg width="9"><g id="a" style="stroke: #010203"/><text>#010203 id="a"</text></svg>', "f", "A")
    '<svg width="9" role="img" aria-label="A"><g id="f-a" style="stroke: currentColor"/><text>#010203 id="a"</text></svg>'
    """
    svg = svg[svg.index("<svg") :].rstrip()
    svg = re.sub(r"<[^>]+>", lambda tag: _adapt_tag(tag[0], name), svg)
    return re.sub(r"^<svg([^>]*)>", lambda tag: f'<svg{tag[1]} role="img" aria-label="{title}">', svg, count=1)


def _adapt_tag(tag: str, name: str) -> str:
    tag = re.sub(r'(\bid="|"#|url\(#)', lambda match: match[0] + name + "-", tag)
    for colour in (INK, *GREYS):
        tag = tag.replace(colour, "currentColor")
    for number, colour in enumerate(PALETTE):
        tag = tag.replace(colour.lower(), f"var(--series-{number}, {colour})")
    return tag
