"""The compiled core, and what else is compiled, where there is a binary; else the same in Python.

`ROSENBLATT_CPU=plain|avx2|avx512` names the kernel; without it the widest that this CPU has is taken. All give the same
bits, so this is for measuring and for doubt.
"""

from __future__ import annotations

import os
import warnings
from importlib import import_module
from types import ModuleType

from rosenblatt.errors import SettingError, UncompiledWarning

KERNELS = ("avx512", "avx2", "plain")

NAMES = ("core", "entries", "formulas", "permutation", "vote_counter")

core: ModuleType
entries: ModuleType
formulas: ModuleType
permutation: ModuleType
vote_counter: ModuleType
try:
    core, entries, formulas, permutation, vote_counter = (import_module(f"rosenblatt.engine._{name}") for name in NAMES)
except ImportError:  # built without a compiler
    core, entries, formulas, permutation, vote_counter = (import_module(f"rosenblatt.engine.{name}") for name in NAMES)
    warnings.warn(
        "rosenblatt runs uncompiled, some hundred times slower: install a C compiler and build it again.",
        UncompiledWarning,
        stacklevel=2,
    )


def use_kernel(name: str) -> None:
    """Computes with the kernel of this name from now on."""
    if name not in KERNELS:
        raise SettingError(f"ROSENBLATT_CPU is {name!r}: choose one of {', '.join(KERNELS)}.")
    if not core.use_kernel(name):
        raise SettingError(f"ROSENBLATT_CPU is {name!r}, which this CPU or this build cannot run: choose another.")


def cores() -> int:
    """How many cores this process may use: those it is allowed, or fewer where the environment says so (as joblib does)."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    said = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    return min(allowed, int(said)) if said.isdigit() and int(said) else allowed


if os.environ.get("ROSENBLATT_CPU"):
    use_kernel(os.environ["ROSENBLATT_CPU"])
else:
    next(name for name in KERNELS if core.use_kernel(name))
