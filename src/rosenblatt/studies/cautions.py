"""What to look at before a measured number is believed: a column that gives the answer away, rows in both parts, and so on.

>>> import polars as pl
>>> table = pl.DataFrame({"closed": ["x", ""] * 50, "plan": ["a", "a", "b", "b"] * 25})
>>> giveaways(table, np.array(["yes", "no"] * 50))
{'closed': 1.0}
"""

from __future__ import annotations

from collections.abc import Iterable
from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.data import Dataset
from rosenblatt.data.coded import CodedTexts
from rosenblatt.data.columns.kinds import words_in
from rosenblatt.data.columns.reading import all_marks
from rosenblatt.data.columns.words import one_spelling
from rosenblatt.engine.rows import Rows
from rosenblatt.errors import counted, percent
from rosenblatt.features import TableMap
from rosenblatt.learning.examples import Examples, codes_among, labels_of
from rosenblatt.learning.holding_out import INSTEAD_OF_IDS
from rosenblatt.learning.learn import RepeatedRows
from rosenblatt.learning.scoring import error

if TYPE_CHECKING:
    import polars as pl

    from rosenblatt.data.coded import CodedTable
    from rosenblatt.learning.classifier import Classifier
    from rosenblatt.learning.measures import ScoredRows

LOOKED_AT = 20_000  # rows, spread over all
LEAST_ROWS = 30  # to say anything about a column
GIVES_AWAY = 0.99  # of the rows are told by one column alone
LEAST_RIGHT = 0.5  # of what always naming the largest class gets wrong, one column would have to get right
ROWS_A_VALUE = 5  # at least, on average: every ID tells its own row
REPEATED_SHARE = 0.01  # of the rows, beyond what chance explains
RARE = 0.01  # of the rows; of more than two classes, as much less as there are more
LEAST_CHANGES, SORTED_SHARE = 20, 0.1  # of label, expected by chance; a sorted file has less than this share of them
OF_ONE, LEAST_VALUES, MOST_ROWS_OF_ONE, SHARED = {"id", "ids", "uuid", "guid"}, 30, 100, 0.5  # see `about_shared_ids`
SHIFT_SE, SHIFT_POINTS = 4.0, 0.05  # by which the share of a class must differ between two parts


def cautions(model: Classifier, data: Dataset, examples: Examples, dev: Dataset | None, order: str) -> list[str]:
    """Sentences about training and held-out rows that make a measured error doubtful; each names what helps."""
    sentences = []
    if order == "given" and is_sorted(examples.codes):
        sentences.append("The rows are sorted by class and learned in that order: leave out --order given.")
    if data.kind == "table" and isinstance(model.features, TableMap):
        clean = model.features.clean(some_rows(data))
        columns = giveaways(clean.frame, some_of(examples.codes))
        shares = {clean.derived.get(name, name): right for name, right in columns.items()}  # a date once, not its parts
        for name, right in shares.items():
            sentences.append(
                f"{name} alone tells the class of {percent(right)} of the rows: if it is not known before the class is, "
                f"leave it out: --drop {quote(name)}."
            )
    if dev is not None:
        sentences += about_dev(model, data, dev)
    return sentences


def about_dev(model: Classifier, data: Dataset, dev: Dataset) -> list[str]:
    """Sentences about rows to measure on: do they repeat those of training, are classes as common, are all predicted?"""
    codes = codes_among(model.classes, labels_of(dev))
    sentences = about_repeated(rows_in_both(model, data, dev), len(dev)) + about_shared_ids(data, dev)
    return sentences + about_measured(model, model.transform(dev.rows)[0], codes[codes >= 0])


def about_repeated(repeated: RepeatedRows, measured: int) -> list[str]:
    """A sentence where more of the measured rows are rows of training than chance explains: in a table of few values, rows
    of training repeat each other as well.
    """
    spread = SHIFT_SE * (repeated.by_chance * (1 - repeated.by_chance) / measured) ** 0.5
    if repeated.rows / measured <= repeated.by_chance + spread + REPEATED_SHARE:
        return []
    are = "is" if repeated.rows == 1 else "are"
    return [
        f"{counted(repeated.rows, 'row')} to measure on {are} among the training rows, too: the measured error is too low."
    ]


