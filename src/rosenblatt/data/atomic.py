"""Files that are whole or not there: after a crash at any moment, the old one or the new one."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream to a temporary file beside `path`, which takes its place when all has been written and synced.

    A link stays a link, and a file that was there keeps its mode; one that is write-protected is refused.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None:
        target.open("r+b").close()  # renaming could replace even what may not be written
    temporary = target.with_name(f".rosenblatt-{os.urandom(8).hex()}.tmp")
    try:
        with temporary.open("xb") as stream:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    # The new file is whole and in place. Some systems cannot sync a folder, and then the rename merely lasts later.
    with contextlib.suppress(OSError), contextlib.ExitStack() as closing:
        folder = os.open(target.parent, os.O_RDONLY)
        closing.callback(os.close, folder)
        os.fsync(folder)
