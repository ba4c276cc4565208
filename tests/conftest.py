"""Profiles of hypothesis, the two engines, the data folder, and the browser."""

import os
import secrets
import shutil
import sys
from pathlib import Path

# Before numpy is loaded: one process a core is at work, and threads of BLAS in each would wait for each other, busily.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

import rosenblatt.learning.training  # noqa: E402  loads every module that holds the core

# A fixture that swaps the engine stays the same for all examples of a test; what tests filter out are ties of rounding.
SHARED = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much, HealthCheck.too_slow],
}
settings.register_profile("small", max_examples=12, **SHARED)
settings.register_profile("full", max_examples=2000, **SHARED)
settings.load_profile("full" if os.environ.get("ROSENBLATT_TESTS") == "full" else "small")


# Every run draws new examples. The seed is the same in all its processes, and told at its end: a failure can be repeated.
SEED = os.environ.setdefault("ROSENBLATT_HYPOTHESIS_SEED", str(secrets.randbelow(2**32)))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if config.getoption("--hypothesis-seed") is None:
        config.option.hypothesis_seed = SEED


def pytest_terminal_summary(terminalreporter, config):
    terminalreporter.write_line(
        f"hypothesis: --hypothesis-seed={config.getoption('--hypothesis-seed')} draws these examples again"
    )


def use_core(monkeypatch, core):
    """Every module that computes with what is compiled does so with this core, compiled or not, and its like."""
    from rosenblatt.engine import compiled, entries, formulas, permutation, vote_counter
    from rosenblatt.engine import core as uncompiled

    twins = {
        "core": (uncompiled, compiled.core),
        "entries": (entries, compiled.entries),
        "formulas": (formulas, compiled.formulas),
        "permutation": (permutation, compiled.permutation),
        "vote_counter": (vote_counter, compiled.vote_counter),
    }
    own = [name for name in sys.modules if name.startswith("rosenblatt.") and name != "rosenblatt.engine"]
    for module in map(sys.modules.__getitem__, own):
        for attribute, both in twins.items():
            if getattr(module, attribute, None) in both:
                monkeypatch.setattr(module, attribute, both[core is not uncompiled])


@pytest.fixture(params=["compiled", "uncompiled"])
def engine(request, monkeypatch):
    """The test runs twice: with the compiled core, and with the same text uncompiled."""
    if request.param == "compiled":
        core = pytest.importorskip("rosenblatt.engine._core", reason="the core is not compiled here")
    else:
        from rosenblatt.engine import core
    use_core(monkeypatch, core)
    assert rosenblatt.learning.training.core is core
    return request.param


@pytest.fixture
def data_dir():
    """The folder of downloaded data sets."""
    folder = os.environ.get("ROSENBLATT_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("ROSENBLATT_DATA names no folder")
    return Path(folder)


FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.fixture(scope="session")
def browser():
    """One browser for all tests of a process: playwright refuses a second."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not chromium:
        pytest.skip("no chromium here: pages are not looked at (Debian: apt install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pages are not looked at")
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield launched
        launched.close()
