"""What workers are worth: the sums by hand, and that it is told before a run, which goes on to the same bits."""

import numpy as np
import pytest

from rosenblatt.cli import run
from rosenblatt.cluster.advice import Advice, compared_errors
from rosenblatt.cluster.local import LocalWorkers
from rosenblatt.cluster.mixed_run import ShardsHere, cut, ranges, train_shards
from rosenblatt.cluster.mixing import MixSettings
from rosenblatt.engine import rules
from rosenblatt.errors import SettingError
from rosenblatt.learning.driver import Callbacks
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.plan import Plan


def examples_of(n=6000):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(n, 8)).astype(np.float32)
    return for_classes(X, ((X @ draw.normal(size=8) > 0) ^ (draw.random(n) < 0.2)).astype(int))


def test_a_run_is_worth_what_its_epochs_save_beyond_the_start():
    advice = Advice(2, 8, epochs=10, plain_seconds=3.0, mixed_seconds=2.0, setup_seconds=5.0)
    assert advice.of_epoch == 1.5
    assert advice.of_run == 30 / 25
    advice.refuse_slow()  # just worth it
    with pytest.raises(SettingError, match=r"2 workers would take 26 s for what one run does in 30 s, which is 1.2 times"):
        Advice(2, 8, 10, 3.0, 2.0, 5.5).refuse_slow()
    told = Advice(3, 8, 5, 4.0, 2.0, 1.0, 20_000, 0.151, (0.16, 0.154)).sentence()
    assert told == (
        "3 workers: an epoch 2.0 times as fast as in one run, all 1.8 times. On 20,000 rows, mixing 8 shards errs on "
        "16.00 % after 5 epochs, on 15.40 % after 10; one run on 15.10 % after 5."
    )


def test_errors_are_compared_on_rows_that_were_held_out():
    settings = MixSettings(rules.Perceptron(), Plan(epochs=3, average=True), 4)
    tried, plain, (after, twice) = compared_errors(examples_of(), settings)
    assert tried == 6000
    for error in (plain, after, twice):
        assert 0.15 < error < 0.3  # a fifth of the labels is wrong, and a line separates the others
    assert compared_errors(examples_of(300), settings) is None


def test_few_rows_are_refused(tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("a,y\n" + "".join(f"{i},{int(i > 20)}\n" for i in range(40)))
    assert run(["train", str(tmp_path / "rows.csv"), "--target", "y", "--workers", "2"]) != 0
    assert "leave out --workers, or take --force" in capsys.readouterr().err
    assert run(["train", str(tmp_path / "rows.csv"), "--target", "y", "--force"]) == 2
    assert "--force would change nothing" in capsys.readouterr().err


def test_what_is_told_before_a_run_does_not_change_its_bits(monkeypatch):
    examples, told = examples_of(), []
    monkeypatch.setattr(Advice, "refuse_slow", lambda self: told.append(self))
    local = LocalWorkers(2, 4, "uniform", told.append)
    rule, plan = rules.Mira(), Plan(epochs=2)
    mixed = local.run(examples, rule, plan, None, Callbacks())
    assert [type(one) for one in told] == [Advice] * 2
    assert all(one.plain_seconds > 0 and one.mixed_seconds > 0 for one in told)
    assert told[0].plain_error is not None
    serial = train_shards(ShardsHere([cut(examples, *both) for both in ranges(6000, 4)]), MixSettings(rule, plan, 4))
    assert mixed.view("last").coef.tobytes() == serial.view("last").coef.tobytes()
