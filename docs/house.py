"""The house as it is: which rooms import which, and which modules a call enters; docs/architecture.md shows both.

python docs/house.py           the modules that `train people.csv` and `Perceptron().fit` enter
python docs/house.py --draw    draws docs/images/rooms.svg again, from the imports as they are
"""

from __future__ import annotations

import ast
import contextlib
import io
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable
from html import escape
from pathlib import Path
from types import FrameType
from typing import Any

import rosenblatt

SOURCE = Path(rosenblatt.__file__).parent
ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "rooms.svg"
PEOPLE = "age,education,income\n" + "".join(
    f"{20 + i % 47},{'ABC'[i % 3]},{'yes' if i * i % 7 > 3 else 'no'}\n" for i in range(60)
)


def modules_entered(call: Callable[[], Any]) -> list[str]:
    """The modules of the package in which a function runs during a call, in the order of the first entry.

    The call is made twice, and the second time is counted: imports are not entries.
    """
    call()
    entered: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(SOURCE):
            entered.setdefault(".".join(file.relative_to(SOURCE).with_suffix("").parts))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return list(entered)


def train_people() -> None:
    """`rosenblatt train people.csv`, with a model file."""
    from rosenblatt.cli import run

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder, "people.csv")
        path.write_text(PEOPLE)
        if run(["train", str(path), "--target", "income", "-q", "-o", str(Path(folder, "people.rosenblatt"))]):
            raise SystemExit("train failed")


def fit_perceptron() -> None:
    """`Perceptron().fit` on four rows."""
    rosenblatt.Perceptron(random_state=0).fit([[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, 0, 0, 0])


def rooms() -> list[str]:
    """The rooms from the top of the house to its bottom: the layers that import-linter holds."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [layer for layer in layers if (SOURCE / layer).is_dir()]


def imports_between_rooms() -> Counter[tuple[str, str]]:
    """How many import statements lead from one room to another; those for type checkers do not count."""
    counted: Counter[tuple[str, str]] = Counter()
    known = set(rooms())
    for file in SOURCE.rglob("*.py"):
        room = file.relative_to(SOURCE).parts[0]
        if room not in known:
            continue
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):  # an `if TYPE_CHECKING:` is emptied before its imports are met
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                node.body = []
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rosenblatt"):
                path = (node.module or "").split(".")
                targets = {path[1]} if len(path) > 1 else {alias.name for alias in node.names}
                counted.update((room, target) for target in targets & known if target != room)
    return counted


def what_it_is(room: str) -> str:
    """The first sentence of a room's docstring."""
    text = ast.get_docstring(ast.parse((SOURCE / room / "__init__.py").read_text())) or ""
    return text.split("\n\n")[0].replace("\n", " ").split(". ")[0].rstrip(".")


def draw() -> str:
    """The rooms, an arc to every room that another one imports, and the order in which `train people.csv` enters them."""
    names, counted = rooms(), imports_between_rooms()
    entered = list(dict.fromkeys(module.partition(".")[0] for module in modules_entered(train_people)))
    order = [room for room in entered if room in names]
    top, step, left, wide, high = 40, 46, 210, 120, 30
    middle = {name: top + step * place + high / 2 for place, name in enumerate(names)}
    arcs, boxes = [], []
    for (upper, lower), count in sorted(counted.items()):
        a, b, bulge = middle[upper], middle[lower], left - 20 - 19 * (names.index(lower) - names.index(upper))
        arcs.append(
            f'<path d="M{left} {a:g}C{bulge} {a:g} {bulge} {b:g} {left} {b:g}" fill="none" stroke="#0072B2" '
            f'stroke-opacity="0.5" stroke-width="{min(6, 0.6 + count / 6):.1f}"><title>{upper} imports {lower}: '
            f"{count} times</title></path>"
        )
    for name in names:
        x, y = left + wide, middle[name]
        boxes.append(
            f'<rect x="{left}" y="{y - high / 2:g}" width="{wide}" height="{high}" rx="4" fill="#fff" stroke="#333"/>'
        )
        boxes.append(f'<text x="{left + wide / 2:g}" y="{y + 5:g}" text-anchor="middle" font-weight="bold">{name}</text>')
        if name in order:
            boxes.append(f'<circle cx="{x + 22}" cy="{y:g}" r="11" fill="#D55E00"/>')
            boxes.append(f'<text x="{x + 22}" y="{y + 5:g}" text-anchor="middle" fill="#fff">{order.index(name) + 1}</text>')
        boxes.append(f'<text x="{x + 42}" y="{y + 5:g}" font-size="13">{escape(what_it_is(name))}</text>')
    size = f'viewBox="0 0 960 {top + step * len(names)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="14" fill="#222">'
    title = "<title>The rooms of the house: which import which, and in which order training enters them</title>"
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    legend = '<text x="8" y="20" font-size="13">arcs: imports, always downwards</text>'
    legend += (
        f'<text x="{left + wide + 11}" y="20" font-size="13">numbers: the order in which `train people.csv` enters</text>'
    )
    return "\n".join([head, title, paper, legend, *arcs, *boxes, "</svg>"]) + "\n"


if __name__ == "__main__":
    if "--draw" in sys.argv:
        PICTURE.write_text(draw())
    else:
        for name, call in (("train people.csv", train_people), ("Perceptron().fit", fit_perceptron)):
            modules = modules_entered(call)
            print(f"{name} enters {len(modules)} modules: {', '.join(modules)}")
