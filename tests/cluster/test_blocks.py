"""Blocks of files: wherever a file is cut, every record is in one block, once, and errors name its line."""

import threading
import time
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt as rb
from rosenblatt.cluster.blocks import plan_blocks, scan, with_scans
from rosenblatt.cluster.job import FileSource, learn_on_cluster
from rosenblatt.cluster.local import learn_with_workers
from rosenblatt.cluster.summaries import BlockSummary, merge
from rosenblatt.cluster.tasks import TasksHere
from rosenblatt.data.read_options import ReadOptions
from rosenblatt.errors import FileError, SettingError
from rosenblatt.learning.learners import Recipe


def blocks_of(path, size, **options):
    blocks = plan_blocks(str(path), ReadOptions(**options), size, size)
    return with_scans(blocks, [(0, 0) if block.format == "parquet" else scan(block) for block in blocks])


CELLS = st.text(st.sampled_from('ab",\n é'), min_size=1, max_size=6).filter(str.strip)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=2, max_size=12), st.integers(1, 40))
def test_every_record_is_in_one_block(tmp_path_factory, rows, size):
    """The witness is Python's own writer of CSV, and the file that it wrote."""
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    path.write_text('"first, one","second"\n' + text.getvalue(), "utf-8")
    blocks = blocks_of(path, size, delimiter=",", skip_lines=0)
    contents = [block.content() for block in blocks]
    assert b"".join(content for content, _ in contents).decode() == text.getvalue()
    expected = 2  # the first line is of names
    for content, line in contents:
        assert all(len(record) == 2 for record in csv.reader(io.StringIO(content.decode())))
        assert line == expected or not content
        expected += content.count(b"\n")


def test_summaries_keep_the_order_of_blocks_and_count_labels():
    a, b = BlockSummary((3,), {"x": 2, "y": 1}), BlockSummary((4, 0), {"y": 4}, {"c": frozenset({"red", None})})
    both = merge(a, b)
    assert (both.rows, both.labels, both.texts) == ((3, 4, 0), {"x": 2, "y": 5}, {"c": frozenset({"red", None})})


@pytest.fixture(scope="module")
def frame():
    draw, n = np.random.default_rng(3), 900
    size = draw.normal(50, 20, n)
    kind = draw.choice(["a", "b", "c"], n)
    label = np.where(size + 30 * (kind == "b") > 60, 7, np.where(kind == "c", 11, 3))
    size = np.where(draw.random(n) < 0.05, np.nan, size)
    return pl.DataFrame({"size": size, "kind": kind, "label": label}).with_columns(pl.col("size").fill_nan(None))


def write(frame, path):
    if path.suffix == ".parquet":
        frame.write_parquet(path, row_group_size=100)
    elif path.suffix == ".tsv":
        frame.write_csv(path, separator="\t")
    else:
        frame.write_csv(path)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
@pytest.mark.parametrize("several", [False, True])
def test_the_weights_are_those_of_local_processes(suffix, several, frame, tmp_path):
    """Files of a folder, or one; labels are numbers; three classes. Means come from blocks: but for rounding, the same."""
    where = tmp_path / f"all.{suffix}"
    write(frame, where)
    if several:
        where = tmp_path / "parts"
        where.mkdir()
        for place in range(3):
            write(frame[300 * place : 300 * place + 300], where / f"{place}.{suffix}")
    recipe = Recipe(epochs=2, shards=4, class_weight="balanced", features={"numeric": "number"})
    local = learn_with_workers(rb.read(tmp_path / f"all.{suffix}", target="label"), 1, recipe)
    for sample in (10_000, 300):
        source = FileSource(str(where), ReadOptions(target="label"), 1500, str(tmp_path / f"rows-{sample}"), sample)
        model = learn_on_cluster(source, recipe, TasksHere()).classifier
        assert model.classes.tolist() == [3, 7, 11]
        assert model.features.names == local.features.names
        if sample == 10_000:
            assert model.model().coef.tobytes() == local.model().coef.tobytes()
        assert model.model().coef == pytest.approx(local.model().coef, abs=0.2)
        assert model.summary.train_error == pytest.approx(local.summary.train_error, abs=0.01)
        size = next(column.number for column in model.features.columns if column.name == "size")
        assert size.mean == pytest.approx(frame["size"].mean(), rel=1e-12)
        assert size.sd == pytest.approx(frame["size"].std(ddof=0), rel=1e-12)


