"""A model in one HTML file to send to a colleague: no script, nothing loaded from elsewhere, good on paper too.

>>> from rosenblatt.classifier import learn
>>> from rosenblatt.data import open_known
>>> page = report(learn(open_known("iris")))
>>> "<script" in page, "setosa" in page
(False, True)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import numpy as np

from rosenblatt import __version__
from rosenblatt.classifier import LEARNERS, Classifier, Recipe
from rosenblatt.data import Dataset
from rosenblatt.errors import SettingError
from rosenblatt.explain import Weight, bias, numeric_features, warnings, weights
from rosenblatt.features import TableMap
from rosenblatt.markup import shown
from rosenblatt.measures import Measured
from rosenblatt.show import reproduce
from rosenblatt.show.findings import Findings, Say, Wishes, learner_name, look
from rosenblatt.show.pixels import weight_pictures

CLASSES = 30  # that are shown one by one
WEIGHTS = 10  # a class
CONFUSIONS = 15  # that are listed where there are too many classes for a matrix
NAMES = {"averaged": "averaged perceptron", "mira": "MIRA", "averaged mira": "averaged MIRA", "widrow-hoff": "Widrow-Hoff"}
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
    page.filters.update(shown=shown, percent=percent, counted=lambda n: f"{n:,}", signed=signed, bare=Markup)
    return page.from_string(files("rosenblatt.show").joinpath("report.html.jinja").read_text("utf-8"))


def percent(share: float, decimals: int = 2) -> str:
    """A share with its sign on the same line.

    >>> percent(0.146)
    '14.60\\xa0%'
    """
    return f"{100 * share:.{decimals}f}\u00a0%"


def signed(value: float, style: str = ".3g") -> str:
    """A number with a minus that is as wide as a plus.

    >>> signed(-0.4251)
    '−0.425'
    """
    return format(value, style).replace("-", "−")


def contents(model: Classifier, found: Findings | None, wishes: Wishes, origin: Origin) -> dict[str, Any]:
    """All that the page shows."""
    from rosenblatt.show import figures

    return {
        "style": files("rosenblatt.show").joinpath("report.css").read_text("utf-8"),
        "version": __version__,
        "origin": origin,
        "model": model,
        "learner": named(model.recipe),
        "facts": training_facts(model),
        "columns": columns(model),
        "classes": class_rows(model, found.measured if found else None),
        "most_frequent": model.classes.tolist()[int(model.class_counts.argmax())],
        "majority": 1 - int(model.class_counts.max()) / int(model.class_counts.sum()),
        "found": found,
        "wishes": wishes,
        "rivals": rival_rows(found) if found else [],
        "epochs": figures.epochs(model.history, model.recipe.averages) if len(model.history) else None,
        "margins": figures.margins(found.margins) if found is not None and len(found.margins) else None,
        "confusion": confusion(found.measured, model) if found else None,
        "pictures": weight_pictures(model),
        "weights": weight_lists(model),
        "warnings": warnings(model),
        "scaled": bool(getattr(model.features, "scale", False) and numeric_features(model)),
        "separated": separated(model),
        "again": again(model, found, wishes, origin),
        "limit": CLASSES,
    }


def training_facts(model: Classifier) -> list[tuple[str, str]]:
    """What was trained on what, a line each."""
    recipe, summary = model.recipe, model.summary
    _, names, _ = LEARNERS[recipe.learner]
    parameters = ", ".join(f"{name} {recipe.parameters[name]}" for name in names if name in recipe.parameters)
    rows, features = f"{summary['examples']:,} rows of {KINDS[model.kind]}", f"{summary['features']:,} features"
    dev = summary["dev_error"]
    views = [view for view in ("last", "averaged", "best") if dev and view in dev]
    held_out = ", ".join(f"{view} {percent(dev[view])}" for view in views)
    lines = [
        ("learner", named(recipe) + (f" ({parameters})" if parameters else "")),
        ("predicts", None if model.target is None else f"column {shown(model.target)}"),
        ("learned from", f"{rows}, {features}{'' if recipe.fit_intercept else ', no bias'}"),
        ("training", f"{summary['epochs']:,} epochs, {summary['updates']:,} updates; ended by: {summary['stopped_because']}"),
        ("order", f"{recipe.order}, seed {recipe.seed}"),
        ("classes weighted", None if recipe.class_weight is None else shown(recipe.class_weight)),
        ("weights that predict", model.view),
        ("training error", percent(summary["train_error"])),
        ("held-out error", held_out or None),
    ]
    return [(name, value) for name, value in lines if value is not None]


def named(recipe: Recipe) -> str:
    """The learner as people call it."""
    name = learner_name(recipe)
    return NAMES.get(name, name)


def columns(model: Classifier) -> list[tuple[str, str]]:
    """The columns of a table, and what each became."""
    if not isinstance(model.features, TableMap):
        return []
    made = []
    for column in model.features.columns:
        number, values = column.number, getattr(column.category, "values", None)
        parts = [f"number, mean {number.mean:.4g}, sd {number.sd:.4g}"] if number else []
        parts += [f"{len(values):,} values"] if values is not None else ["hashed values"] if column.category else []
        made.append((column.name, "; ".join(parts)))
    return made


def class_rows(model: Classifier, measured: Measured | None) -> list[dict[str, Any]]:
    """Each class: its rows in training, and with data its precision and recall; the most frequent where there are many."""
    total = int(model.class_counts.sum())
    made = []
    for code in most_frequent(model):
        row = {"label": model.classes.tolist()[code], "count": int(model.class_counts[code])}
        row["share"] = row["count"] / total
        if measured is not None:
            row |= {"precision": measured.precision[code], "recall": measured.recall[code]}
            row |= {"truths": int(measured.truths[code]), "predictions": int(measured.predictions[code])}
        made.append(row)
    return made


def most_frequent(model: Classifier) -> list[int]:
    """The classes that are shown, in their own order."""
    return sorted(np.argsort(-model.class_counts, kind="stable")[:CLASSES].tolist())


def rival_rows(found: Findings) -> list[dict[str, Any]]:
    """The comparison, with bars as long as the errors."""
    longest = max((row.error_mean for row in found.rivals), default=0) or 1.0
    return [
        {
            "learner": row.learner, "error": row.error_mean, "sd": row.error_sd, "own": row.learner == found.own,
            "bar": round(100 * row.error_mean / longest, 1), "differs": row.differs_from_best,
        }
        for row in found.rivals
    ]  # fmt: skip


def confusion(measured: Measured, model: Classifier) -> dict[str, Any]:
    """The matrix, cells shaded by their share of the row; with very many classes the commonest confusions."""
    labels, counts = model.classes.tolist(), measured.confusion
    if len(labels) <= CLASSES:
        share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        cells = [list(zip(row, np.round(part, 3).tolist(), strict=True)) for row, part in zip(counts.tolist(), share, strict=True)]  # fmt: skip
        return {"rows": list(zip(labels, cells, strict=True)), "commonest": []}
    wrong = counts - np.diag(np.diag(counts))
    places = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSIONS].tolist()
    pairs = [(*divmod(place, len(labels)), int(wrong.flat[place])) for place in places]
    return {"rows": [], "commonest": [(labels[a], labels[b], count) for a, b, count in pairs if count]}


def weight_lists(model: Classifier) -> list[dict[str, Any]]:
    """The weights that matter, class by class, with how often their features occur."""
    labels, chosen = model.classes.tolist(), most_frequent(model)
    by_class: dict[int, list[Weight]] = {code: [] for code in range(len(labels))}
    codes = {label: code for code, label in enumerate(labels)}
    for weight in weights(model, top=WEIGHTS):
        by_class[codes[weight.label]].append(weight)
    longest = max((abs(w.weight) for code in chosen for w in by_class[code]), default=0) or 1.0
    style = f".{min(12, max(0, 3 - math.floor(math.log10(longest))))}f"  # as many decimals as show four digits of the largest
    numbers, b = numeric_features(model), bias(model)
    return [
        {
            "label": labels[code],
            "bias": signed(b[str(labels[code])], ".4g") if isinstance(b, dict) else None,
            "weights": [
                {"feature": w.feature, "weight": signed(w.weight, style), "for": w.weight > 0, "bar": round(100 * abs(w.weight) / longest, 1),
                 "count": None if w.feature in numbers else w.count, "share": w.share}
                for w in by_class[code]
            ],
        }
        for code in chosen
    ]  # fmt: skip


def separated(model: Classifier) -> bool:
    """Did training end with an epoch without a mistake or an update? Then its last weights are the proof."""
    return model.summary["converged"] and len(model.history) > 0 and not (model.history[-1].mistakes or model.history[-1].updates)  # fmt: skip


def again(model: Classifier, found: Findings | None, wishes: Wishes, origin: Origin) -> dict[str, Any]:
    """The command and the Python that train the same model; `guessed` where the data are probably those of training."""
    same = found is not None and (found.familiar or (wishes.holdout is not None and not found.notes))
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
        "guessed": same,
        "dev": told.dev is not None,
        "command": reproduce.command(model.recipe, told),
        "python": reproduce.script(reproduce.differing(model.recipe), told, split),
    }
