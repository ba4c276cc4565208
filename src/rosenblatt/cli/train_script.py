"""train --python: the same training as a script."""

from __future__ import annotations

from rosenblatt.cli.train import TrainOptions


def as_python(chosen: TrainOptions) -> str:
    """The training that the options ask for, as a script: its model file has the same bytes."""
    from rosenblatt.show.reproduce import TrainingSource, chosen_settings, script

    reading = {name: value for name, value in chosen.read_keywords().items() if name != "target"}
    saved = chosen.output or "model.rosenblatt"
    source = TrainingSource(chosen.file, chosen.target_column, chosen.dev, chosen.holdout, reading, saved)
    return script(chosen_settings(chosen.train_recipe()), source, chosen.split_keywords())