def about_shared_ids(data: Dataset, dev: Dataset) -> list[str]:
    """Sentences about IDs of which most rows to measure on have one of training: of one patient, say, some visits are
    learned from and others measured on. What is called an ID and has few values, or hundreds of rows each, is a category.
    """
    if data.kind != "table":
        return []
    sentences = []
    for name in data.rows.columns:
        if not words_in(name) & OF_ONE or name not in dev.rows.columns:
            continue
        columns = (part.rows[name] for part in (data, dev))
        learned, measured = (one.to_polars() if isinstance(one, CodedTexts) else one for one in columns)
        values = learned.drop_nulls().unique()
        if len(values) < LEAST_VALUES or len(learned) > MOST_ROWS_OF_ONE * len(values) or values.dtype != measured.dtype:
            continue
        share = int(measured.is_in(values.to_list()).sum()) / max(1, len(measured))
        if share >= SHARED:
            sentences.append(
                f"{percent(share)} of the rows to measure on share {name} with rows of training: if rows with the same one "
                f"belong together, as a patient's do, the measured error is too low: --holdout with --group {quote(name)}."
            )
    return sentences


def about_measured(model: Classifier, rows: Rows, codes: np.ndarray) -> list[str]:
    """Of rows to measure on, and the codes of those whose class is known: are classes as common, are all predicted?"""
    assert model.class_counts is not None
    sentences, of_class = [], np.bincount(codes, minlength=len(model.classes))
    n, m = max(1, model.class_counts.sum()), max(1, len(codes))
    before, now = model.class_counts / n, of_class / m
    spread = np.sqrt(before * (1 - before) * (1 / n + 1 / m))
    shifted = np.flatnonzero(np.abs(now - before) > np.maximum(SHIFT_SE * spread, SHIFT_POINTS))
    if len(shifted):
        k = int(shifted[np.abs(now - before)[shifted].argmax()])
        shares = f"{percent(before[k])} of the rows of training and {percent(now[k])} of those to measure on"
        sentences.append(f"{model.classes[k]} is the class of {shares}: the two differ by more than chance.")
    scorer = model.model()
    predicted = np.bincount(scorer.decide(scorer.scores(rows)), minlength=len(model.classes))
    never = [
        str(label) for label, times, rows_of in zip(model.classes, predicted, of_class, strict=True) if rows_of > times == 0
    ]
    never = [name for name in never if name not in all_marks()]  # of which `about_missing_labels` says more
    if never:
        names = ", ".join(never[:5]) + (" …" if len(never) > 5 else "")
        sentences.append(f"{names} {'is' if len(never) == 1 else 'are'} never predicted: try --balanced.")
    return sentences


def about_all_classes(model: Classifier, names: list[str]) -> list[str]:
    """Sentences about the classes of a model: are some rare, of one row, spelled alike, called as missing values are?"""
    counts = () if model.class_counts is None else model.class_counts
    sentences = (
        about_rare_class(model),
        about_classes_of_one_row(counts),
        about_alike_classes(names),
        about_missing_labels(names),
    )
    return [sentence for sentence in sentences if sentence is not None]


def about_rare_class(model: Classifier) -> str | None:
    """What helps where a class is so rare that never predicting it costs almost nothing; None where none is, or it was
    done: weighted classes, or a threshold.
    """
    counts = model.class_counts
    if counts is None or model.recipe.class_weight is not None or model.threshold is not None:
        return None
    rarest, total = int(counts.argmin()), int(counts.sum())
    if counts[rarest] >= RARE * total * min(1.0, 2 / len(counts)):
        return None
    label = model.classes[rarest]
    share = f"{label} is the class of {percent(counts[rarest] / total)} of the rows ({counts[rarest]:,} of {total:,})"
    if len(counts) > 2:
        return f"{share}: never predicting it costs almost nothing. --balanced weights classes by how rare they are."
    return (
        f"{share}: never predicting it costs almost nothing, so the error says little. --balanced weights classes by how "
        "rare they are; --holdout 0.2 --threshold f1 (or cost:FP,FN, with what mistakes cost) chooses from which "
        f"probability on {model.classes[1]} is predicted."
    )


