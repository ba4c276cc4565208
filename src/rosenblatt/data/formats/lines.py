"""Text without labels, one message per line; a blank line is a message without words, so that none is counted out."""

from __future__ import annotations

from rosenblatt.data.formats.declaration import Format
from rosenblatt.data.messages import Message, message_readers, numbered_lines

read, batches = message_readers(lambda source: (Message(None, line) for _, line in numbered_lines(source)))
FORMAT = Format("lines", "text without labels, one message per line", read, batches)