@pytest.mark.parametrize("first", [0, 1])
def test_libsvm_gives_the_bytes_of_local_processes(first, tmp_path):
    lines = [f"{i % 2} {2 + i % 7}:{1 + i % 3} {9 + i % 2}:0.5\n" for i in range(300)]
    (tmp_path / "rows.libsvm").write_text("".join([*lines, f"1 {first}:1\n"]))
    recipe = Recipe(epochs=2, shards=3)
    learn_with_workers(rb.read(tmp_path / "rows.libsvm"), 1, recipe).save(tmp_path / "local")
    source = FileSource(str(tmp_path / "rows.libsvm"), ReadOptions(), 400, str(tmp_path / "rows"))
    learn_on_cluster(source, recipe, TasksHere()).classifier.save(tmp_path / "cluster")
    assert (tmp_path / "cluster").read_bytes() == (tmp_path / "local").read_bytes()


@pytest.mark.parametrize("ending", ["csv.gz", "csv.bz2", "utf-16.csv", "libsvm.gz"])
def test_files_that_cannot_be_cut_are_a_block_each(tmp_path, ending):
    """Against the same rows in one process, which knows nothing of blocks."""
    import bz2
    import gzip

    parts = tmp_path / "parts"
    parts.mkdir()
    for part in range(3):
        if ending.startswith("libsvm"):
            text = "".join(f"{i % 2} 1:{1 + i % 3} {2 + (i + part) % 5}:0.5\n" for i in range(60))
        else:
            text = "# made by hand\nsize,café,y\n" + "".join(f"{i * part},é{i % 4},{'ab'[i % 2]}\n" for i in range(60))
        content = text.encode("utf-16" if ending.startswith("utf-16") else "utf-8")
        pack = {"gz": gzip.compress, "bz2": bz2.compress}.get(ending.rpartition(".")[2], bytes)
        (parts / f"{part}.{ending}").write_bytes(pack(content))
    where, reading = parts, {"target": "y"}
    if ending.startswith("libsvm"):  # of which memory reads one file
        where, reading = parts / f"0.{ending}", {}
    recipe = Recipe(epochs=2, shards=3)
    learn_with_workers(rb.read(where, **reading), 1, recipe).save(tmp_path / "local")
    source = FileSource(str(where), ReadOptions(**reading), 400, str(tmp_path / "rows"))
    learn_on_cluster(source, recipe, TasksHere()).classifier.save(tmp_path / "cluster")
    assert (tmp_path / "cluster").read_bytes() == (tmp_path / "local").read_bytes()


@pytest.fixture
def parts():
    """Three CSV files, as bytes by name."""
    rows = [f"{i},é{i % 4},{'ab'[i % 2]}\n" for i in range(180)]
    return {f"{k}.csv": ("size,café,y\n" + "".join(rows[60 * k : 60 * k + 60])).encode() for k in range(3)}


def write_parts(folder, parts, suffix):
    folder.mkdir()
    for name, content in parts.items():
        path = (folder / name).with_suffix(f".{suffix}")
        path.write_bytes(content) if suffix == "csv" else pl.read_csv(content).write_parquet(path)


@contextmanager
def server(folder):
    """Files over HTTP on this machine, and a page of links to them."""
    uvicorn = pytest.importorskip("uvicorn")
    from starlette.applications import Starlette
    from starlette.responses import FileResponse, HTMLResponse, Response
    from starlette.routing import Route

    async def index(request):
        return HTMLResponse("".join(f'<a href="/{file.name}">{file.name}</a>' for file in folder.iterdir()))

    async def send(request):
        path = folder / request.path_params["name"]
        return FileResponse(path) if path.exists() else Response(status_code=404)

    routes = [Route("/", index), Route("/{name}", send, methods=["GET", "HEAD"])]
    running = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(10)


@pytest.fixture(params=["memory", "http", "http of parquet"])
def address(request, parts, tmp_path):
    """Where these files are, for as long as the test takes."""
    fsspec = pytest.importorskip("fsspec")
    if request.param == "memory":
        system = fsspec.filesystem("memory")
        system.pipe({f"/rosenblatt-test/{name}": content for name, content in parts.items()})
        yield "memory://rosenblatt-test/*.csv"
        system.rm("/rosenblatt-test", recursive=True)
        return
    pytest.importorskip("aiohttp")
    suffix = "parquet" if "parquet" in request.param else "csv"
    write_parts(tmp_path / "served", parts, suffix)
    with server(tmp_path / "served") as host:
        yield f"{host}/*.{suffix}"