def about_classes_of_one_row(rows_of_classes: Iterable[int]) -> str | None:
    """What to do where more than half of the rows are alone in their class, as with IDs and names; None where not.

    >>> print(about_classes_of_one_row([1] * 40 + [2, 2]))
    40 of 44 rows are alone in their class, as with IDs and names: a class of one row is recognised in no other.
    Predict another column (--target) or, if these are quantities, numbers (--task numbers).
    """
    counts = np.fromiter(rows_of_classes, dtype=np.int64)
    alone, rows = int(np.count_nonzero(counts == 1)), int(counts.sum())
    if rows < LEAST_ROWS or 2 * alone <= rows:
        return None
    return (
        f"{alone:,} of {rows:,} rows are alone in their class, as with IDs and names: a class of one row is recognised in "
        f"no other. {INSTEAD_OF_IDS}"
    )


def about_alike_classes(classes: Iterable[object]) -> str | None:
    """What to do where classes differ in nothing but capitals and blanks; None where none do.

    >>> print(about_alike_classes(["No", "no", "yes"]))
    The classes No and no differ only in capitals, blanks or invisible signs, and count as two:
    if they are one, spell them alike in the file.
    """
    spelled: dict[str, list[str]] = {}
    for label in map(str, classes):
        spelled.setdefault(one_spelling(label), []).append(label)
    alike = next((labels for labels in spelled.values() if len(labels) > 1), None)
    if alike is None:
        return None
    number = {2: "two", 3: "three"}.get(len(alike), str(len(alike)))
    names = f"{', '.join(alike[:-1])} and {alike[-1]}"
    differ = "differ only in capitals, blanks or invisible signs"
    return f"The classes {names} {differ}, and count as {number}: if they are one, spell them alike in the file."


def about_missing_labels(classes: Iterable[object]) -> str | None:
    """What to do where a class is called as missing values are; None where none is.

    >>> about_missing_labels(["NULL", "no", "yes"])
    'The class NULL may mean that the label is missing: if it does, --missing=NULL --unlabelled skip leaves its rows out.'
    """
    marks = [label for label in map(str, classes) if label in all_marks()]
    if not marks:
        return None
    options = f"--missing={quote(marks[0])} --unlabelled skip"
    return f"The class {marks[0]} may mean that the label is missing: if it does, {options} leaves its rows out."


def number_giveaways(model: Classifier, data: Dataset) -> list[str]:
    """Sentences about columns each of which alone tells nearly all of a target that is a number."""
    from rosenblatt.learning.quantities import read_targets
    from rosenblatt.studies.number_facts import share_of

    if data.kind != "table" or not isinstance(model.features, TableMap):
        return []
    targets = read_targets(data)
    clean, y = model.features.clean(some_rows(targets.among(data))), some_of(targets.values)
    if len(y) < LEAST_ROWS:
        return []
    columns = (share_of(column, clean.roles.get(column.name, "category"), y) for column in clean.frame)
    shares = {clean.derived.get(one.column, one.column): one.share for one in columns if one.share >= GIVES_AWAY}
    return [
        f"{name} alone tells {percent(share)} of the variance of {model.target or 'the target'}: if it is not known before "
        f"that is, leave it out: --drop {quote(name)}."
        for name, share in shares.items()
    ]


def rows_of_training(model: Classifier, examples: Examples) -> str | None:
    """A warning where these seem to be the rows that the model has learned from: as many of each class, as many mistakes."""
    if model.class_counts is None or model.class_counts.tolist() != examples.class_counts().tolist():
        return None
    if error(model.model(), examples) != model.summary.train_error:
        return None
    return (
        "These seem to be the rows that the model has learned from: it is surer of them than of new ones, and so will its "
        "probabilities be. Take rows that it has not seen, or train it with --calibrate."
    )


def rows_of_calibration(model: Classifier, scored: ScoredRows) -> str | None:
    """A warning where the probabilities were fitted on these very rows: fitted again, the maps are the same."""
    fitted = model.calibration
    if fitted is None or fitted.rows != len(scored.codes):
        return None
    from rosenblatt.learning.calibration import Calibration

    again = Calibration.fit(scored.scores, scored.codes, model.classes, fitted.view, fitted.source)
    if again.method != fitted.method:
        return None
    now, before = again.to_arrays()[1], fitted.to_arrays()[1]
    if not all(np.array_equal(now[name], before[name]) for name in before):
        return None
    return (
        "The probabilities were fitted on these rows: log loss, Brier score and calibration error come out too low. "
        "Measure on other rows."
    )


