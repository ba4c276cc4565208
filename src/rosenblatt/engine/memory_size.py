"""How much memory this process may hold. Asked before a file is read, so nothing heavy is imported here."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def memory_size() -> int | None:
    """Bytes that this process may ever hold: the machine's, or fewer where a limit is set; None where nobody says."""
    sizes = []
    with contextlib.suppress(AttributeError, ValueError, OSError):
        sizes.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with contextlib.suppress(ImportError):  # not on Windows
        import resource

        sizes += [limit for limit, _ in [resource.getrlimit(resource.RLIMIT_AS)] if limit != resource.RLIM_INFINITY]
    return min([*sizes, *control_group_limits()], default=None)


def control_group_limits(root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")) -> list[int]:
    """Bytes that the control groups of this process, one within the other, may hold; of both versions."""
    files = [root / "memory.max"]
    with contextlib.suppress(OSError):
        for line in own.read_text().splitlines():
            _, kind, path = line.split(":", 2)
            group = root / ("memory" if kind else "") / path.lstrip("/")
            name = "memory.limit_in_bytes" if kind else "memory.max"
            if "memory" in kind.split(",") or not kind:
                files += [folder / name for folder in (group, *group.parents) if folder.is_relative_to(root)]
    limits = []
    for file in files:
        with contextlib.suppress(OSError, ValueError):  # "max" is no number
            limits.append(int(file.read_text()))
    return limits
