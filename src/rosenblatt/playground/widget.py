"""The playground in a notebook: the page without a server, in a frame, with its state in Python and back.

The address of the page is the one thing that travels: it holds points and settings. What Python sets, the page shows; what
is clicked, dragged and chosen there, Python sees.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rosenblatt.errors import LabelError, SettingError, needs_parts
from rosenblatt.playground.links import Point, address_of, names_as_text, points_of, settings_of, task_of
from rosenblatt.playground.points import Points, make
from rosenblatt.playground.requests import CLASS_LETTERS, MOST_POINTS
from rosenblatt.playground.running import RunCache, TaskRun
from rosenblatt.playground.static_page import as_literal, static_page

OF_CLASSES = ("k", "minus", "plus", "names")  # settings that go with the points

try:
    import anywidget
    import traitlets
except ModuleNotFoundError:  # the name is there without them, and says what it needs when it is used
    anywidget = None  # type: ignore[assignment]

FRAME = """
export default {
  render({ model, el }) {
    const frame = document.createElement("iframe");
    frame.title = "rosenblatt playground";
    frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0`;
    frame.src = URL.createObjectURL(new Blob([PAGE], { type: "text/html" }));
    const tell = () => frame.contentWindow?.postMessage({ rosenblatt: "open", address: model.get("address") }, "*");
    const listen = ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      if (data.rosenblatt === "ready") tell();
      if (data.rosenblatt !== "changed" || data.address === model.get("address")) return;
      model.set("address", data.address);
      model.save_changes();
    };
    window.addEventListener("message", listen);
    model.on("change:address", tell);
    el.append(frame);
    return () => {
      window.removeEventListener("message", listen);
      model.off("change:address", tell);
      URL.revokeObjectURL(frame.src);
    };
  },
};
"""


def synced(kind: str, value: Any) -> Any:
    """A value that page and Python share."""
    return value if anywidget is None else getattr(traitlets, kind)(value).tag(sync=True)


def javascript() -> str:
    """The page, and the frame that it stands in."""
    return f"const PAGE = {as_literal(static_page(in_notebook=True))};\n{FRAME}"


class Widget(object if anywidget is None else anywidget.AnyWidget):  # type: ignore[misc]
    """The playground as a widget: `Widget(X, y, learner="mira", p=0.5)`.

    X are rows of two numbers and y their labels, of two to five classes; without them the page makes points by a recipe.
    Settings are those of a link: `learner`, `epochs`, `order`, `seed`, `bias`, `scale`, `features`, `holdout`, `data`, `n`,
    `margin` and so on. `points`, `settings` and `weights` are what the page shows now; the first two can be set.

    >>> widget = Widget([[1, 1], [0.5, -1], [-1, -1], [-1, 1]], [1, -1, -1, -1], order="given", epochs=20)
    >>> widget.weights["last"]
    [1.5, 1.0, -1.0]
    >>> widget.settings = {"order": "given", "epochs": 1, "w1": 1}
    >>> widget.weights["last"]
    [0.5, 1.0, -1.0]
    """

    _esm = "" if anywidget is None else javascript()
    address = synced("Unicode", "#")
    height = synced("Int", 720)

    def __init__(self, X: Any = None, y: Any = None, *, height: int = 720, **settings: Any):
        with needs_parts("The widget"):
            import anywidget  # noqa: F401
        if (X is None) != (y is None):
            raise SettingError("X and y belong together: give both, or neither.")
        points, names = ([], {}) if X is None else labelled(X, y)
        if points:
            settings = {"data": "points", **names, **settings}
        super().__init__(height=height, address=checked(address_of(written(settings), points)))
        self._runs = RunCache(make)

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """X and y as the page has them: labels are 1 and -1, or letters where there are more than two classes."""
        made: Points = make(task_of(self.address).data)
        codes = made.y if len(made.classes) > 2 else (made.y + 1) // 2
        return made.x, np.array(made.letters)[codes] if made.letters else made.y

    @points.setter
    def points(self, points: tuple[Any, Any]) -> None:
        rows, names = labelled(*points)
        kept = {name: value for name, value in self.settings.items() if name not in ("data", *OF_CLASSES)}
        self.address = checked(address_of(written({"data": "points", **names, **kept}), rows))

    @property
    def settings(self) -> dict[str, Any]:
        """What is chosen on the page and is not as it begins."""
        return settings_of(self.address)

    @settings.setter
    def settings(self, settings: Mapping[str, Any]) -> None:
        points = points_of(self.address)
        data = {"data": "points"} if points else {}
        kept = {name: value for name, value in self.settings.items() if name in OF_CLASSES} if points else {}
        self.address = checked(address_of(written(data | kept | dict(settings)), points))

    @property
    def weights(self) -> dict[str, Any]:
        """The last and the averaged weights of the run that the page shows, w and then b, by the engine."""
        from rosenblatt.playground.trace import learned

        run: TaskRun = self._runs.of(task_of(self.address))
        return learned(run)


def written(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a link has them: features in one text."""
    return {
        name: ",".join(value) if isinstance(value, list | tuple) else value
        for name, value in settings.items()
        if value is not None
    }


def checked(address: str) -> str:
    """The address, if there can be such a run; what is the page's alone is left to it."""
    settings = settings_of(address)
    if settings.get("data") != "surface" and not settings.get("strict"):
        task_of(address)
    return address


def labelled(X: Any, y: Any) -> tuple[list[Point], dict[str, Any]]:
    """Rows of two numbers with labels as the page has them, and what its classes are called.

    >>> labelled([[0, 1], [2, 3]], ["no", "yes"])
    ([(0.0, 1.0, -1), (2.0, 3.0, 1)], {'minus': 'no', 'plus': 'yes'})
    """
    rows, labels = np.asarray(X, dtype=float), np.asarray(y)
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) != len(labels) or len(rows) > MOST_POINTS:
        raise SettingError(
            f"X has the shape {rows.shape} and y {labels.shape}: expected two columns, a label a row, and at most "
            f"{MOST_POINTS:,} rows."
        )
    classes = np.unique(labels)
    if not 2 <= len(classes) <= len(CLASS_LETTERS):
        raise LabelError(f"y has {len(classes)} classes: the page shows two to {len(CLASS_LETTERS)}.")
    codes = np.searchsorted(classes, labels).tolist()
    places = rows.tolist()
    if len(classes) > 2:
        names = names_as_text([str(name)[:40] for name in classes.tolist()])
        lettered: list[Point] = [(a, b, CLASS_LETTERS[code]) for (a, b), code in zip(places, codes, strict=True)]
        return lettered, {"k": len(classes), "names": names}
    signed: list[Point] = [(a, b, 2 * code - 1) for (a, b), code in zip(places, codes, strict=True)]
    named = {} if classes.tolist() == [-1, 1] else {"minus": str(classes[0])[:40], "plus": str(classes[1])[:40]}
    return signed, named
