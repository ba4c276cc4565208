"""A folder of rows that is gone with the run that made it; where that was killed, the next run removes it.

A run holds a lock in its folder, which the system takes back whatever ends the process. So a folder of this user whose lock
is free, and which has one, is nobody's. Where there are no locks, no folder has one, and all stay.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rosenblatt.data.locking import fcntl

PREFIX, LOCK = "rosenblatt-rows-", ".lock"


@contextlib.contextmanager
def folder_for_rows() -> Iterator[Path]:
    """A new folder among the temporary ones, with a lock; those of killed runs are removed first."""
    remove_abandoned(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX) as name, contextlib.ExitStack() as held:
        lock = hold_lock(Path(name))
        if lock is not None:
            held.callback(os.close, lock)
        yield Path(name)


def hold_lock(folder: Path) -> int | None:
    """The lock of a folder, open; None where there are no locks. It has its name only when it is held."""
    if fcntl is None:
        return None
    lock = os.open(folder / f"{LOCK}.new", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # not every file system can
        os.close(lock)
        return None
    os.rename(folder / f"{LOCK}.new", folder / LOCK)
    return lock


def remove_abandoned(among: Path) -> None:
    """Removes folders of rows, of this user, whose lock nobody holds."""
    if fcntl is None:
        return
    for folder in among.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as held:
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            held.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails where a run holds it
            shutil.rmtree(folder, ignore_errors=True)
