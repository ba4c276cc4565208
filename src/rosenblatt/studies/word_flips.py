"""The one word that changes a decision when it is taken out of a text, or put in at its end.

What a word does to a text of unit length it does to all its words: each candidate is a text that is encoded anew, and
scored as `predict` would. Words to put in are as many as training had, so a formula chooses the few that are tried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.features import TableMap, TextMap
from rosenblatt.learning.classifier import Classifier
from rosenblatt.learning.scoring import Model
from rosenblatt.studies.flips import Flip, leads, score_columns

if TYPE_CHECKING:
    import polars as pl

WORDS_TRIED = 32  # of those to put in


def flip_of_words(model: Classifier, linear: Model, row: pl.DataFrame, scores: np.ndarray) -> Flip | None:
    """The word that flips the decision on a row with the least change of the score; `scores` has a column a class."""
    code = int(leads(linear, scores, 0)[1][0])
    labels, places = model.classes.tolist(), {name: place for place, name in enumerate(model.features.names)}
    flips: list[Flip] = []
    for column, texts in text_columns(model.features):
        words = texts.words_of(row[column][0] or "")
        prefix = "word" if isinstance(model.features, TextMap) else column
        coef = linear.coef[:, [places[f"{prefix}:{word}"] for word in texts.words]]
        added = words_to_put_in(texts, words, coef, (linear, scores, code))
        changed = [(word, [other for other in words if other != word]) for word in dict.fromkeys(words)]
        changed += [(word, [*words, word]) for word in added]
        if not changed:
            continue
        candidates = row[[0] * len(changed)].with_columns(column_of(column, [" ".join(text) for _, text in changed]))
        tried = score_columns(linear.scores(model.transform(candidates)[0]), linear.cut)
        gaps, winners = leads(linear, np.concatenate([scores, tried]), code)
        counts = Counter(words)
        flips += [
            Flip(
                feature=f"{prefix}:{word}",
                before=counts[word],
                after=0 if counts[word] else 1,
                change=float(gap - gaps[0]),
                prediction=labels[winner],
                is_word=True,
            )
            for (word, _), gap, winner in zip(changed, gaps[1:].tolist(), winners[1:].tolist(), strict=True)
            if winner != code
        ]
    return min(flips, key=lambda flip: abs(flip.change), default=None)


def text_columns(mapping: Any) -> Iterator[tuple[str, TextMap]]:
    """The columns of sentences, and how each becomes words."""
    if isinstance(mapping, TextMap):
        yield "text", mapping
    elif isinstance(mapping, TableMap) and mapping.texts:
        yield from mapping.texts.maps.items()


def words_to_put_in(
    texts: TextMap, words: list[str], coef: np.ndarray, decision: tuple[Model, np.ndarray, int]
) -> list[str]:
    """The words of training, not in this text, that flip the decision with the least change, best first.

    A text x of raw length N has the scores w·x + b. With a word of raw weight v more it has (N w·x + v w_j) / N' + b, where
    N'² = N² + v²; where words are counted, w·x + w_j + b.
    """
    if texts.hashing is not None:  # no word is remembered
        return []
    linear, scores, code = decision
    weights = coef.T if len(coef) > 1 else np.concatenate([np.zeros_like(coef), coef]).T  # a row a word, a column a class
    if texts.weighting == "counts":
        tried = scores + weights
    else:
        text = " ".join(words)
        own, length, new = texts.transform([text]) @ weights, texts.raw_length(text), texts.importance()[:, None]
        tried = scores - own + (length * own + new * weights) / np.sqrt(length**2 + new**2)
    gaps, winners = leads(linear, np.concatenate([scores, tried]), code)
    # A word makes runs with the one before it, of which the formula does not know: then those that come nearest are tried.
    order = np.argsort(np.abs(gaps[1:] - gaps[0]) if texts.ngrams == 1 else gaps[1:], kind="stable")
    order = order[winners[1:][order] != code] if texts.ngrams == 1 else order
    known = set(words)
    new_words = (word for j in order.tolist() if (word := texts.words[j]) not in known and " " not in word)
    return list(islice(new_words, WORDS_TRIED))


def column_of(name: str, texts: list[str]) -> pl.Series:
    import polars as pl

    return pl.Series(name, texts, dtype=pl.String)