def test_an_address_gives_the_bytes_of_the_same_files_on_disk(address, parts, tmp_path):
    suffix = address.rpartition(".")[2]
    write_parts(tmp_path / "disk", parts, suffix)
    recipe = Recipe(epochs=2, shards=3)
    for where, name in ((address, "at-address"), (str(tmp_path / "disk" / f"*.{suffix}"), "on-disk")):
        source = FileSource(where, ReadOptions(target="y"), 300, str(tmp_path / f"rows-{name}"))
        learn_on_cluster(source, recipe, TasksHere()).classifier.save(tmp_path / name)
    assert (tmp_path / "at-address").read_bytes() == (tmp_path / "on-disk").read_bytes()


def test_an_address_that_cannot_be_read_is_named():
    pytest.importorskip("fsspec")
    for where, message in (
        ("memory://nothing/here.csv", r"memory://nothing/here\.csv: it cannot be read \(there is no such file\)"),
        ("nosuch://host/a.csv", r"nosuch://host/a\.csv: .*nosuch"),
        ("memory://nothing/*.csv", r"there is no file in it"),
    ):
        with pytest.raises(FileError, match=message):
            plan_blocks(where, ReadOptions(target="y"))


def test_a_file_at_an_address_that_changes_is_refused():
    fsspec = pytest.importorskip("fsspec")
    system = fsspec.filesystem("memory")
    system.pipe("/rosenblatt-changed/a.csv", b"a,y\n1,0\n2,1\n")
    (block,) = plan_blocks("memory://rosenblatt-changed/a.csv", ReadOptions(target="y"))
    assert len(block.read()) == 2
    system.pipe("/rosenblatt-changed/a.csv", b"a,y\n1,0\n3,1\n")
    with pytest.raises(FileError, match="it has changed since the run began"):
        block.read()
    system.rm("/rosenblatt-changed", recursive=True)


def test_a_bad_line_of_a_compressed_file_is_named(tmp_path):
    import gzip

    path = tmp_path / "rows.csv.gz"
    path.write_bytes(gzip.compress(b"a,b,y\n1,2,0\n2,3,1\n4,1\n"))
    (block,) = blocks_of(path, 5, target="y")
    with pytest.raises(FileError, match=r"rows\.csv\.gz, line 4"):
        block.read()


def test_what_cannot_be_cut_is_refused_with_what_can(tmp_path):
    (tmp_path / "texts.txt").write_text("ham\thello there\nspam\tbuy now\n")
    with pytest.raises(SettingError, match="Take --workers"):
        plan_blocks(str(tmp_path / "texts.txt"), ReadOptions(format="text"))
    with pytest.raises(FileError, match="there is no such file"):
        plan_blocks(str(tmp_path / "nothing-*.csv"), ReadOptions())
    with pytest.raises(SettingError, match="known by its name"):
        plan_blocks("iris", ReadOptions())


def test_lines_that_end_in_cr_alone_are_one_block(tmp_path):
    """As Excel writes them for old Macs: nobody can cut them where an LF is."""
    (tmp_path / "mac.csv").write_bytes(b"a,y\r1,u\r2,v\r3,u\r")
    blocks = plan_blocks(str(tmp_path / "mac.csv"), ReadOptions(target="y"), 4)
    (block,) = with_scans(blocks, [scan(block) for block in blocks])
    data = block.read()
    assert data.rows["a"].cast(int).to_list() == [1, 2, 3]
    assert data.labels.to_list() == ["u", "v", "u"]


@pytest.mark.parametrize("above", ["# title\n", "# sums, of 2024\n", "sep=;\n"])
def test_lines_above_a_table_do_not_choose_its_delimiter(above, tmp_path):
    (tmp_path / "a.csv").write_text(above + "a;b;y\n" + "".join(f"{k};x,{k};{'uv'[k % 2]}\n" for k in range(30)))
    options = ReadOptions(target="y")
    blocks = plan_blocks(str(tmp_path / "a.csv"), options, block_bytes=50)
    parts = [block.read() for block in with_scans(blocks, [scan(block) for block in blocks])]
    rows = [row for part in parts if part.rows is not None for row in part.rows.rows()]
    assert rows == rb.read(tmp_path / "a.csv", target="y", as_text=True).rows.rows()
