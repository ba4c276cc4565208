"""Tables with a column a year, and files of which one column is left."""

import pytest

import rosenblatt
from rosenblatt.cli import run
from rosenblatt.errors import RosenblattError

YEARS = "country,2005,2006,2007\n" + "".join(f"land {row},{row}.5,{row * 3 % 7}.5,{row * 5 % 11}.25\n" for row in range(30))


@pytest.mark.parametrize("target", ["2007", 2007])
def test_a_column_that_is_called_by_a_year_can_be_the_target(target, tmp_path):
    path = tmp_path / "world.csv"
    path.write_text(YEARS)
    data = rosenblatt.read(str(path), target=target)
    assert data.labels.name == "2007"
    assert data.rows.columns == ["country", "2005", "2006"]


def test_a_year_that_is_no_column_is_still_refused(tmp_path):
    path = tmp_path / "world.csv"
    path.write_text(YEARS)
    with pytest.raises(RosenblattError, match="the first line looks like data"):
        rosenblatt.read(str(path), target=2011)


def test_rows_of_one_column_of_times_are_read_as_those_of_training(tmp_path, capsys):
    times = [f"2010/01/{1 + row % 28:02d} {row % 24:02d}:00" for row in range(60)]
    table, rows, model = (tmp_path / name for name in ("table.csv", "rows.csv", "m.rosenblatt"))
    table.write_text(
        "\n".join(["when,shift", *(f"{at},{'late' if row % 24 > 12 else 'early'}" for row, at in enumerate(times))])
    )
    rows.write_text("\n".join(["when", *times]))
    assert run(["train", str(table), "--target", "shift", "-o", str(model), "-q"]) == 0
    capsys.readouterr()
    assert run(["predict", str(model), str(rows)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 61
