"""From rows as people have them to vectors: maps that are learned once and then belong to the model.

Every map has the same verbs:

    fit(rows)          learns what the features are
    transform(rows)    rows that the loop reads without copying; what it could not use is in `notes`
    names              what each feature is
    to_json()          plain values, for the model file
    from_json(saved)   the same map again

>>> table = TableMap(numeric="category").fit({"age": [40, 17], "sex": ["Male", "Female"]})
>>> from_json(table.to_json()).names
['age=17', 'age=40', 'sex=Female', 'sex=Male']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from rosenblatt.errors import DataError
from rosenblatt.features.basis import PolynomialMap, RadialMap
from rosenblatt.features.image import ImageMap
from rosenblatt.features.notes import Notes
from rosenblatt.features.numbers import NumbersMap
from rosenblatt.features.scale import Scale
from rosenblatt.features.table import TableMap
from rosenblatt.features.text import TextMap

__all__ = [
    "FOR_KIND",
    "FeatureMap",
    "ImageMap",
    "Notes",
    "NumbersMap",
    "Scale",
    "TableMap",
    "TextMap",
    "from_json",
]


class FeatureMap(Protocol):
    """What all maps can do."""

    notes: Notes

    def fit(self, rows: Any) -> FeatureMap: ...
    def transform(self, rows: Any) -> Any: ...
    @property
    def names(self) -> list[str]: ...
    @property
    def n_features(self) -> int: ...
    def to_json(self) -> dict[str, Any]: ...


FOR_KIND: dict[str, Callable[..., FeatureMap]] = {
    "table": TableMap,
    "text": TextMap,
    "sparse": NumbersMap,
    "images": ImageMap,
}
FROM_JSON: dict[str, Callable[[dict[str, Any]], FeatureMap]] = {
    "table": TableMap.from_json,
    "text": TextMap.from_json,
    "numbers": NumbersMap.from_json,
    "image": ImageMap.from_json,
    "scale": Scale.from_json,
    "polynomial": PolynomialMap.from_json,
    "radial": RadialMap.from_json,
}


def from_json(saved: dict[str, Any]) -> FeatureMap:
    """The map that `to_json` saved."""
    kind = saved.get("map") if isinstance(saved, dict) else None
    if not isinstance(kind, str) or kind not in FROM_JSON:
        raise DataError(f"There is no feature map {kind!r}: it was saved by a newer release, or by something else.")
    try:
        return FROM_JSON[kind](saved)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise DataError(f"The saved feature map {kind!r} is incomplete or damaged: {error!r}") from None
