"""Where pictures are drawn: matplotlib, imported only when one is asked for."""

from __future__ import annotations

from typing import Any

from rosenblatt.errors import SettingError

# Colours that people with colour-blind eyes tell apart (Okabe and Ito, 2008); the first two are the two classes.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def pyplot() -> Any:
    """matplotlib.pyplot, or an error that says how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise SettingError("Pictures need matplotlib: pip install 'rosenblatt[show]'.") from None
    return plt


def axes(ax: Any = None, size: tuple[float, float] = (6.4, 4.4)) -> Any:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    return pyplot().subplots(figsize=size, layout="constrained")[1]
