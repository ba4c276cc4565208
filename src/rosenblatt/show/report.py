"""A model in one HTML file to send to a colleague: no script, nothing loaded from elsewhere, good on paper too.

>>> from rosenblatt.learning.learn import learn
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
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt import __version__
from rosenblatt.data import Dataset
from rosenblatt.data.markup import shown
from rosenblatt.errors import amount, counted, needs_parts
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.learner_names import label_of
from rosenblatt.learning.learners import ALL_LEARNERS
from rosenblatt.learning.measures import METRICS, measure_all
from rosenblatt.show import reproduce, tables
from rosenblatt.show.assessment import Announce, Assessment, ReportOptions, assess
from rosenblatt.show.pixels import weight_pictures
from rosenblatt.show.tables import percent, signed
from rosenblatt.studies.cautions import rows_of_calibration
from rosenblatt.studies.compare import judge_differences
from rosenblatt.studies.explain import numeric_features, warnings

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

    from rosenblatt.show.number_report import NumberAssessment

DATA_NAMES = {"table": "a table", "text": "texts", "sparse": "sparse rows", "images": "images"}


@dataclass(frozen=True)
class ReportSource:
    """What the model does not know about itself: its file, the file's digest, and the command that makes the report."""

    name: str = "model"
    sha256: str | None = None
    command: str | None = None
    read: dict[str, object] = field(default_factory=dict)  # keywords of `rosenblatt.read` for the data


def report(
    model: Classifier,
    data: Dataset | None = None,
    options: ReportOptions | None = None,
    source: ReportSource | None = None,
    announce: Announce | None = None,
) -> str:
    """The page about a model and, with labelled data, about how it does on them."""
    template = page_template(numbers=model.predicts_numbers)  # refuses before anything is computed
    options, source, announce = options or ReportOptions(), source or ReportSource(), announce or (lambda sentence: None)
    if model.predicts_numbers:
        from rosenblatt.show.number_report import assess_numbers, render_numbers

        measured = None if data is None else assess_numbers(model, data, options, announce)
        return render_numbers(template, model, measured, options, source)
    assessment = None if data is None else assess(model, data, options, announce)
    announce("drawing")
    return render(template, model, assessment, options, source)


@cache
def page_template(numbers: bool = False) -> jinja2.Template:
    """The page about classes, or numbers: every value is escaped, and characters that would act are made visible."""
    with needs_parts("A report"):
        import jinja2
        import matplotlib  # noqa: F401
        from markupsafe import Markup

    def visible(value: object) -> object:
        return value if isinstance(value, Markup) or not isinstance(value, str) else shown(value, longest=10_000)

    page = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, finalize=visible, trim_blocks=True, lstrip_blocks=True
    )

    def breakable(value: object, longest: int) -> Markup:
        """Shown and escaped; a line may end after the signs of which names are made, before any word is broken."""
        return Markup("<wbr>").join(re.split(r"(?<=[=_/-])", shown(value, longest)))

    page.filters.update(
        shown=shown,
        breakable=breakable,
        percent=percent,
        counted=lambda n: f"{n:,}",
        signed=signed,
        bare=Markup,
        amount=signed_amount,
    )
    name = "number_report.html.jinja" if numbers else "report.html.jinja"
    return page.from_string(files("rosenblatt.show").joinpath(name).read_text("utf-8"))


def beginning_of_page(model: Classifier, options: ReportOptions, source: ReportSource) -> dict[str, Any]:
    """What the templates of every page name: how it looks, and what was trained on what."""
    return {
        "style": files("rosenblatt.show").joinpath("report.css").read_text("utf-8"),
        "version": __version__,
        "source": source,
        "options": options,
        "model": model,
        "learner": label_of(reproduce.recipe_of(model).compared_name),
        "facts": training_facts(model),
        "columns": tables.column_uses(model),
    }


