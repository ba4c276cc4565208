"""Named data sets: found, downloaded and checked, or an error that says where to put the file."""

import gzip
import hashlib
import io
import os
import subprocess
import sys
import zipfile

import pytest

from rosenblatt.data import batches, download, known, known_names, open_known, read
from rosenblatt.errors import FileError, SettingError

ADULT = b"39, State-gov, 77516, BA, 13, Never-married, Adm-clerical, ?, White, Male, 2174, 0, 40, Cuba, <=50K\n\n"
real = pytest.mark.skipif("ROSENBLATT_DATA" not in os.environ, reason="ROSENBLATT_DATA is not set")


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """No data, no cache, no network."""
    monkeypatch.delenv("ROSENBLATT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def refuse(url, timeout):
        raise OSError("no network")

    monkeypatch.setattr(download, "urlopen", refuse)
    return tmp_path


def serve(monkeypatch, data):
    monkeypatch.setattr(download, "urlopen", lambda url, timeout: io.BytesIO(data))


@pytest.mark.parametrize("name", known.KNOWN)
def test_without_network_the_error_says_where_to_put_the_file(name, nowhere):
    with pytest.raises(
        FileError, match="rosenblatt data income.* Or put the file" if name == "income" else "Put the file at"
    ) as caught:
        read(name)
    assert str(nowhere / "cache" / "rosenblatt" / name) in str(caught.value)


def test_rows_of_a_known_data_set_without_a_label_can_be_left_out(nowhere):
    place = nowhere / "cache" / "rosenblatt" / "adult"
    place.mkdir(parents=True)
    (place / "adult.data").write_bytes(ADULT + ADULT.replace(b"?", b"Wife"))
    with pytest.raises(FileError, match="1 row has no label"):
        read("adult", target="relationship")
    data = read("adult", target="relationship", unlabelled="skip")
    assert data.labels.to_list() == ["Wife"]
    assert any("1 row has no label and was left out" in note for note in data.notes)


def test_data_are_found_in_the_folder_and_then_in_the_cache(nowhere, monkeypatch):
    place = nowhere / "cache" / "rosenblatt" / "adult"
    place.mkdir(parents=True)
    (place / "adult.data").write_bytes(ADULT)
    data = read("adult")
    assert (len(data), data.labels.to_list(), data.rows["relationship"].to_list()) == (1, ["<=50K"], [None])
    own = nowhere / "own" / "adult"
    own.mkdir(parents=True)
    (own / "adult.data").write_bytes(ADULT * 2)
    monkeypatch.setenv("ROSENBLATT_DATA", str(nowhere / "own"))
    assert len(read("adult")) == 2
    assert read("adult", target="sex").labels.to_list() == ["Male", "Male"]
    assert [len(part) for part in batches("adult", rows=1)] == [1, 1]


def test_a_file_in_the_way_comes_first(nowhere):
    (nowhere / "iris").write_bytes(b"a,b\n1,2\n")
    assert read("iris").rows.rows() == [(1, 2)]


def test_a_download_is_checked_and_kept(nowhere, monkeypatch):
    place = nowhere / "x" / "file"
    serve(monkeypatch, b"right")
    download.download("https://example.org", place, sha256=hashlib.sha256(b"right").hexdigest())
    assert place.read_bytes() == b"right"
    serve(monkeypatch, b"wrong")
    with pytest.raises(FileError, match="SHA-256"):
        download.download("https://example.org", nowhere / "y" / "file", sha256=hashlib.sha256(b"right").hexdigest())
    assert not (nowhere / "y").exists()


def test_a_failed_write_leaves_nothing(nowhere, monkeypatch):
    serve(monkeypatch, b"right")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        download.download("https://example.org", nowhere / "x" / "file", sha256=hashlib.sha256(b"right").hexdigest())
    assert list((nowhere / "x").iterdir()) == []


def test_the_checksum_is_that_of_the_content(nowhere, monkeypatch):
    serve(monkeypatch, gzip.compress(b"right", 1, mtime=0))
    download.download("https://example.org", nowhere / "f.gz", sha256=hashlib.sha256(b"right").hexdigest())
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("inner", b"right")
    serve(monkeypatch, archive.getvalue())
    download.download("https://example.org", nowhere / "g", sha256=hashlib.sha256(b"right").hexdigest(), member="inner")
    assert (nowhere / "g").read_bytes() == b"right"
    with pytest.raises(FileError, match="could not be fetched"):
        download.download("https://example.org", nowhere / "h", sha256="", member="outer")


def test_names_and_parts_are_checked():
    with pytest.raises(SettingError, match="choose one of"):
        open_known("incomes")
    with pytest.raises(SettingError, match="train, dev"):
        open_known("income", "test")
    with pytest.raises(SettingError, match="one piece"):
        read("iris:test")


@pytest.mark.parametrize(("name", "shape", "classes"), [
    ("breast-cancer", (569, 30), ["benign", "malignant"]), ("iris", (150, 4), ["setosa", "versicolor", "virginica"]),
    ("digits", (1797, 64), list(range(10))), ("wine", (178, 13), ["class_0", "class_1", "class_2"]),
])  # fmt: skip
def test_bundled_sets_need_nothing(name, shape, classes, nowhere):
    data = read(name)
    assert data.kind == "table"
    assert data.rows.shape == shape
    assert data.labels.unique().sort().to_list() == classes


def test_importing_stays_light():
    code = "import sys, rosenblatt.data; print({'numpy', 'polars', 'sklearn', 'scipy', 'pandas'} & set(sys.modules) or None)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "None"


def test_reading_a_table_imports_no_scikit_learn(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"a,b\n1,2\n")
    code = "import sys, rosenblatt.data as d; d.read(sys.argv[1]); print(*(m in sys.modules for m in ('sklearn', 'scipy')))"
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.csv")], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["False", "False"]


# Figures: the table of shared/data/README.md, counted independently of this project.
@real
@pytest.mark.parametrize(("name", "kind", "shape", "classes"), [
    ("income", "table", (5000, 9), 2), ("income:dev", "table", (1000, 9), 2), ("adult", "table", (32561, 14), 2),
    ("a9a", "sparse", (32561, 123), 2), ("mushrooms", "sparse", (8124, 112), 2), ("sms-spam", "text", (5574, 1), 2),
    ("20newsgroups", "text", (11314, 1), 20), ("mnist", "images", (60000, 28, 28), 10),
    ("mnist:test", "images", (10000, 28, 28), 10), ("auto-mpg", "table", (398, 8), 2),
])  # fmt: skip
def test_the_published_files_are_read(name, kind, shape, classes):
    data = read(name)
    assert data.kind == kind
    assert data.rows.shape == shape
    assert len(set(data.labels.tolist() if kind in ("sparse", "images") else data.labels.to_list())) == classes
    assert data.name == name


@real
def test_the_published_files_have_their_checksums():
    from pathlib import Path

    for name, entry in known.KNOWN.items():
        for files in entry.parts.values():
            for file in files:
                path = Path(os.environ["ROSENBLATT_DATA"]) / name / file.name
                if path.exists():
                    assert file.sha256 in download.checksums(path.read_bytes())
                else:
                    assert name == "20newsgroups"  # its training part alone is there


@real
@pytest.mark.parametrize(("path", "options", "kind"), [
    ("adult/adult.data", {"header": False, "target": -1}, "table"),
    ("auto-mpg/auto-mpg.data", {"header": False, "target": 8}, "table"),
    ("income/income.train.txt.5k", {"header": False, "target": "10"}, "table"),
    ("sms-spam/SMSSpamCollection", {}, "text"), ("a9a/a9a", {}, "sparse"), ("mushrooms/mushrooms", {}, "sparse"),
    ("mnist/t10k-images-idx3-ubyte.gz", {}, "images"), ("20newsgroups/20news-bydate-train.tar.gz", {}, "text"),
])  # fmt: skip
def test_raw_files_are_recognised_without_help(path, options, kind):
    data = read(os.path.join(os.environ["ROSENBLATT_DATA"], path), **options)
    assert data.kind == kind
    assert len(data.labels) == len(data)


@real
def test_the_lectures_counts_of_income():
    """The OSU slides: sectors, and 646 rows of Prof-specialty, 294 of them above 50K."""
    data = read("income")
    counts = dict(data.rows["sector"].value_counts().iter_rows())
    assert counts == {
        "Federal-gov": 150, "Local-gov": 340, "Private": 3694, "Self-emp-inc": 183, "Self-emp-not-inc": 424,
        "State-gov": 208, "Without-pay": 1,
    }  # fmt: skip
    prof = data.rows["occupation"] == "Prof-specialty"
    assert (prof.sum(), (prof & (data.labels == ">50K")).sum()) == (646, 294)
    assert sum(data.rows[column].n_unique() for column in data.rows.columns) == 230


def test_all_names_are_listed():
    assert known_names()[:2] == ["income", "adult"]
    assert len(known_names()) == 12
