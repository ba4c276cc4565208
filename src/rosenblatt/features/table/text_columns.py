"""Columns of sentences beside others: each word of each is a feature of its own, `comment:refund`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rosenblatt.engine.rows import OneHot, Rows
from rosenblatt.features.text import TextMap

if TYPE_CHECKING:
    import polars as pl


class TextColumns:
    """A map of words for each column of sentences, whose features come behind those of the other columns.

    >>> import numpy as np, polars as pl
    >>> comments = {"comment": pl.Series(["please cancel", None])}
    >>> words = TextColumns().fit(comments)
    >>> words.names
    ['comment:cancel', 'comment:please']
    >>> words.beside(np.array([[7.0], [8.0]], dtype=np.float32), comments)[0].toarray()
    array([[7., 1., 1.],
           [8., 0., 0.]], dtype=float32)
    """

    def __init__(self, ngrams: int = 1, hashing: int | None = None, weighting: str = "counts"):
        self.ngrams, self.hashing, self.weighting = ngrams, hashing, weighting
        self.maps: dict[str, TextMap] = {}

    def fit(self, columns: Mapping[str, pl.Series]) -> TextColumns:
        self.maps = {
            name: TextMap(self.ngrams, hashing=self.hashing, weighting=self.weighting).fit(texts.fill_null(""))
            for name, texts in columns.items()
        }
        return self

    def beside(self, rows: Any, columns: Mapping[str, pl.Series]) -> tuple[Any, dict[str, int]]:
        """Rows of other features with those of the words behind them, and how many words were never seen, by column."""
        import scipy.sparse as sp

        if isinstance(rows, OneHot):
            rows = Rows(rows).matrix()
        dtype, parts, unseen = rows.dtype, [sp.csr_matrix(rows)], {}
        for name, words in self.maps.items():
            parts.append(words.transform(columns[name]).astype(dtype))
            unseen[name] = words.notes.unseen.get("text", 0)
        return sp.hstack(parts, format="csr", dtype=dtype), unseen

    @property
    def n_features(self) -> int:
        return sum(words.n_features for words in self.maps.values())

    @property
    def names(self) -> list[str]:
        return [feature for name in self.maps for feature in self.names_of(name)]

    def names_of(self, column: str) -> list[str]:
        """The features of one column."""
        return [f"{column}:{word.removeprefix('word:')}" for word in self.maps[column].names]

    def to_json(self) -> list[dict[str, Any]]:
        return [{"name": name, "words": words.to_json()} for name, words in self.maps.items()]

    def read_json(self, saved: list[dict[str, Any]]) -> None:
        self.maps = {one["name"]: TextMap.from_json(one["words"]) for one in saved}
