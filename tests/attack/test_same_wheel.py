"""A wheel has the same bytes from whatever folder it is built: anybody can check that a binary is made of this source.

And the source that is distributed is all of it, tests and docs included.
"""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


pytestmark = pytest.mark.skipif(os.environ.get("ROSENBLATT_TESTS") != "full", reason="builds the package: make test-full")


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


def test_the_source_distribution_has_every_file_of_the_repository(tmp_path):
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a clone")
    files = set(listed.stdout.splitlines()) - {".gitignore"}
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run([sys.executable, "-m", "build", "--sdist"], cwd=tmp_path, check=True, capture_output=True)
    with tarfile.open(next((tmp_path / "dist").glob("*.tar.gz"))) as archive:
        distributed = {name.partition("/")[2] for name in archive.getnames()}
    assert files - distributed == set()
