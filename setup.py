"""Compiles what the engine has twice (core.py as `_core` …), and the readers in C; the rest is in pyproject.toml."""

import hashlib
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path("src/rosenblatt")
SOURCES = {
    "core": ["core.py", "_core.pxd", "_formulas.pxd", "_rows.pxd", "rows.h", "vector.h", "kernel.h", "dense.h", "sparse.h"],
    "entries": ["_entries.pyx", "_rows.pxd", "rows.h", "entries.h"],
    "formulas": ["formulas.py", "_formulas.pxd"],
    "permutation": ["permutation.py", "_permutation.pxd", "rows.h", "permutation.h"],
    "vote_counter": ["vote_counter.py", "_vote_counter.pxd"],
}

# Equal bits on every CPU: no fused multiply-add, no reordering. -O3 unrolls the loops over lanes.
# No folder of the machine that built it is in a binary, so that a wheel has the same bytes wherever it is built.
FLAGS = (
    ["/O2", "/fp:precise"]
    if sys.platform == "win32"
    else ["-O3", "-ffp-contract=off", "-Wno-unused-function", f"-ffile-prefix-map={Path.cwd()}=."]
)

# ROSENBLATT_BUILD=bounds stops at the first read outside the data; =release refuses to go on without a compiler.
BUILD = os.environ.get("ROSENBLATT_BUILD", "")


def digest(*sources: Path) -> str:
    """One hash over what an extension is made of: the tests compare it, so that no stale binary hides an edit."""
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()


def compiled(name: str) -> Extension:
    """What is compiled as _NAME; NAME.py can be imported in the same process, and compared."""
    sources = [HERE / "engine" / source for source in SOURCES[name]]
    macros = [("ROSENBLATT_DIGEST", f'"{digest(*sources)}"')] + ([("ROSENBLATT_BOUNDS", "1")] if BUILD == "bounds" else [])
    return Extension(
        f"rosenblatt.engine._{name}",
        [str(sources[0])],
        include_dirs=[str(HERE / "engine")],
        depends=list(map(str, sources)),
        define_macros=macros,
        extra_compile_args=FLAGS,
    )


modules = cythonize(
    [compiled(name) for name in SOURCES],
    build_dir="build",
    force=True,  # it does not notice an edit of a .pxd file
    compiler_directives={
        "language_level": 3,
        "boundscheck": BUILD == "bounds",
        "wraparound": False,
        "initializedcheck": False,
        "cdivision": True,
    },
)
for module in modules:
    module.optional = BUILD != "release"  # cythonize drops it


def plain_c(room: str, name: str) -> Extension:
    """What is written in plain C; without a compiler, its twin in Python does the same."""
    source = HERE / room / f"{name}.c"
    return Extension(
        f"rosenblatt.{room}.{name}",
        [str(source)],
        define_macros=[("ROSENBLATT_DIGEST", f'"{digest(source)}"')],
        extra_compile_args=FLAGS,
        optional=BUILD != "release",
    )


setup(ext_modules=[*modules, plain_c("data", "_libsvm"), plain_c("data", "_cells"), plain_c("engine", "_unpack")])