def render(
    template: jinja2.Template, model: Classifier, assessment: Assessment | None, options: ReportOptions, source: ReportSource
) -> str:
    """The page: the template knows the names given here."""
    from rosenblatt.show import figures

    counts = model.class_counts
    margins = np.empty(0) if assessment is None else assessment.margins
    known = assessment is not None and assessment.recognised
    trained_on = training_source(model, assessment, options, source)
    recipe = reproduce.recipe_of(model)
    return template.render(
        **beginning_of_page(model, options, source),
        classes=tables.shown_classes(model),
        most_frequent=None if counts is None else model.classes.tolist()[int(counts.argmax())],
        majority=None if counts is None else 1 - int(counts.max()) / int(counts.sum()),
        epochs=figures.epochs_figure(model.history, model.recipe.averages) if len(model.history) else None,
        pictures=weight_pictures(model),
        weights=tables.weight_lists(model),
        warnings=warnings(model),
        scaled=bool(getattr(model.features, "scale", False) and numeric_features(model)),
        separated=ended_separating(model),
        known=known,
        trained_on=trained_on,
        command=reproduce.command(recipe, trained_on),
        python=reproduce.script(reproduce.chosen_settings(recipe), trained_on, {"seed": recipe.seed}),
        limit=tables.SHOWN_CLASSES,
        assessment=assessment,
        differences="" if assessment is None else judge_differences(assessment.rivals),
        margins=figures.margins_figure(margins) if len(margins) else None,
        deciding={} if assessment is None else figures.deciding_figures(assessment.scored, model.classes, model.threshold),
        every_measure=[] if assessment is None else named_measures(assessment),
        fitted_here=None if assessment is None else rows_of_calibration(model, assessment.scored),
        confusion=None if assessment is None else tables.confusion_table(assessment.measures, model),
    )


def training_facts(model: Classifier) -> list[tuple[str, str]]:
    """What was trained on what, a line each."""
    recipe, summary = model.recipe, model.summary
    parameters = ", ".join(
        f"{name} {recipe.parameters[name]}"
        for name in ALL_LEARNERS[recipe.learner].every_parameter
        if name in recipe.parameters
    )
    known_rows = "" if summary.examples is None else f"{counted(summary.examples, 'row')} of "
    rows = f"{known_rows}{DATA_NAMES[model.kind]}"
    features = counted(model.features.n_features, "feature")
    counts = {"epoch": summary.epochs, "update": summary.updates}
    passes = ", ".join(counted(count, what) for what, count in counts.items() if count is not None)
    ended = None if summary.stopped_because is None else f"ended by: {summary.stopped_because}"
    error, dev = summary.train_error, summary.dev_error or {}
    fitted, threshold = model.calibration, model.threshold
    views = [view for view in ("last", "averaged", "best", "voted") if view in dev]
    written = signed_amount if model.predicts_numbers else percent
    kind = "mean squared error" if model.predicts_numbers else "error"
    held_out = ", ".join(f"{view} {written(dev[view])}" for view in views)
    lines = [
        ("learner", label_of(recipe.compared_name) + (f" ({parameters})" if parameters else "")),
        ("predicts", None if model.target is None else f"column {shown(model.target)}"),
        ("learned from", f"{rows}, {features}{'' if recipe.fit_intercept else ', no bias'}"),
        ("training", "; ".join(filter(None, [passes, ended])) or None),
        ("order", f"{recipe.order}, seed {recipe.seed}"),
        ("classes weighted", None if recipe.class_weight is None else shown(recipe.class_weight)),
        ("weights that predict", model.view),
        (f"training {kind}", "not known: the model was saved by an estimator" if error is None else written(error)),
        (f"held-out {kind}", held_out or None),
        ("probabilities", None if fitted is None else f"by {fitted.how}, fitted on {fitted.rows:,} {fitted.source}"),
        ("threshold", None if threshold is None else f"{threshold.probability:.4g}, {threshold.chosen}"),
    ]
    return [(name, value) for name, value in lines if value is not None]


def signed_amount(value: float) -> str:
    """A number in the units of a target, with a minus that is as wide as a plus."""
    return amount(value).replace("-", "−")


def named_measures(assessment: Assessment) -> list[tuple[str, str]]:
    """The measures beside the error, by name."""
    every = measure_all(assessment.scored)
    known = ((metric.label, every.get(metric.key)) for metric in METRICS.values() if metric.name != "error")
    return [(label, f"{value:.4f}") for label, value in known if value is not None]


def ended_separating(model: Classifier) -> bool:
    """Did training end with an epoch without a mistake or an update? Then its last weights are the proof."""
    if not model.summary.converged or not len(model.history):
        return False
    return model.history[-1].mistakes == model.history[-1].updates == 0


def training_source(
    model: Classifier, assessment: Assessment | NumberAssessment | None, options: ReportOptions, source: ReportSource
) -> reproduce.TrainingSource:
    """What the model was trained on: the data of the report where they are recognised as those of training."""
    known = assessment is not None and assessment.recognised
    return reproduce.TrainingSource(
        file=assessment.name if assessment and known else "FILE",
        target=model.target,
        dev="DEV-FILE" if model.summary.dev_error and not (known and options.holdout) else None,
        holdout=options.holdout if known else None,
        read=source.read if known else {},
        output=source.name,
    )
