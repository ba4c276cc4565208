"""The build: nothing stale, nothing outside its layer, and a package that runs without a compiler."""

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rosenblatt
from rosenblatt.engine import core
from rosenblatt.engine import formulas as slow_formulas
from rosenblatt.engine.compiled import core as engine
from rosenblatt.engine.compiled import entries, formulas, permutation, vote_counter

HERE = Path(rosenblatt.__file__).parent / "engine"
RUN = [sys.executable, "-c"]


def test_the_compiled_core_is_made_of_the_sources_that_are_here():
    if not engine.COMPILED:
        pytest.skip("uncompiled: the source is what runs")
    files = {
        engine: (
            "core.py",
            "_core.pxd",
            "_formulas.pxd",
            "_rows.pxd",
            "rows.h",
            "vector.h",
            "kernel.h",
            "dense.h",
            "sparse.h",
        ),
        entries: ("_entries.pyx", "_rows.pxd", "rows.h", "entries.h"),
        formulas: ("formulas.py", "_formulas.pxd"),
        permutation: ("permutation.py", "_permutation.pxd", "rows.h", "permutation.h"),
        vote_counter: ("vote_counter.py", "_vote_counter.pxd"),
    }
    for module, names in files.items():
        sources = b"".join((HERE / name).read_bytes() for name in names)
        assert module.source_digest() == hashlib.sha256(sources).hexdigest(), "edited since the build: run `make demo` again"


def test_both_cores_call_everything_by_the_same_numbers():
    for slow, quick, count in ((core, engine, 5), (slow_formulas, formulas, 12)):
        own = {name: value for name, value in vars(slow).items() if name.isupper() and type(value) is int}
        numbers = {name: value for name, value in own.items() if slow is slow_formulas or name not in vars(slow_formulas)}
        assert len(numbers) == count
        assert numbers == {name: getattr(quick, name) for name in numbers}


@pytest.mark.parametrize("statement", ["import rosenblatt", "from rosenblatt import train", "from rosenblatt import rules"])
def test_training_does_not_import_scikit_learn_or_cython(statement):
    heavy = ("sklearn", "cython", "pandas", "polars", "matplotlib", "scipy.sparse")
    code = f"{statement}; import sys; print([module for module in {heavy} if module in sys.modules])"
    assert subprocess.run([*RUN, code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_every_public_name_is_there():
    for name in rosenblatt.__all__:
        assert getattr(rosenblatt, name) is not None
    assert set(rosenblatt.__all__) <= set(dir(rosenblatt))
    source = Path(rosenblatt.__file__).read_text()
    for_type_checkers = re.findall(r"^    from (\S+) import (\w+) as \2$", source, re.MULTILINE)
    assert sorted(for_type_checkers) == sorted((home, name) for home, names in rosenblatt.PUBLIC.items() for name in names)
    with pytest.raises(AttributeError, match="Preceptron"):
        _ = rosenblatt.Preceptron


def test_without_a_compiled_core_it_warns_and_gives_the_same_weights():
    code = """
import sys, warnings
sys.modules["rosenblatt.engine._core"] = None  # as if there had been no compiler
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy, scipy.sparse, rosenblatt
    X = numpy.array([[1, 2, 0], [0, 1, -1], [-2, 0, 1], [0, -1, -1]])
    runs = [rosenblatt.train(form(X), [1, 0, 1, 0], epochs=3) for form in (numpy.asarray, scipy.sparse.csr_array)]
print([type(w.message).__name__ for w in caught], [run.weights.last[0].tolist() for run in runs])
"""
    compiled = (
        rosenblatt.train([[1, 2, 0], [0, 1, -1], [-2, 0, 1], [0, -1, -1]], [1, 0, 1, 0], epochs=3).weights.last[0].tolist()
    )
    out = subprocess.run([*RUN, code], capture_output=True, text=True, check=True, env=os.environ).stdout
    assert out.strip() == f"['UncompiledWarning'] {[compiled, compiled]}"
