"""The address of a page, read and written in Python: the whole state of the playground as a link (static/state.js).

>>> request_of("#data=four&order=given&epochs=1&w1=1")["start"]
[1.0, 0.0, 0.0]
>>> address_of({"learner": "mira", "p": 0.5, "bias": False})
'#learner=mira&p=0.5&bias=0'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from rosenblatt.errors import SettingError
from rosenblatt.learning.learners import ALL_LEARNERS, KERNEL, Learner
from rosenblatt.playground.learners import control, page_parameters
from rosenblatt.playground.requests import CLASS_LETTERS, Label, Task, as_task

Point = tuple[float, float, Label]

# What the page begins with where a link says nothing else.
INITIAL: dict[str, Any] = {
    "data": "blobs", "n": 60, "margin": 0.2, "noise": 0.0, "dataseed": 1, "k": 2, "minus": "", "plus": "", "names": "",
    "learner": "perceptron", "epochs": 20, "order": "shuffled", "seed": 0, "bias": True, "scale": False, "holdout": 0.0,
    "strict": False, "w1": 0.0, "w2": 0.0, "b": 0.0,
}  # fmt: skip
RECIPES_OF_CLASSES = ("blobs", "ordered")


def fields_of(address: str) -> dict[str, str]:
    """The parts of a link, as texts."""
    return dict(parse_qsl(address.partition("#")[2], keep_blank_values=True))


def settings_of(address: str) -> dict[str, Any]:
    """What a link chooses besides its points: numbers as numbers, switches as booleans."""
    return {name: value_of(name, text) for name, text in fields_of(address).items() if name != "points"}


def value_of(name: str, text: str) -> Any:
    initial = INITIAL.get(name)
    if isinstance(initial, bool):
        return text == "1"
    if isinstance(initial, str) or name in ("features", "hide"):
        return text
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return text


def points_of(address: str) -> list[Point]:
    """The points that a link holds: none where it names a recipe."""
    text = fields_of(address).get("points", "")
    parts = [part.split(",") for part in text.split(";") if part]
    labels: dict[str, Label] = {"+": 1, " ": 1, "-": -1, **{letter: letter for letter in CLASS_LETTERS}}
    try:
        return [(float(x), float(y), labels[label]) for x, y, label in parts]
    except (KeyError, ValueError):
        raise SettingError(f"points is {text[:60]!r}: expected x₁,x₂,label parted by semicolons.") from None


def names_as_text(names: Sequence[str]) -> str:
    """Names of classes as a link holds them: parted by commas, of which a name may have its own."""
    return ",".join(quote(name, safe="") for name in names)


def address_of(settings: Mapping[str, Any], points: Sequence[Point] = ()) -> str:
    """The link of these settings and points."""
    parts = {name: "1" if value is True else "0" if value is False else value for name, value in settings.items()}
    if points:
        signs = {1: "+", -1: "-"}
        parts["points"] = ";".join(
            f"{x!r},{y!r},{label if isinstance(label, str) else signs[label]}" for x, y, label in points
        )
    return "#" + urlencode(parts, safe=",;/")


def request_of(address: str) -> dict[str, Any]:
    """What the page asks of a run where its address is this."""
    chosen = INITIAL | settings_of(address)
    if chosen["data"] == "surface":
        raise SettingError("data is 'surface': gradient descent has no points to learn from.")
    if chosen["strict"]:
        raise SettingError(
            "strict is 1, but the library counts a margin of 0 as a mistake, always: that run is the page's own."
        )
    if chosen["learner"] not in ALL_LEARNERS:
        raise SettingError(f"learner is {chosen['learner']!r}: choose one of {', '.join(ALL_LEARNERS)}.")
    learner = ALL_LEARNERS[chosen["learner"]]
    points = points_of(address)
    lettered = any(isinstance(label, str) for _, _, label in points)
    many = lettered if chosen["data"] == "points" else chosen["k"] > 2 and chosen["data"] in RECIPES_OF_CLASSES
    start = [0.0, 0.0, 0.0] if many or learner is KERNEL else [float(chosen[name]) for name in ("w1", "w2", "b")]
    features = [name for name in str(chosen.get("features", "")).split(",") if name]
    return {
        "data": data_request(chosen, points),
        "learner": learner.name,
        "parameters": parameters_of(chosen, learner),
        **{name: chosen[name] for name in ("epochs", "order", "seed", "bias", "scale", "holdout")},
        "features": features,
        "start": start,
    }


def task_of(address: str) -> Task:
    return as_task(request_of(address))


def data_request(chosen: Mapping[str, Any], points: Sequence[Point]) -> dict[str, Any]:
    if chosen["data"] == "four":
        return {"kind": "four"}
    if chosen["data"] == "points":
        two = [chosen["minus"], chosen["plus"]]
        classes = [unquote(name) for name in chosen["names"].split(",")] if chosen["names"] else two if all(two) else None
        return {"kind": "points", "points": [list(point) for point in points], **({"classes": classes} if classes else {})}
    recipe = {name: chosen[name] for name in ("n", "margin", "noise")}
    many = {"k": chosen["k"]} if chosen["k"] > 2 else {}
    return {"kind": chosen["data"], **recipe, "seed": chosen["dataseed"], **many}


def parameters_of(chosen: Mapping[str, Any], learner: Learner) -> dict[str, Any]:
    """The learner's parameters by their names in the library; what it chooses by itself is left to it."""
    declared = {field: control(one) for field, one in page_parameters(learner).items()}
    safe = "rate" in declared and declared["rate"]["initial"] is None and chosen.get("rate") is None
    parameters = {}
    for field, facts in declared.items():
        value = chosen.get(field)
        usual = facts["initial"] if "choices" in facts else None
        if value is not None and value != usual and not (field == "schedule" and safe):
            parameters[facts["name"]] = value
    return parameters
