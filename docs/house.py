"""The house as it is: which rooms import which, and which modules a call enters; docs/architecture.md shows both.

python docs/house.py           the modules that `train people.csv` and `Perceptron().fit` enter
python docs/house.py --draw    the picture of the rooms, written to docs/images/rooms.svg
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import rosenblatt

SOURCE = Path(rosenblatt.__file__).parent
PEOPLE = "age,education,income\n" + "".join(f"{20 + i % 50},{'ABC'[i % 3]},{'yes' if i % 3 else 'no'}\n" for i in range(60))


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
    from rosenblatt.cli import run

    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        path = Path(folder, "people.csv")
        path.write_text(PEOPLE)
        if run(["train", str(path), "--target", "income", "-q", "-o", str(Path(folder, "people.rosenblatt"))]):
            raise SystemExit("train failed")


def fit_perceptron() -> None:
    rosenblatt.Perceptron(random_state=0).fit([[1.0, 1.0], [0.5, -1.0], [-1.0, -1.0], [-1.0, 1.0]], [1, 0, 0, 0])


if __name__ == "__main__":
    for name, call in (("train people.csv", train_people), ("Perceptron().fit", fit_perceptron)):
        modules = modules_entered(call)
        print(f"{name} enters {len(modules)} modules: {', '.join(modules)}")
