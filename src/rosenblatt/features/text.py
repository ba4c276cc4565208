"""Texts as vectors: a word is a one-hot vector, a text is the sum of its words (LECTURES O8)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rosenblatt.engine.parameters import Choice, Whole, check
from rosenblatt.errors import DataError, SettingError, needs_parts
from rosenblatt.features.hashing import BITS, buckets, collisions
from rosenblatt.features.notes import Notes
from rosenblatt.features.numbers import with_unit_rows

if TYPE_CHECKING:
    import polars as pl
    import scipy.sparse as sp

# Letters with their accents and digits, of any script; apostrophes only inside, so that 'free' in quotes is free.
WORD = r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}\p{N}]+)*"

TEXTS_AT_ONCE = 2**14  # cut into words
COUNTS_AT_ONCE = 64  # tables of counted words, before they are added up
WEIGHTINGS = ("counts", "unit", "idf")
NGRAMS = Whole(1, 32)  # longer runs of a long text would take more memory than there is


class TextMap:
    """How often each word occurs.

    A word is a run of letters and digits, with apostrophes inside it: "Don't panic, it's 9am" is don't, panic, it's, 9am.

    ngrams     also every run of up to so many neighbouring words
    lowercase  Free, FREE and free are one word
    min_count  words that occur less often in all of training are left out
    counts     False: 1 for every word that occurs, however often
    weighting  counts: how often each word occurs. unit: 1 + log of that, and every text divided by its length as a vector,
               so that long texts do not count for more. idf: the same, each word first times 1 + log((1 + n) / (1 + k)),
               k of n texts of training having it, so that words that stand everywhere count for less
    hashing    number of bits: words go to one of 2^bits places by their hash and no vocabulary is kept; `collisions`
               counts how many words shared a place in training

    >>> texts = TextMap().fit(["free entry, FREE!", "call me"])
    >>> texts.names
    ['word:call', 'word:entry', 'word:free', 'word:me']
    >>> texts.transform(["Free free free", "call for entry"]).toarray()
    array([[0., 0., 3., 0.],
           [1., 1., 0., 0.]], dtype=float32)
    >>> texts.notes.unseen
    {'text': 1}
    """

    def __init__(
        self,
        ngrams: int = 1,
        lowercase: bool = True,
        min_count: int = 1,
        counts: bool = True,
        hashing: int | None = None,
        weighting: str = "counts",
    ):
        check("ngrams", ngrams, NGRAMS)
        check("min_count", min_count, Whole(1))
        check("hashing", hashing, BITS)
        check("weighting", weighting, Choice(WEIGHTINGS))
        if hashing is not None and weighting == "idf":
            raise SettingError("weighting='idf' counts the texts of every word, and hashing keeps no words: choose 'unit'.")
        if hashing is not None and min_count > 1:
            raise SettingError("min_count needs a vocabulary, and hashing keeps none: choose one of the two.")
        self.ngrams, self.lowercase, self.min_count, self.hashing = int(ngrams), bool(lowercase), int(min_count), hashing
        self.counts, self.weighting = bool(counts), weighting
        self.words: list[str] = []
        self.texts = 0  # of training
        self.texts_with: list[int] = []  # of training, by word
        self.collisions = 0
        self.notes = Notes()
        self._fitted = hashing is not None  # hashing has nothing to learn
        self._vocabulary: tuple[pl.Series, pl.Series] | None = None

    def fit(self, rows: Any, texts_at_once: int = TEXTS_AT_ONCE) -> TextMap:
        return self.fit_parts([rows], texts_at_once)

    @needs_parts("Cutting texts into words")
    def fit_parts(self, parts: Iterable[Any], texts_at_once: int = TEXTS_AT_ONCE) -> TextMap:
        """Learns from rows that come in parts, in memory that grows with the vocabulary only."""
        import polars as pl

        counting = [pl.len().alias("count")]
        if self.weighting == "idf":
            counting.append(pl.col("text").n_unique().alias("texts"))
        counted: list[pl.DataFrame] = []
        texts = 0
        for rows in parts:
            part = _texts(rows)
            texts += len(part)
            for _, words, owners in self._slices(part, texts_at_once):
                counted.append(pl.DataFrame([words, pl.Series("text", owners)]).group_by("word").agg(counting))
                if len(counted) == COUNTS_AT_ONCE:
                    counted = [pl.concat(counted).group_by("word").agg(pl.all().sum())]
        if not counted:
            raise DataError("There are no texts to learn from.")
        total = pl.concat(counted).group_by("word").agg(pl.all().sum())
        if self.hashing is not None:
            self.collisions = collisions(set(total["word"]), self.hashing)
        else:
            vocabulary = total.filter(pl.col("count") >= self.min_count).sort("word")
            self.words = vocabulary["word"].to_list()
            if self.weighting == "idf":
                self.texts, self.texts_with = texts, vocabulary["texts"].to_list()
        if not len(total):
            raise DataError(f"There is not one word in these {texts:,} texts.")
        self._fitted, self._vocabulary = True, None
        return self

    @needs_parts("Cutting texts into words")
    def transform(self, rows: Any, texts_at_once: int = TEXTS_AT_ONCE) -> Any:
        """CSR, float32, a row a text."""
        if not self._fitted:
            raise DataError("This feature map has seen no texts yet: fit it first.")
        import scipy.sparse as sp

        texts = _texts(rows)
        matrices, unseen = [], 0
        for X, new in self._counted(texts, texts_at_once):
            unseen += new
            matrices.append(X if self.weighting == "counts" else with_unit_rows(self._raw(X)).astype(np.float32))
        self.notes = Notes(rows=len(texts), unseen={"text": unseen} if unseen else {})
        if len(matrices) == 1:
            return matrices[0]
        return sp.vstack(matrices, format="csr") if matrices else sp.csr_matrix((0, self.n_features), dtype=np.float32)

    def _counted(self, texts: pl.Series, texts_at_once: int) -> Iterator[tuple[sp.csr_matrix, int]]:
        """Some texts at a time: how often each word occurs, and how many words were never seen."""
        import scipy.sparse as sp

        for count, words, owners in self._slices(texts, texts_at_once):
            places = self._places(words)
            seen = places >= 0
            X = sp.coo_matrix(
                (np.ones(np.count_nonzero(seen), dtype=np.float32), (owners[seen], places[seen])),
                shape=(count, self.n_features),
            ).tocsr()  # which adds up what is there twice
            if not self.counts:
                X.data[:] = 1
            yield X, len(places) - int(np.count_nonzero(seen))

    def _raw(self, counts: sp.csr_matrix) -> sp.csr_matrix:
        """Counts as weights, before rows are divided by their lengths."""
        X = counts.astype(np.float64)
        X.data = 1.0 + np.log(X.data)
        if self.weighting == "idf":
            X.data *= self.importance()[X.indices]
        return X

    def importance(self) -> np.ndarray:
        """What every word counts for, beside how often it occurs: 1, or its idf."""
        if self.weighting != "idf":
            return np.ones(self.n_features)
        idf: np.ndarray = 1.0 + np.log((1.0 + self.texts) / (1.0 + np.array(self.texts_with, dtype=np.float64)))
        return idf

    def raw_length(self, text: str) -> float:
        """What a text is divided by to have unit length."""
        ((counts, _),) = self._counted(_texts([text]), 1)
        return float(np.sqrt((self._raw(counts).data ** 2).sum()))

    @needs_parts("Cutting texts into words")
    def words_of(self, text: str) -> list[str]:
        """The words of a text, one after the other.

        >>> TextMap().words_of("Don't panic, it's 9am")
        ["don't", 'panic', "it's", '9am']
        """
        words: list[str] = self._split(_texts([text]))[0].to_list()
        return words

    def _split(self, texts: pl.Series) -> pl.Series:
        """A list of words a text."""
        return (texts.str.to_lowercase() if self.lowercase else texts).str.extract_all(WORD)

    def _slices(self, texts: pl.Series, step: int) -> Iterator[tuple[int, pl.Series, np.ndarray]]:
        """Some texts at a time: how many, all their words and n-grams, and which text each belongs to."""
        import polars as pl

        for start in range(0, len(texts), step):
            part = texts[start : start + step]
            lists = self._split(part)
            words = lists.explode().drop_nulls().alias("word")  # a text without words explodes to null
            owners = np.repeat(np.arange(len(part), dtype=np.int32), lists.list.len().to_numpy())
            run, runs, text_of = words, [words], [owners]
            for n in range(2, min(self.ngrams, len(owners)) + 1):
                first, last = owners[: len(owners) - n + 1], owners[n - 1 :]
                run = (run[: len(last)] + " " + words[n - 1 :]).alias("word")
                runs.append(run.filter(pl.Series(first == last)))  # both ends in one text
                text_of.append(first[first == last])
            yield len(part), pl.concat(runs), np.concatenate(text_of)

    def _places(self, words: pl.Series) -> np.ndarray:
        """The feature of each word, −1 if it has none."""
        import polars as pl

        if self.hashing is not None:
            distinct = words.unique()
            vocabulary = distinct, pl.Series(buckets(distinct, self.hashing), dtype=pl.Int32)
        else:
            if self._vocabulary is None:
                places = pl.Series(np.arange(len(self.words), dtype=np.int32))
                self._vocabulary = pl.Series(self.words, dtype=pl.String), places
            vocabulary = self._vocabulary
        return words.replace_strict(*vocabulary, default=-1, return_dtype=pl.Int32).to_numpy()

    @property
    def n_features(self) -> int:
        return len(self.words) if self.hashing is None else 1 << self.hashing

    @property
    def names(self) -> list[str]:
        if self.hashing is not None:
            return [f"hash {place}" for place in range(self.n_features)]
        return [f"word:{word}" for word in self.words]

    def to_json(self) -> dict[str, Any]:
        return {
            "map": "text",
            "ngrams": self.ngrams,
            "lowercase": self.lowercase,
            "min_count": self.min_count,
            "counts": self.counts,
            "hashing": self.hashing,
            "collisions": self.collisions,
            "words": self.words,
            **({"weighting": self.weighting} if self.weighting != "counts" else {}),
            **({"texts": self.texts, "texts_with": self.texts_with} if self.weighting == "idf" else {}),
        }

    @classmethod
    def from_json(cls, saved: dict[str, Any]) -> TextMap:
        settings = {key: saved[key] for key in ("ngrams", "lowercase", "min_count", "counts", "hashing")}
        texts = cls(**settings, weighting=saved.get("weighting", "counts"))
        texts.texts, texts.texts_with = saved.get("texts", 0), saved.get("texts_with", [])
        if not isinstance(saved["words"], list) or not all(isinstance(word, str) for word in saved["words"]):
            raise TypeError("its words are not texts")
        texts.words, texts.collisions, texts._fitted = saved["words"], saved["collisions"], True
        return texts


def _texts(rows: Any) -> pl.Series:
    """The texts of a table's column `text`, or of a list of strings; a missing text has no words."""
    import polars as pl

    if isinstance(rows, pl.DataFrame):
        if "text" not in rows.columns:
            raise DataError(f"The table has no column 'text', only {', '.join(map(repr, rows.columns))}.")
        rows = rows["text"]
    if isinstance(rows, str) or not isinstance(rows, (pl.Series, Sequence, np.ndarray)):
        raise DataError(f"Expected a table with a column 'text', or a list of strings, got {type(rows).__name__}.")
    try:
        texts = rows if isinstance(rows, pl.Series) else pl.Series(list(rows), dtype=pl.String)
        return texts.cast(pl.String).fill_null("")
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise DataError(f"A text is not a string: {error}") from None
