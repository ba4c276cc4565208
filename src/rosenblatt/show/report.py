"""A model in one HTML file to send to a colleague: no script, nothing loaded from elsewhere, good on paper too.

>>> from rosenblatt.learning.classifier import learn
>>> from rosenblatt.data import open_known
>>> page = report(learn(open_known("iris")))
>>> "<script" in page, "setosa" in page
(False, True)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rosenblatt import __version__
from rosenblatt.data import Dataset
from rosenblatt.data.markup import shown
from rosenblatt.errors import SettingError
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.learners import LEARNERS, label_of
from rosenblatt.show import reproduce, tables
from rosenblatt.show.assessment import Announce, Assessment, ReportOptions, assess
from rosenblatt.show.pixels import weight_pictures
from rosenblatt.show.tables import percent, signed
from rosenblatt.studies.compare import judge_differences
from rosenblatt.studies.explain import numeric_features, warnings

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

DATA_NAMES = {"table": "a table", "text": "texts", "sparse": "sparse rows", "images": "images"}


@dataclass(frozen=True)
class ReportSource:
    """What the model does not know about itself: its file, the file's digest, and the command that makes the report."""

    name: str = "model"
    sha256: str | None = None
    command: str | None = None
    read: dict[str, Any] = field(default_factory=dict)  # keywords of `rosenblatt.read` for the data


@dataclass(frozen=True)
class Retraining:
    """The command and the Python that train the same model."""

    known: bool  # are the data recognised as those of training?
    exact: bool  # else an estimator wrote the file, and read its rows in its own way
    dev: bool
    command: str | None
    python: str


@dataclass(frozen=True)
class ReportContents:
    """All that the page shows; the template knows these names."""

    style: str
    version: str
    source: ReportSource
    options: ReportOptions
    model: Classifier
    learner: str
    facts: list[tuple[str, str]]
    columns: list[tables.ColumnUse]
    classes: list[tables.ClassRow]
    most_frequent: Any
    majority: float | None
    epochs: Markup | None
    pictures: list[tuple[str, str]]
    weights: list[tables.ClassWeights]
    warnings: list[str]
    scaled: bool
    separated: bool
    retraining: Retraining
    limit: int
    # With data:
    assessment: Assessment | None = None
    rivals: list[tables.LearnerRow] = field(default_factory=list)
    differences: str = ""
    margins: Markup | None = None
    confusion: tables.ConfusionTable | None = None


def report(
    model: Classifier,
    data: Dataset | None = None,
    options: ReportOptions | None = None,
    source: ReportSource | None = None,
    announce: Announce | None = None,
) -> str:
    """The page about a model and, with labelled data, about how it does on them."""
    template = page_template()  # refuses before anything is computed
    options, source, announce = options or ReportOptions(), source or ReportSource(), announce or (lambda sentence: None)
    assessment = None if data is None else assess(model, data, options, announce)
    announce("drawing")
    return template.render(vars(contents(model, assessment, options, source)))


@cache
def page_template() -> jinja2.Template:
    """The page, in which every value is escaped, and characters that would act are made visible."""
    try:
        import jinja2
        import matplotlib  # noqa: F401
        from markupsafe import Markup
    except ImportError:
        raise SettingError("A report needs jinja2 and matplotlib: pip install 'rosenblatt[show]'.") from None

    def visible(value: Any) -> Any:
        return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value, longest=10_000)

    page = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=visible, trim_blocks=True, lstrip_blocks=True
    )

    def breakable(value: Any, longest: int) -> Markup:
        """Shown and escaped; a line may end after the signs of which names are made, before any word is broken."""
        return Markup("<wbr>").join(re.split(r"(?<=[=_/-])", shown(value, longest)))

    page.filters.update(
        shown=shown, breakable=breakable, percent=percent, counted=lambda n: f"{n:,}", signed=signed, bare=Markup
    )
    return page.from_string(files("rosenblatt.show").joinpath("report.html.jinja").read_text("utf-8"))


def contents(
    model: Classifier, assessment: Assessment | None, options: ReportOptions, source: ReportSource
) -> ReportContents:
    """All that the page shows."""
    from rosenblatt.show import figures

    counts = model.class_counts
    page = ReportContents(
        style=files("rosenblatt.show").joinpath("report.css").read_text("utf-8"),
        version=__version__,
        source=source,
        options=options,
        model=model,
        learner=label_of(model.recipe.compared_name),
        facts=training_facts(model),
        columns=tables.column_uses(model),
        classes=tables.class_rows(model, assessment.measures if assessment else None),
        most_frequent=None if counts is None else model.classes.tolist()[int(counts.argmax())],
        majority=None if counts is None else 1 - int(counts.max()) / int(counts.sum()),
        epochs=figures.epochs_figure(model.history, model.recipe.averages) if len(model.history) else None,
        pictures=weight_pictures(model),
        weights=tables.class_weights(model),
        warnings=warnings(model),
        scaled=bool(getattr(model.features, "scale", False) and numeric_features(model)),
        separated=ended_separating(model),
        retraining=retraining(model, assessment, options, source),
        limit=tables.SHOWN_CLASSES,
    )
    if assessment is None:
        return page
    return replace(
        page,
        assessment=assessment,
        rivals=tables.learner_rows(assessment),
        differences=judge_differences(assessment.rivals),
        margins=figures.margins_figure(assessment.margins) if len(assessment.margins) else None,
        confusion=tables.confusion_table(assessment.measures, model),
    )


def training_facts(model: Classifier) -> list[tuple[str, str]]:
    """What was trained on what, a line each."""
    recipe, summary = model.recipe, model.summary
    parameters = ", ".join(
        f"{name} {recipe.parameters[name]}" for name in LEARNERS[recipe.learner].parameters if name in recipe.parameters
    )
    known_rows = "" if summary.examples is None else f"{summary.examples:,} rows of "
    rows, features = f"{known_rows}{DATA_NAMES[model.kind]}", f"{summary.features:,} features"
    passes = f"{summary.epochs:,} epochs, {summary.updates:,} updates"
    ended = "" if summary.stopped_because is None else f"; ended by: {summary.stopped_because}"
    error, dev = summary.train_error, summary.dev_error or {}
    views = [view for view in ("last", "averaged", "best", "voted") if view in dev]
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


def ended_separating(model: Classifier) -> bool:
    """Did training end with an epoch without a mistake or an update? Then its last weights are the proof."""
    if not model.summary.converged or not len(model.history):
        return False
    return model.history[-1].mistakes == model.history[-1].updates == 0


def retraining(model: Classifier, assessment: Assessment | None, options: ReportOptions, source: ReportSource) -> Retraining:
    """How to train the same model: on the data of the report where they are recognised as those of training."""
    known = assessment is not None and assessment.recognised
    trained_on = reproduce.TrainingSource(
        file=assessment.name if assessment and known else "FILE",
        target=model.target,
        dev="DEV-FILE" if model.summary.dev_error and not (known and options.holdout) else None,
        holdout=options.holdout if known else None,
        read=source.read if known else {},
        output=source.name,
    )
    return Retraining(
        known,
        exact=model.counts is not None,
        dev=trained_on.dev is not None,
        command=reproduce.command(model.recipe, trained_on),
        python=reproduce.script(reproduce.chosen_settings(model.recipe), trained_on, {"seed": model.recipe.seed}),
    )
