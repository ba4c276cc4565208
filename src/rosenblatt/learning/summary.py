"""What `train` reports of a run, and what a model file knows of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

NOT_SAVED = ("seconds",)  # differs from run to run
OPTIONAL = ("seen", "seconds")  # left out where they are not known


@dataclass
class Summary:
    """The numbers that people ask for first; None is what is not known, as the training error of a saved estimator."""

    learner: str | None = None
    examples: int | None = None
    features: int | None = None
    classes: list[Any] | None = None
    epochs: int | None = None
    updates: int | None = None
    converged: bool | None = None
    stopped_because: str | None = None
    train_error: float | None = None
    dev_error: dict[str, float] | None = None  # by view
    seen: int | None = None  # examples of all calls of partial_fit: the history is that of the last
    seconds: float | None = None

    def __getitem__(self, name: str) -> Any:
        """summary["updates"] is summary.updates."""
        return getattr(self, name)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints, in this order."""
        return {name: value for name, value in asdict(self).items() if value is not None or name not in OPTIONAL}

    def to_json(self) -> dict[str, Any]:
        """What a model file holds."""
        return {name: value for name, value in self.to_dict().items() if name not in NOT_SAVED}

    @classmethod
    def from_json(cls, saved: dict[str, Any], classes: list[Any]) -> Summary:
        """The reverse; keys that only other versions know are passed over."""
        known = {one.name for one in fields(cls)}
        return cls(**{"classes": classes} | {name: value for name, value in saved.items() if name in known})
