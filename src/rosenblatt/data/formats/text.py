"""Labelled text: `label TAB text`, one message per line."""

from __future__ import annotations

from collections.abc import Iterator

from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.messages import Message, message_readers, numbered_lines
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.data.source import Source
from rosenblatt.errors import FileError


def recognise(source: Source, options: ReadOptions) -> bool:
    named_table = source.suffix in (".csv", ".tsv", ".tab") or options.mention_columns
    return source.is_text and not named_table and is_labelled_text(source.first_lines)


def is_labelled_text(lines: list[str]) -> bool:
    """Are most lines a label, a tab and a sentence, with labels that repeat?

    >>> is_labelled_text(["ham\\tsee you later", "spam\\twin a prize"]), is_labelled_text(["height\\tweight", "180\\t75"])
    (True, False)
    """
    pairs = [line.partition("\t") for line in lines]
    if not pairs or not all(tab for _, tab, _ in pairs):
        return False
    labels = {label for label, _, _ in pairs}
    sentences = sum(" " in text.strip() and "\t" not in text for _, _, text in pairs)
    repeated = len(labels) <= len(pairs) / 2 or len(pairs) < 4
    return sentences > len(pairs) / 2 and repeated and not any("  " in label for label in labels)


def messages(source: Source) -> Iterator[Message]:
    for number, line in numbered_lines(source):
        if not line.strip():
            continue
        label, tab, text = line.partition("\t")
        if not tab:
            what = "no tab: expected a label, a tab and the text. Pass format='lines' for text without labels."
            raise FileError(what, path=source.name, line=number)
        yield Message(label.strip() or None, text, number)


read, batches = message_readers(messages)
FORMAT = Format("text", "labelled text, one `label TAB text` per line", read, batches, recognise)
