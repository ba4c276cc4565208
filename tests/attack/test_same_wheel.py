"""A wheel has the same bytes from whatever folder it is built: anybody can check that a binary is made of this source."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="builds the package twice: make test-full")
def test_a_wheel_is_the_same_from_any_folder(tmp_path):
    wheels = []
    for folder in (tmp_path / "one", tmp_path / "another" / "with a longer name"):
        leave = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
        shutil.copytree(ROOT / "src", folder / "src", ignore=leave)
        for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, folder)
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "dist", "."]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "ROSENBLATT_BUILD": "release"}
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        wheels.append(next((folder / "dist").glob("*.whl")))
    assert wheels[0].name == wheels[1].name
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
