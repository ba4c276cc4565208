"""What a killed run leaves is removed by the next one, and nothing else is."""

import subprocess
import sys
import tempfile

import pytest

from rosenblatt.data.locking import fcntl
from rosenblatt.data.row_folder import folder_for_rows

HOLD = """
import sys, time
from rosenblatt.data.row_folder import folder_for_rows
with folder_for_rows() as folder:
    (folder / "values").write_text("rows")
    print(folder, flush=True)
    time.sleep(100)
"""


@pytest.mark.skipif(fcntl is None, reason="no locks here")
def test_only_folders_of_killed_runs_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other, elsewhere = tmp_path / "rosenblatt-rows-old", tmp_path / "elsewhere"
    for folder in (other, elsewhere):  # without a lock; and a link to one with a free lock
        folder.mkdir()
        (folder / "values").write_text("rows")
    (elsewhere / ".lock").touch()
    (tmp_path / "rosenblatt-rows-link").symlink_to(elsewhere)
    command = [sys.executable, "-c", f"import tempfile; tempfile.tempdir = {str(tmp_path)!r}\n{HOLD}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        running = tmp_path / run.stdout.readline().strip()
        with folder_for_rows() as own:
            assert own.exists()
            assert (running / "values").exists()
        assert not own.exists()
        run.kill()
    assert (running / "values").exists()
    with folder_for_rows():
        assert not running.exists()
    assert all((folder / "values").exists() for folder in (other, elsewhere))
