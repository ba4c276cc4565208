"""Ctrl-C on a cluster of this machine: the terminal sends it to all processes, and only the first one answers."""

import os
import signal
import subprocess
import sys
import threading

import polars as pl
import pytest

pytest.importorskip("distributed", reason="dask is not installed")
SECONDS = 60


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="this system has no groups of processes")
@pytest.mark.parametrize("moment", ["workers start", "epochs go by"])
def test_an_interrupt_ends_all_processes_without_a_traceback(moment, tmp_path):
    (tmp_path / "scratch").mkdir()
    frame = pl.DataFrame({"size": [float(row * 7 % 23) for row in range(400)], "wanted": ["yes", "no"] * 200})
    frame.write_csv(tmp_path / "rows.csv")
    command = [
        "train",
        str(tmp_path / "rows.csv"),
        "--target",
        "wanted",
        "--dask",
        "local",
        "--workers",
        "2",
        "--epochs",
        "99999",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "rosenblatt", *command, "-o", str(tmp_path / "model")],
        stderr=subprocess.PIPE, text=True, start_new_session=True, env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    late = threading.Timer(SECONDS, lambda: os.killpg(process.pid, signal.SIGKILL))
    late.start()
    try:
        if moment == "workers start":
            while process.poll() is None and not [*(tmp_path / "scratch").glob("*/worker-*")]:
                pass
            told = ""
        else:
            told = "".join(line for line, _ in zip(process.stderr, range(8), strict=False))
        os.killpg(process.pid, signal.SIGINT)
        told += process.stderr.read()
        assert process.wait() == 130
    finally:
        late.cancel()
        process.stderr.close()
    assert told.splitlines()[-1] == "Interrupted: no file was written."
    assert "Traceback" not in told
    assert "leaked" not in told
    left = [path for path in (tmp_path / "scratch").rglob("*") if path.is_file() and "rosenblatt-rows" not in path.parts]
    assert [path.name for path in left if path.suffix != ".lock"] == []
