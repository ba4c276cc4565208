"""Attacks on the command line: names that act on a terminal, sizes beyond the memory, streams that are closed."""

import pytest

from rosenblatt.features.text import TextMap


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("ngrams", [2, 3, 4, 5, 50])
def test_runs_of_more_words_than_there_are(words, ngrams):
    text = " ".join("abc"[:words])
    runs = {" ".join("abc"[i : i + n]) for n in range(1, ngrams + 1) for i in range(words - n + 1)}
    assert TextMap(ngrams).fit([text, ""]).names == sorted(f"word:{run}" for run in runs)