def label_changes(codes: np.ndarray) -> tuple[int, float]:
    """How often the class differs from that of the row before, and how often it would in a shuffled file: n − Σ n_k²/n.

    >>> label_changes(np.array([0, 0, 1, 1]))
    (1, 2.0)
    """
    counts = np.bincount(codes)
    return int(np.count_nonzero(np.diff(codes))), float(len(codes) - (counts.astype(float) ** 2).sum() / len(codes))


def is_sorted(codes: np.ndarray) -> bool:
    """Do far fewer neighbours differ in their class than if the rows were shuffled?"""
    changes, expected = label_changes(codes)
    return expected > LEAST_CHANGES and changes < SORTED_SHARE * expected


def some_rows(data: Dataset) -> Any:
    """At most so many rows, spread over all."""
    step = max(1, len(data) // LOOKED_AT)
    return data.rows if step == 1 else data.rows[np.arange(0, len(data), step)]


def some_of(codes: np.ndarray) -> np.ndarray:
    """The classes of the same rows."""
    return codes[:: max(1, len(codes) // LOOKED_AT)]


def giveaways(frame: pl.DataFrame | CodedTable, classes: np.ndarray) -> dict[str, float]:
    """Columns each of which alone tells the class of nearly all rows, with the share that it tells.

    A column of values tells the commonest class of each value; one of many numbers, the side of its best threshold.
    """
    codes = np.unique(classes, return_inverse=True)[1]
    majority = np.bincount(codes).max() / len(codes)
    least = max(GIVES_AWAY, majority + LEAST_RIGHT * (1 - majority))
    if len(codes) < LEAST_ROWS:
        return {}
    shares = {name: told_by(frame[name], codes) for name in frame.columns}
    return {name: share for name, share in shares.items() if share >= least}


def told_by(column: Any, codes: np.ndarray) -> float:
    """The share of the rows whose class one column tells."""
    if isinstance(column, CodedTexts) and ROWS_A_VALUE * len(column.texts) <= len(codes):
        ranks = column.codes.astype(np.int64)
    else:
        column = column.to_polars() if isinstance(column, CodedTexts) else column
        ranks = column.rank("dense").fill_null(0).to_numpy().astype(np.int64)
    classes = int(codes.max()) + 1
    if ROWS_A_VALUE * (len(np.unique(ranks))) <= len(codes):
        table = np.bincount(ranks * classes + codes, minlength=(int(ranks.max()) + 1) * classes).reshape(-1, classes)
        return float(table.max(axis=1).sum() / len(codes))
    if not column.dtype.is_numeric():
        return 0.0
    # One threshold: classes before it against classes behind it.
    in_order = codes[np.argsort(ranks, kind="stable")]
    below = np.cumsum(in_order[:, None] == np.arange(classes), axis=0)
    return float((below.max(axis=1) + (below[-1] - below).max(axis=1)).max() / len(codes))


def rows_in_both(model: Classifier, data: Dataset, dev: Dataset) -> RepeatedRows:
    """How many rows to measure on are, in all columns that are used and in the class, rows of training."""
    if data.kind != "table" or not isinstance(model.features, TableMap):
        return RepeatedRows(0, 0.0)
    import polars as pl

    def keys(part: Dataset) -> pl.Series:
        clean = model.features.clean(part.rows)  # type: ignore[attr-defined]
        frame = clean.frame if isinstance(clean.frame, pl.DataFrame) else clean.frame.to_polars()
        texts = [one.cast(pl.String) for one in (*frame, *clean.texts.values())]
        labels = pl.Series(codes_among(model.classes, labels_of(part))).cast(pl.String)
        return pl.DataFrame({str(j): one for j, one in enumerate([*texts, labels])}).hash_rows()

    learned, measured = keys(data), keys(dev)
    repeated = int(measured.is_in(learned.unique().to_list()).sum())
    return RepeatedRows(repeated, float(learned.is_duplicated().mean() or 0.0))  # type: ignore[arg-type]
