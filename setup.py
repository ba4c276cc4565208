"""Compiles core.py, under the name `_core`. Everything else about the package is in pyproject.toml."""

import hashlib
import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

HERE = Path("src/rosenblatt")
SOURCES = ["core.py", "_core.pxd", "vector.h", "kernel.h"]

# Equal bits on every CPU: no fused multiply-add, no reordering. -O3 unrolls the loops over lanes.
FLAGS = ["/O2", "/fp:precise"] if sys.platform == "win32" else ["-O3", "-ffp-contract=off", "-Wno-unused-function"]

# ROSENBLATT_BUILD=bounds stops at the first read outside the data; =release refuses to go on without a compiler.
BUILD = os.environ.get("ROSENBLATT_BUILD", "")


def digest() -> str:
    """One hash over what the extension is made of: the tests compare it, so that no stale binary hides an edit."""
    return hashlib.sha256(b"".join((HERE / name).read_bytes() for name in SOURCES)).hexdigest()


core = Extension(
    "rosenblatt._core",
    [str(HERE / "core.py")],
    include_dirs=[str(HERE)],
    depends=[str(HERE / name) for name in SOURCES],
    define_macros=[("ROSENBLATT_DIGEST", f'"{digest()}"')] + ([("ROSENBLATT_BOUNDS", "1")] if BUILD == "bounds" else []),
    extra_compile_args=FLAGS,
)
modules = cythonize(
    [core],
    build_dir="build",
    force=True,  # it does not notice an edit of _core.pxd
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


def plain_c(name: str) -> Extension:
    """A reader of files in plain C; without a compiler, what is in Python reads them."""
    source = HERE / "data" / f"{name}.c"
    return Extension(
        f"rosenblatt.data.{name}",
        [str(source)],
        define_macros=[("ROSENBLATT_DIGEST", f'"{hashlib.sha256(source.read_bytes()).hexdigest()}"')],
        extra_compile_args=FLAGS,
        optional=BUILD != "release",
    )


setup(ext_modules=[*modules, plain_c("_libsvm"), plain_c("_cells")])
