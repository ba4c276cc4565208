"""How bytes get into a file: all of them, or none, whatever ends the process meanwhile."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rosenblatt.data.locking import fcntl

_replacements: dict[Path, tuple[int, int]] = {}  # device and inode of what was to take the place of a file


def files_in_place() -> list[Path]:
    """The files that `replacing` has put in their place in this process.

    The file system says so, no note of ours: an interrupt can come between the last step and any note of it.
    """
    in_place = []
    for path, (device, inode) in _replacements.items():
        with contextlib.suppress(OSError):
            now = path.stat()
            if (now.st_dev, now.st_ino) == (device, inode):
                in_place.append(path)
    return in_place


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream to a temporary file, which takes the place of `path` when all has been written and synced.

    A link stays a link, and a file that was there keeps its mode; one that is write-protected is refused. Until it is
    whole the temporary file has no name, where the system can do that: a process that is killed leaves nothing behind. What
    it leaves elsewhere, the next one removes: whoever writes holds a lock, so that a file without one belongs to nobody.
    """
    target = Path(os.path.realpath(path))
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None:
        target.open("r+b").close()  # renaming could replace even what may not be written
    _remove_stale(target.parent)
    temporary = target.with_name(f".rosenblatt-{os.urandom(8).hex()}.tmp")
    try:
        with contextlib.ExitStack() as held:
            stream, nameless = _temporary(temporary, held)
            with stream:
                if mode is not None:
                    os.chmod(stream.fileno() if nameless else temporary, stat.S_IMODE(mode))
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
                status = os.fstat(stream.fileno())
                _replacements[target] = status.st_dev, status.st_ino
                in_place = nameless and _named(stream, target, temporary) == target
            if not in_place:
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


def _temporary(path: Path, held: contextlib.ExitStack) -> tuple[IO[bytes], bool]:
    """A new file in the folder of `path`, and whether it has no name yet; else it is called so. Its lock is `held`."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # not every file system can
            stream: IO[bytes] = open(os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")  # noqa: SIM115
            _lock(stream, held)
            return stream, True
    while True:
        stream = path.open("xb")
        _lock(stream, held)
        if fcntl is None or os.fstat(stream.fileno()).st_nlink:
            return stream, False
        stream.close()  # another process took it for abandoned, before it was locked


def _lock(stream: IO[bytes], held: contextlib.ExitStack) -> None:
    """Locks a file, also beyond its closing, until `held` ends; not every file system can."""
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.flock(stream, fcntl.LOCK_EX)
        held.callback(os.close, os.dup(stream.fileno()))


def _named(stream: IO[bytes], target: Path, temporary: Path) -> Path:
    """Gives a file without a name its own at once, where no other file has it; else that of the temporary file."""
    for path in (target, temporary):
        with contextlib.suppress(FileExistsError):
            # The path is absolute, so the folder means nothing: but only with one does Python follow the link.
            os.link(f"/proc/self/fd/{stream.fileno()}", path, src_dir_fd=stream.fileno())
            break
    return path


def _remove_stale(folder: Path) -> None:
    """Removes what processes left behind that were killed while they wrote: temporary files that nobody holds a lock on."""
    if fcntl is None:
        return
    for entry in folder.glob(".rosenblatt-*.tmp"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as closing:
            file = os.open(entry, os.O_RDONLY | os.O_NONBLOCK)
            closing.callback(os.close, file)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            entry.unlink()
