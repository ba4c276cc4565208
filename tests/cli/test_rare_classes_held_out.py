"""A class whose rows are all held out: the others are measured on, and it is told."""

from rosenblatt.cli import run

ROWS = [f"{row % 7},{'even' if row % 2 == 0 else 'odd'}" for row in range(60)]


def test_classes_of_which_no_row_is_left_to_learn_from_are_told_and_not_measured_on(tmp_path, capsys):
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["digit,parity", *ROWS, *(f"{kind},once-{kind}" for kind in range(9))]) + "\n")
    assert run(["train", str(table), "--target", "parity", "--holdout", "0.5"]) == 0
    told = capsys.readouterr()
    assert "not measured on, as no row of their class is left to learn from: once-" in told.err
    assert "dev error" in told.out


def test_a_class_that_is_in_the_dev_file_alone_is_refused_with_what_train_can_do(tmp_path, capsys):
    (tmp_path / "train.csv").write_text("\n".join(["digit,parity", *ROWS]) + "\n")
    (tmp_path / "dev.csv").write_text("digit,parity\n1,odd\n2,neither\n")
    assert run(["train", str(tmp_path / "train.csv"), "--target", "parity", "--dev", str(tmp_path / "dev.csv")]) == 1
    assert "never seen in training: 'neither'. Leave those rows out, or learn from some." in capsys.readouterr().err


def test_a_name_for_a_target_is_warned_of_and_cannot_be_measured(tmp_path, capsys):
    table, ids = tmp_path / "people.csv", tmp_path / "visits.csv"
    table.write_text("\n".join(["age,name", *(f"{row % 7},person {row}" for row in range(60))]) + "\n")
    ids.write_text("\n".join(["age,name", *(f"{row % 7},person {row // 2}" for row in range(60))]) + "\n")
    assert run(["train", str(table), "--target", "name"]) == 0
    assert "60 of 60 rows are alone in their class" in capsys.readouterr().err
    assert run(["facts", str(table), "--target", "name"]) == 0
    assert "60 of 60 rows are alone in their class" in capsys.readouterr().out
    assert run(["train", str(table), "--target", "name", "--holdout", "0.2"]) == 1
    assert "no held-out row has a class of which rows are left" in capsys.readouterr().err
    assert run(["train", str(ids), "--target", "name"]) == 0
    assert "alone" not in capsys.readouterr().err
