"""The registry of learners is the one place where learners are declared: the doors agree with it."""

import json

import pytest

import rosenblatt
from rosenblatt import SettingError
from rosenblatt.cli import run
from rosenblatt.engine.parameters import Parameter, Real
from rosenblatt.learning.learner_names import COMPARED, label_of, recipe_called
from rosenblatt.learning.learners import ALL_LEARNERS, KERNEL, KERNEL_RULES, LEARNERS, KernelDesign, Recipe
from rosenblatt.playground.learners import as_javascript, page_parameters, page_range


@pytest.mark.parametrize("name", LEARNERS)
def test_an_estimator_has_the_parameters_and_defaults_that_its_learner_declares(name):
    learner = LEARNERS[name]
    estimator = getattr(rosenblatt, learner.estimator)()
    assert {one.name: one.default for one in learner.parameters.values()}.items() <= estimator.get_params().items()
    assert estimator._rule() == learner.rule()
    assert (learner.view == "averaged") == (estimator.average and learner.view != "voted")


def test_the_kernel_learner_declares_what_its_estimator_has():
    defaults = {name: one.default for name, one in KERNEL.parameters.items()}
    assert defaults.items() <= rosenblatt.KernelPerceptron().get_params().items()
    assert set(KernelDesign.declared()) < set(KERNEL.parameters)


@pytest.mark.parametrize("name", ALL_LEARNERS)
def test_values_outside_a_declared_range_are_refused_by_every_door(name, capsys):
    for parameter, one in ALL_LEARNERS[name].parameters.items():
        rule = next((rule for rule, kind in KERNEL_RULES.items() if parameter in kind.parameters()), "perceptron")
        other = {"rule": rule} if name == KERNEL.name and parameter != "rule" else {}
        for value in (-1.0, float("nan"), "1", True, [1], None):
            if one.allowed.holds(value):
                continue
            with pytest.raises(SettingError, match=f"^{parameter} is "):
                Recipe(name, parameters={**other, parameter: value}).rule()
            estimator = getattr(rosenblatt, ALL_LEARNERS[name].estimator)(**{**other, parameter: value})
            with pytest.raises(SettingError, match=f"^{parameter} is "):
                estimator.fit([[1.0], [2.0]], [0, 1])
        assert (
            run(
                [
                    "train",
                    "iris",
                    "-l",
                    name,
                    *(f"--{k}={v}" for k, v in other.items()),
                    f"--{parameter.replace('_', '-')}=-1",
                    "-q",
                ]
            )
            == 2
        )
        assert parameter.replace("_", "-") in capsys.readouterr().err.replace("_", "-")


def test_train_compare_and_walk_offer_every_learner_and_every_parameter(capsys):
    for verb, learners in (("train", ALL_LEARNERS), ("walk", LEARNERS)):
        assert run([verb, "--help"]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert f"[{'|'.join(learners)}]" in text
        for learner in learners.values():
            assert all(f"--{name.replace('_', '-')} " in text for name in learner.parameters)
    assert run(["compare", "--help"]) == 0
    assert "".join(", ".join(COMPARED).split()) in "".join(capsys.readouterr().out.split())


def test_the_page_is_served_what_the_registry_declares():
    text = as_javascript().decode()
    served = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert list(served) == list(ALL_LEARNERS)
    for name, learner in served.items():
        assert getattr(rosenblatt, learner["estimator"])
        for field, shown in learner["parameters"].items():
            one = page_parameters(ALL_LEARNERS[name])[field]
            assert (shown["name"], shown["initial"]) == (one.name, one.default)
            if "choices" not in shown:
                assert [shown["least"], shown["most"]] == [page_range(one).least, page_range(one).most]
                assert one.allowed.holds(int(shown["least"]) if shown["whole"] else shown["least"])
                assert one.allowed.holds(int(shown["most"]) if shown["whole"] else shown["most"])


def test_the_page_keeps_to_the_limits_of_a_parameter():
    for allowed, value in ((Real(above=0, most=2), 2), (Real(least=0, below=1), 0.999), (Real(above=0), 1e6)):
        assert page_range(Parameter("share", 1.0, allowed)).most == value


def test_compare_names_what_a_recipe_does():
    for name in (*COMPARED, "voted"):
        assert recipe_called(name, Recipe(epochs=2)).compared_name == name
        assert label_of(name).lower().startswith(name.split()[0].split("-")[0])
    for name in ("averaged averaged", "averaged voted", "majority"):
        with pytest.raises(SettingError, match="There is no learner"):
            recipe_called(name, Recipe())
