"""A model in one HTML file to send to a colleague: no script, nothing loaded from elsewhere, good on paper too.

>>> from rosenblatt.learning.classifier import learn
>>> from rosenblatt.data import open_known
>>> page = report(learn(open_known("iris")))
>>> "<script" in page, "setosa" in page
(False, True)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from rosenblatt import __version__
from rosenblatt.data import Dataset
from rosenblatt.data.markup import shown
from rosenblatt.errors import SettingError
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.learners import LEARNERS, label_of
from rosenblatt.show import reproduce, tables
from rosenblatt.show.findings import Findings, Say, Wishes, look
from rosenblatt.show.numerals import percent, signed
from rosenblatt.show.pixels import weight_pictures
from rosenblatt.studies.compare import judge_differences
from rosenblatt.studies.explain import numeric_features, warnings

KINDS = {"table": "a table", "text": "texts", "sparse": "sparse rows", "images": "images"}


@dataclass(frozen=True)
class Origin:
    """What the model does not know about itself: its file, the file's digest, and the command that makes the report."""

    name: str = "model"
    sha256: str | None = None
    command: str | None = None
    read: dict[str, Any] = field(default_factory=dict)  # keywords of `rosenblatt.read` for the data


def report(
    model: Classifier,
    data: Dataset | None = None,
    wishes: Wishes | None = None,
    origin: Origin | None = None,
    say: Say | None = None,
) -> str:
    """The page about a model and, with labelled data, about how it does on them."""
    template = page_template()  # refuses before anything is computed
    wishes, origin, say = wishes or Wishes(), origin or Origin(), say or (lambda sentence: None)
    found = None if data is None else look(model, data, wishes, say)
    say("drawing")
    return str(template.render(**contents(model, found, wishes, origin)))


@cache
def page_template() -> Any:
    """The page, in which every value is escaped, and characters that would act are made visible."""
    try:
        import jinja2
        import matplotlib  # noqa: F401
        from markupsafe import Markup
    except ImportError:
        raise SettingError("A report needs jinja2 and matplotlib: pip install 'rosenblatt[show]'.") from None

    def seen(value: Any) -> Any:
        return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value, longest=10_000)

    page = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=seen, trim_blocks=True, lstrip_blocks=True
    )

    def breakable(value: Any, longest: int) -> Any:
        """Shown and escaped; a line may end after the signs of which names are made, before any word is broken."""
        return Markup("<wbr>").join(re.split(r"(?<=[=_/-])", shown(value, longest)))

    page.filters.update(
        shown=shown, breakable=breakable, percent=percent, counted=lambda n: f"{n:,}", signed=signed, bare=Markup
    )
    return page.from_string(files("rosenblatt.show").joinpath("report.html.jinja").read_text("utf-8"))


def contents(model: Classifier, found: Findings | None, wishes: Wishes, origin: Origin) -> dict[str, Any]:
    """All that the page shows."""
    from rosenblatt.show import figures

    counts = model.class_counts
    return {
        "style": files("rosenblatt.show").joinpath("report.css").read_text("utf-8"),
        "version": __version__,
        "origin": origin,
        "model": model,
        "learner": label_of(model.recipe.compared_name),
        "facts": training_facts(model),
        "columns": tables.columns(model),
        "classes": tables.class_rows(model, found.measured if found else None),
        "most_frequent": None if counts is None else model.classes.tolist()[int(counts.argmax())],
        "majority": None if counts is None else 1 - int(counts.max()) / int(counts.sum()),
        "found": found,
        "wishes": wishes,
        "rivals": tables.rival_rows(found) if found else [],
        "differences": judge_differences(found.rivals) if found else "",
        "epochs": figures.epochs(model.history, model.recipe.averages) if len(model.history) else None,
        "margins": figures.margins(found.margins) if found is not None and len(found.margins) else None,
        "confusion": tables.confusion(found.measured, model) if found else None,
        "pictures": weight_pictures(model),
        "weights": tables.weight_lists(model),
        "warnings": warnings(model),
        "scaled": bool(getattr(model.features, "scale", False) and numeric_features(model)),
        "separated": separated(model),
        "again": again(model, found, wishes, origin),
        "limit": tables.CLASSES,
    }


def training_facts(model: Classifier) -> list[tuple[str, str]]:
    """What was trained on what, a line each."""
    recipe, summary = model.recipe, model.summary
    parameters = ", ".join(
        f"{name} {recipe.parameters[name]}" for name in LEARNERS[recipe.learner].parameters if name in recipe.parameters
    )
    known_rows = "" if summary["examples"] is None else f"{summary['examples']:,} rows of "
    rows, features = f"{known_rows}{KINDS[model.kind]}", f"{summary['features']:,} features"
    passes = f"{summary['epochs']:,} epochs, {summary['updates']:,} updates"
    ended = "" if summary["stopped_because"] is None else f"; ended by: {summary['stopped_because']}"
    error, dev = summary["train_error"], summary["dev_error"]
    views = [view for view in ("last", "averaged", "best", "voted") if dev and view in dev]
    held_out = ", ".join(f"{view} {percent(dev[view])}" for view in views)
    lines = [
        ("learner", label_of(recipe.compared_name) + (f" ({parameters})" if parameters else "")),
        ("predicts", None if model.target is None else f"column {shown(model.target)}"),
        ("learned from", f"{rows}, {features}{'' if recipe.fit_intercept else ', no bias'}"),
        ("training", passes + ended),
        ("order", f"{recipe.order}, seed {recipe.seed}"),
        ("classes weighted", None if recipe.class_weight is None else shown(recipe.class_weight)),
        ("weights that predict", model.view),
        ("training error", "not known: the model was saved by an estimator" if error is None else percent(error)),
        ("held-out error", held_out or None),
    ]
    return [(name, value) for name, value in lines if value is not None]


def separated(model: Classifier) -> bool:
    """Did training end with an epoch without a mistake or an update? Then its last weights are the proof."""
    if not model.summary["converged"] or not len(model.history):
        return False
    return model.history[-1].mistakes == model.history[-1].updates == 0


def again(model: Classifier, found: Findings | None, wishes: Wishes, origin: Origin) -> dict[str, Any]:
    """The command and the Python that train the same model; `known` where the data are recognised as those of training."""
    same = found is not None and found.recognised
    told = reproduce.Training(
        file=found.name if same and found else "FILE",
        target=model.target,
        dev="DEV-FILE" if model.summary["dev_error"] and not (same and wishes.holdout) else None,
        holdout=wishes.holdout if same else None,
        read=origin.read if same else {},
        output=origin.name,
    )
    split = {"seed": model.recipe.seed}
    return {
        "known": same,
        "exact": model.counts is not None,  # else an estimator wrote the file, and read its rows in its own way
        "dev": told.dev is not None,
        "command": reproduce.command(model.recipe, told),
        "python": reproduce.script(reproduce.differing(model.recipe), told, split),
    }
