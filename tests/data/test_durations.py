"""Durations are numbers of seconds, however people and programs write them; Python's timedelta is the witness."""

import json
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.data.columns.durations import seconds
from rosenblatt.data.columns.kinds import decide


def parts(length):
    days, rest = divmod(int(length.total_seconds()), 86_400)
    hours, rest = divmod(rest, 3600)
    return days, hours, *divmod(rest, 60)


WRITTEN = {
    "as Python": str,
    "as pandas": lambda t: "{} days {:02}:{:02}:{:02}".format(*parts(t)),
    "ISO 8601": lambda t: "P{}DT{}H{}M{}S".format(*parts(t)),
    "in letters": lambda t: "{}d {}h {}m {}s".format(*parts(t)),
    "in words": lambda t: "{} days, {} hours, {} minutes and {} seconds".format(*parts(t)),
    "in German": lambda t: "{} Tage {} Std. {} Min. {} Sek.".format(*parts(t)),
    "hours beyond a day": lambda t: f"{24 * parts(t)[0] + parts(t)[1]}:{parts(t)[2]:02}:{parts(t)[3]:02}",
    "minutes and seconds": lambda t: f"{int(t.total_seconds()) // 60}:{int(t.total_seconds()) % 60:02}",
    "milliseconds": lambda t: f"{int(t.total_seconds()) * 1000} ms",
}


@pytest.mark.parametrize("written", WRITTEN)
@given(length=st.integers(0, 10**7).map(lambda n: timedelta(seconds=n)))
def test_it_is_as_long_as_it_says(written, length):
    assert seconds(WRITTEN[written](length)) == pytest.approx(length.total_seconds(), rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "5",
            "5 apples",
            "1:2",
            "4:3",
            "1:75:00",
            "1:5:00",
            "PT",
            "P",
            "P3M",
            "5M",
            "38S",
            "2h 5",
            "h",
            "12:60",
            "1:2:3:4",
        ),
        *("5 h,", "5 h and", "1,500 ms", "3 min 1,250 s", "-1 days 23:59:59", "9" * 400 + " h"),  # nobody knows, or too long
    ],
)
def test_what_is_none_is_no_duration(text):
    assert seconds(text) is None


@given(length=st.timedeltas(timedelta(-1000), timedelta(1000)).map(lambda t: timedelta(t.days, t.seconds)))
def test_a_negative_one_is_as_long_as_python_and_pandas_say(length):
    # -1 day, 23:59:59 and -1 days +23:59:59 are both one second before nothing.
    hours, rest = divmod(length.seconds, 3600)
    as_pandas = f"{length.days} days {'+' * (length.days < 0)}{hours:02}:{rest // 60:02}:{rest % 60:02}"
    assert seconds(str(length)) == seconds(as_pandas) == length.total_seconds()


@pytest.mark.parametrize("part", ["5 h ", "5 kg ", "5 h and ", "5hand", "5 h", "1:", "5 ", "5,5 "])
def test_a_cell_that_goes_on_and_on_ends(part):
    # Two ways to read each blank were 2^n ways to read n of them: 30 took minutes.
    assert seconds(part * 5000 + "x") is None
    decide(pl.DataFrame({"cells": [part * 40 + f"{number} x" for number in range(30)]}), trimmed=True)


def test_a_model_reads_them_whatever_stands_beside_them(tmp_path, capsys):
    rows = [f"{k % 30}:{k % 60:02}:{7 * k % 60:02},{'slow' if k % 30 > 12 else 'fast'}\n" for k in range(90)]
    (tmp_path / "calls.csv").write_text("length,kind\n" + "".join(rows))
    models = []
    for stream in ([], ["--stream"]):
        model = tmp_path / f"m{len(stream)}.rosenblatt"
        say = ["--target", "kind", "--numeric", "number", "-q", "-o", str(model), *stream]
        assert run(["train", str(tmp_path / "calls.csv"), *say]) == 0
        models.append(model)
    assert models[0].read_bytes() == models[1].read_bytes()
    features = rosenblatt.load(models[0]).features
    together = np.asarray(features.transform(pl.DataFrame({"length": ["2:00:00", "120 min", "PT2H", "7200s", "soon"]})))
    assert features.notes.unreadable["length"] == 1
    alone = np.asarray(features.transform(pl.DataFrame({"length": ["2:00:00"]})))
    assert (together[:4] == alone).all()


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["3 d", "5 m", "1 d"], "category"),  # minutes, or months?
        (["3 h", "5 m", "1 h"], "number"),
        (["10 min", "12 min", "7 min"], "number"),  # with a unit, not in seconds
        (["16:9", "4:3", "21:9"], "category"),
        (["1 day, 5:30", "2 days, 7:12", "3 days, 0:01"], "category"),  # hours, as uptime has them, or minutes?
        (["1 day, 5:30:00", "2 days, 7:12:00", "3 days, 0:01:00"], "number"),
    ],
)
def test_what_may_be_something_else_is_left_as_it_is(cells, kind):
    (reading,) = decide(pl.DataFrame({"cells": cells * 10}), trimmed=True)
    assert reading.kind == kind


def test_a_target_of_durations_is_predicted_in_seconds(tmp_path, capsys):
    rows = [f"{k},{timedelta(minutes=7 * k, seconds=5)}\n" for k in range(1, 60)]
    (tmp_path / "runs.csv").write_text("distance,took\n" + "".join(rows))
    model = str(tmp_path / "m.rosenblatt")
    assert run(["train", str(tmp_path / "runs.csv"), "--target", "took", "-e", "50", "-o", model]) == 0
    assert "written as a duration, taken as seconds" in capsys.readouterr().err
    assert run(["evaluate", model, str(tmp_path / "runs.csv"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mean_absolute_error"] < 60
