"""All displays in one place.

Each is made by `from_estimator`, `from_history` or its own name, draws with `plot(ax)`, and keeps `ax_` and `figure_`.
"""

from rosenblatt.show.boundary import BoundaryDisplay
from rosenblatt.show.curves import CurveDisplay, HistoryDisplay
from rosenblatt.show.margins import LossDisplay, MarginDisplay
from rosenblatt.show.path import DescentDisplay, PathDisplay
from rosenblatt.show.weights import WeightsDisplay

__all__ = [
    "BoundaryDisplay",
    "CurveDisplay",
    "DescentDisplay",
    "HistoryDisplay",
    "LossDisplay",
    "MarginDisplay",
    "PathDisplay",
    "WeightsDisplay",
]
