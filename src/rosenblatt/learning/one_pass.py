"""A stream that can be read only once: its first part decides what the features are.

It is training on that part, one epoch in its order, and then an update with each of the others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rosenblatt.data.dataset import Dataset, told_once
from rosenblatt.errors import SettingError
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.examples import labels_of
from rosenblatt.learning.learn import learn_classes
from rosenblatt.learning.learners import Recipe
from rosenblatt.learning.updating import Update, UpdateReport


@dataclass(frozen=True)
class OnePass:
    """What came of it."""

    classifier: Classifier
    first: int  # rows of the first part
    report: UpdateReport  # about all rows
    notes: tuple[str, ...]


def learn_once(parts: Iterable[Dataset], recipe: Recipe) -> OnePass:
    """Learns from each row once, in the order in which it comes, in memory that does not grow."""
    refuse_no_pass(recipe)
    coming = iter(parts)
    first = next(coming)
    if first.kind not in ("table", "text") or recipe.map_options(first.kind).get("hashing") is None:
        raise SettingError(
            f"{first.name}: values and words that come later have no feature yet in one pass, unless they are hashed: "
            "--hash BITS, say 20, of tables and texts."
        )
    if recipe.learns_numbers(labels_of(first)):
        raise SettingError(f"The target of {first.name} is a quantity, and one pass learns classes: --task classes.")
    learned = learn_classes(first, replace(recipe, epochs=1, order="given", regression=False))
    model, going_on = learned.classifier, Update(learned.classifier)
    notes = told_once([*first.notes, *learned.notes])
    for data in coming:
        going_on.learn(data.rows, data.labels)
        notes = told_once([*notes, *data.notes])
    report = going_on.report if not going_on.report.rows else going_on.finish()
    report.rows += len(first)
    report.mistakes += sum(epoch.mistakes for epoch in learned.training.history)
    report.updates += learned.training.updates
    return OnePass(model, len(first), report, notes)


def refuse_no_pass(recipe: Recipe) -> None:
    """Refuses learners that an update cannot go on with, before anything is read."""
    if recipe.with_kernel or recipe.votes or recipe.keep_log:
        raise SettingError(
            "Rows that come once are learned from as in `update`, which kernels, votes and a log cannot: train another "
            "learner, or name a file."
        )
