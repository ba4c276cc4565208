"""Texts: what a word is, and that counts agree with scikit-learn's."""

import os
import re
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from rosenblatt.engine.rows import Rows
from rosenblatt.errors import DataError, SettingError
from rosenblatt.features import TextMap, from_json

# The same words as Python's regular expressions see them: \w without the underscore.
PEER_WORD = r"[^\W_]+(?:['’][^\W_]+)*"

MESSAGES = ["Free entry, FREE!", "Call me. Don't call 'me' twice", "", "it's 9am — Ωmega’s naïve café 東京 x_y"]


def test_words_are_runs_of_letters_and_digits_with_apostrophes_inside():
    words = TextMap().fit(["Don't panic: it's 9am, 'quoted' rock'n'roll x_y café 東京 ..."]).words
    assert words == sorted(["don't", "panic", "it's", "9am", "quoted", "rock'n'roll", "x", "y", "café", "東京"])


@pytest.mark.parametrize("ngrams", [1, 2, 3])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("counts", [True, False])
def test_counts_equal_scikit_learns_count_vectorizer(ngrams, lowercase, counts):
    peer = CountVectorizer(token_pattern=PEER_WORD, ngram_range=(1, ngrams), lowercase=lowercase, binary=not counts)
    expected = peer.fit_transform(MESSAGES)
    texts = TextMap(ngrams=ngrams, lowercase=lowercase, counts=counts).fit(MESSAGES, texts_at_once=3)
    X = texts.transform(MESSAGES, texts_at_once=3)
    assert texts.words == sorted(peer.get_feature_names_out())
    assert (X.toarray() == expected.toarray()[:, np.argsort(peer.get_feature_names_out())]).all()
    assert (X.dtype, X.indices.dtype) == (np.float32, np.int32)


@given(st.lists(st.text(alphabet="ab 'B’1,\n", max_size=12), min_size=1, max_size=8))
def test_a_text_is_the_sum_of_its_words(messages):
    words = [re.findall(PEER_WORD, message.lower()) for message in messages]
    if not any(words):
        with pytest.raises(DataError, match="not one word"):
            TextMap().fit(messages)
        return
    texts = TextMap().fit(messages)
    one_hot = dict(zip(texts.words, np.eye(len(texts.words)), strict=True))
    for row, of_text in zip(texts.transform(messages).toarray(), words, strict=True):
        assert (row == sum((one_hot[word] for word in of_text), np.zeros(len(one_hot)))).all()


def test_rare_words_are_left_out():
    texts = TextMap(min_count=2).fit(["a b a", "c b"])
    assert texts.names == ["word:a", "word:b"]
    texts.transform(["a c d", "e"])
    assert texts.notes.unseen == {"text": 3}
    assert texts.notes.rows == 2


def test_missing_texts_have_no_words():
    assert TextMap().fit(["a"]).transform(pl.DataFrame({"text": [None, "a"]})).toarray().tolist() == [[0], [1]]


def test_words_hash_to_the_place_of_their_digest():
    # printf free | b2sum -l 64 gives 0d15c3e349c573d3; the lowest eight bits are its first byte.
    texts = TextMap(hashing=8)
    X = texts.transform(["free free", "never seen before"])
    assert X.shape == (2, 256)
    assert (X[0].indices.tolist(), X[0].data.tolist()) == ([0x0D], [2])
    assert X[1].sum() == 3
    assert not texts.notes.unseen
    words = " ".join(f"w{k}" for k in range(1000))
    assert texts.fit([words]).collisions == 1000 - len({int(k) for k in texts.transform([words]).indices})


def test_the_loop_reads_texts():
    X = TextMap(ngrams=2).fit(MESSAGES).transform(MESSAGES)
    rows = Rows(X)
    assert rows.values is X.data
    assert rows.row(2)[0].tolist() == []


def test_what_is_no_text_is_refused():
    with pytest.raises(DataError, match="no column 'text', only 'message'"):
        TextMap().fit(pl.DataFrame({"message": ["a"]}))
    for rows in ("one string", 7):
        with pytest.raises(DataError, match="list of strings"):
            TextMap().fit(rows)
    with pytest.raises(DataError, match="not a string"):
        TextMap().fit([["a"], ["b"]])
    with pytest.raises(DataError, match="no texts"):
        TextMap().fit([])
    with pytest.raises(DataError, match="fit it first"):
        TextMap().transform(["a"])
    assert TextMap().fit(["a"]).transform([]).shape == (0, 1)


@pytest.mark.parametrize(
    "options", [{"ngrams": 0}, {"min_count": 0}, {"ngrams": True}, {"hashing": 0}, {"hashing": 8, "min_count": 2}]
)
def test_settings_that_cannot_be_are_refused(options):
    with pytest.raises(SettingError):
        TextMap(**options)


def test_the_newsgroups_have_the_words_that_pythons_re_finds():
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder:
        pytest.skip("ROSENBLATT_DATA is not set")
    with tarfile.open(Path(folder) / "20newsgroups" / "20news-bydate-train.tar.gz") as archive:
        files = [archive.extractfile(member) for member in archive if member.isfile()][:2000]
        messages = [file.read().decode("utf-8", "replace") for file in files]
    counts = Counter(word for message in messages for word in re.findall(PEER_WORD, message.lower()))
    texts = TextMap().fit(messages)
    assert texts.words == sorted(counts)
    total = np.asarray(texts.transform(messages).sum(axis=0)).ravel()
    assert total.tolist() == [counts[word] for word in texts.words]


@given(st.lists(st.text(alphabet="ab c", max_size=12), min_size=1, max_size=8))
def test_idf_in_unit_rows_is_that_of_scikit_learn(texts):
    if not any("a" in text or "b" in text or "c" in text for text in texts):
        return
    theirs = TfidfVectorizer(token_pattern=r"[a-z]+", sublinear_tf=True).fit(texts)
    ours = TextMap(weighting="idf").fit(texts)
    assert [f"word:{word}" for word in theirs.get_feature_names_out()] == ours.names
    new = [*texts, "a a b zebra", ""]
    np.testing.assert_allclose(ours.transform(new).toarray(), theirs.transform(new).toarray(), rtol=1e-6)
    again = from_json(ours.to_json())
    np.testing.assert_array_equal(again.transform(new).toarray(), ours.transform(new).toarray())
    unit = TextMap(weighting="unit", hashing=8).fit(texts).transform(new)
    lengths = unit.multiply(unit).sum(axis=1).A1
    np.testing.assert_allclose(lengths, [float(bool(text.strip())) for text in new], rtol=1e-6)


def test_hashing_keeps_no_words_to_weigh():
    with pytest.raises(SettingError, match="choose 'unit'"):
        TextMap(weighting="idf", hashing=10)
