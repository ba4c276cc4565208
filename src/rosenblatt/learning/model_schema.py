"""What a model file may hold: every field and every array, declared; whatever is otherwise is refused before it is used.

The checksum finds damage, not malice: a file with the right one may hold anything. So nothing is built from it before all
of it fits together: first the header, then the number of features, then every array that depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from rosenblatt.engine.parameters import AnyOf, Anything, Choice, Flag, Real, Text, Whole
from rosenblatt.engine.rows import MOST_ROWS
from rosenblatt.features import FOR_KIND
from rosenblatt.learning.learners import ALL_LEARNERS, KERNEL, KERNEL_VIEWS, KernelDesign
from rosenblatt.learning.map_schema import NUMBER_FORMAT, count_features, verify_map
from rosenblatt.learning.plan import METRIC_NAMES, MIXES, Plan
from rosenblatt.learning.schema import (
    COUNT,
    MAYBE_COUNT,
    MOST_COUNTED,
    ByName,
    Either,
    Label,
    ListOf,
    ObjectOf,
    SchemaError,
    Size,
    shown,
    verify,
)
from rosenblatt.learning.votes import VOTING

ERROR = Real(least=0, optional=True)  # a share, or in a regression a mean square
VIEWS = ("last", "averaged", "best")
NEEDED_VIEWS = ("last", "averaged")
LABEL_TYPES = {"U": (str,), "O": (str, bool, int, float), "i": (int,), "u": (int,), "b": (bool,), "f": (float,)}

EPOCH = ObjectOf(
    {
        **dict.fromkeys(("examples", "mistakes", "updates"), COUNT),
        "norm": Size(),
        "moved": Size(optional=True),
        "held_out_last": ERROR,
        "held_out_averaged": ERROR,
    }
)
SUMMARY = ObjectOf(
    {},
    {
        **dict.fromkeys(("examples", "features", "epochs", "updates", "seen"), MAYBE_COUNT),
        **dict.fromkeys(("learner", "stopped_because"), Text(optional=True)),
        "classes": Either(list=ListOf(Label()), nothing=True),
        "converged": Flag(optional=True),
        "train_error": ERROR,
        "dev_error": Either(object=ByName(ERROR), nothing=True),
        "seconds": Size(optional=True),
    },
    open=True,
)
FACTOR = Real(least=0)
NOT_IN_EVERY_RECIPE = ("average", "keep_log", "metric", "multiclass", "window")
RECIPE = ObjectOf(
    {
        "learner": Choice(tuple(ALL_LEARNERS)),
        **{name: one.allowed for name, one in Plan.declared().items() if name not in NOT_IN_EVERY_RECIPE},
        "average": Flag(optional=True),
        # Pairs of label and factor; older files have an object.
        "class_weight": Either(Choice(("balanced",)), ListOf(ListOf(Label(), 2, 2)), ByName(FACTOR), nothing=True),
        "parameters": ByName(Anything()),  # as its learner declares them, and
        "features": ByName(Anything()),  # as the map of its kind takes them: `verify_recipe`
        "keep_log": Flag(),
    },
    {
        "regression": Flag(),
        "metric": Choice(METRIC_NAMES),
        "calibrate": Flag(),
        "threshold": AnyOf(Real(above=0, below=1), Text()),
        "multiclass": Plan.declared()["multiclass"].allowed,
        "window": Whole(1),
        "shards": Whole(1),
        "mix": Choice(MIXES),
    },
)
CALIBRATION = ObjectOf(
    {"method": Choice(("sigmoid", "isotonic")), "view": Choice((*VIEWS, *VOTING)), "rows": COUNT, "source": Text()}
)
THRESHOLD = ObjectOf(
    {"probability": Real(least=0, most=1), "score": Real(), "chosen": Text(), "view": Choice((*VIEWS, *VOTING))}
)
TARGET_SCALE = ObjectOf(
    {
        **dict.fromkeys(("mean", "least", "most", "centre"), Real()),
        "sd": Real(above=0),
        "number": Either(object=NUMBER_FORMAT, nothing=True),
    }
)
SUMS = ObjectOf(
    {
        **dict.fromkeys(("t", "settled", "updates"), COUNT),
        **dict.fromkeys(("scale", "weight", "largest"), Real()),
    }
)
LOG = ObjectOf(
    {
        "rows": Choice(("dense", "one-hot", "csr")),
        "shape": ListOf(Whole(0, 2**62), 2, 2),
        "last": COUNT,
        "fit_intercept": Flag(),
    }
)
DESIGN = KernelDesign.declared()
KERNELS: dict[str, ObjectOf] = {
    name: ObjectOf({"name": Choice((name,)), **{one: DESIGN[one].allowed for one in numbers}})
    for name, numbers in {"linear": (), "polynomial": ("degree", "coef0"), "rbf": ("gamma",)}.items()
}
DUAL = ObjectOf(
    {
        "kernel": ObjectOf({"name": Choice(tuple(KERNELS))}, open=True),  # as one of KERNELS: `verify_dual`
        **dict.fromkeys(("constant", "one_rival", "log"), Flag()),
        "rows": Choice(("dense", "csr")),
        "shape": ListOf(Whole(0, 2**62), 2, 2),
        "examples": Whole(1, MOST_COUNTED),
        "rows_seen": COUNT,
        "norm2": Real(),
        "updates": ListOf(COUNT, least=1),
    }
)
HEADER = ObjectOf(
    {
        "labels": ListOf(Label()),  # none of a regression
        "label_type": Choice(tuple(LABEL_TYPES)),
        "view": Choice((*VIEWS, *VOTING)),
        "kind": Choice(tuple(FOR_KIND)),
        "target": Text(optional=True),
        "history": ListOf(EPOCH),
        "summary": SUMMARY,
    },
    {
        "zero_based": Flag(optional=True),
        "file_columns": ListOf(Text()),
        "log": LOG,
        "dual": DUAL,
        "sums": SUMS,
        "calibration": CALIBRATION,
        "threshold": THRESHOLD,
        "target_scale": TARGET_SCALE,
    },
    open=True,
)


def verify_header(header: dict[str, Any]) -> None:
    """Refuses a header that is not as declared, or whose parts contradict each other."""
    verify("the header", header, HEADER)
    verify_labels(header["labels"], header["label_type"], may_have_grown="sums" in header)
    verify_map(header.get("feature_map"), header["kind"])
    verify_recipe(header.get("recipe"), header["kind"])
    numbers = header["recipe"].get("regression", False)
    if len(header["labels"]) < 2 if not numbers else header["labels"] or "log" in header or header["view"] in VOTING:
        raise SchemaError("the labels are not those of its learner, or too few to tell apart")
    if (header["recipe"]["learner"] == KERNEL.name) != ("dual" in header) or ("dual" in header and "log" in header):
        raise SchemaError("the learner is not the one that what it has learned is of")
    summary, history = header["summary"], header["history"]
    if summary.get("classes") not in (None, header["labels"]):
        raise SchemaError("summary.classes are not the labels")
    if "calibration" in header and numbers:
        raise SchemaError("a regression has no probabilities")
    scale = header.get("target_scale")
    if scale is not None and (
        not numbers or (scale["number"] and scale["number"]["decimal"] == scale["number"]["thousands"])
    ):
        raise SchemaError("the scale of the target is none of numbers")
    if not numbers and (summary.get("train_error") or 0) > 1:
        raise SchemaError("summary.train_error is no share of the rows")
    if "threshold" in header and len(header["labels"]) != 2:
        raise SchemaError("a threshold is of two classes")
    if "file_columns" in header:
        verify_file_columns(header["file_columns"], header)
    for view in summary.get("dev_error") or ():
        verify("a view of summary.dev_error", view, Choice((*VIEWS, *VOTING)))
    if sum(epoch["examples"] for epoch in history) > MOST_COUNTED:
        raise SchemaError("the history counts more examples than there can be")


def verify_file_columns(names: list[str], header: dict[str, Any]) -> None:
    """The columns of a file without names are those of its table, and the target among them."""
    saved = header["feature_map"]
    known = [one["name"] for one in saved.get("readings", saved.get("columns", ()))] if saved["map"] == "table" else [None]
    if len(set(names)) < len(names) or not {*known, header["target"]} <= set(names):
        raise SchemaError("file_columns are not those of the table that it has learned from")


def verify_labels(labels: list[Any], label_type: str, may_have_grown: bool) -> None:
    """Labels are of the type that the file names, and distinct: sorted, those that `update` has met behind them."""
    for label in labels:
        if type(label) not in LABEL_TYPES[label_type] or type(label) is not type(labels[0]):
            raise SchemaError(f"the label {shown(label)} is not of the type {label_type!r} that the file names")
        if isinstance(label, int) and not -(2**63) * (label_type != "u") <= label < 2**63 * (1 + (label_type == "u")):
            raise SchemaError(f"the label {shown(label)} has no room in 64 bits")
    if len(set(labels)) < len(labels) or (not may_have_grown and any(low > high for low, high in pairwise(labels))):
        raise SchemaError("the labels are not sorted, or one is there twice")


def verify_recipe(recipe: Any, kind: str) -> None:
    """A recipe that could have been asked for: the learner's parameters and the map's options as they are declared."""
    verify("recipe", recipe, RECIPE)
    learner = ALL_LEARNERS[recipe["learner"]]
    declared = (learner.for_numbers() if recipe.get("regression") else learner).parameters
    verify("recipe.parameters", recipe["parameters"], ObjectOf({}, {name: one.allowed for name, one in declared.items()}))
    for number, pair in enumerate(recipe["class_weight"] if isinstance(recipe["class_weight"], list) else ()):
        verify(f"recipe.class_weight[{number}]", pair[1], FACTOR)
    FOR_KIND[kind](**recipe["features"])  # refuses what it has not


# ---- the arrays ----


@dataclass(frozen=True)
class Tensor:
    """The type and the shape of an array, and the numbers that it may hold."""

    types: tuple[str, ...]
    shape: tuple[int, ...]
    least: int | None = None

    def verify(self, name: str, array: np.ndarray) -> None:
        if array.dtype.name not in self.types or array.shape != self.shape:
            actual = f"{array.dtype.name} of shape {shown(array.shape)}"
            raise SchemaError(f"the array {name} is {actual}: expected {' or '.join(self.types)} of shape {self.shape}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise SchemaError(f"the array {name} holds numbers that are not finite")
        if self.least is not None and array.size and int(array.min()) < self.least:
            raise SchemaError(f"the array {name} holds {int(array.min())}: expected {self.least} or more")


DOUBLE, FLOATS, LONG, INT, INDICES = ("float64",), ("float32", "float64"), ("int64",), ("int32",), ("int32", "int64")


def verify_arrays(header: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Refuses arrays that a verified header does not explain; the number of features is settled first."""
    coef, dual = arrays.get("last.coef"), header.get("dual")
    if dual is not None:
        width = dual["shape"][1]
    elif coef is not None and coef.ndim == 2:
        width = coef.shape[1]
    else:
        raise SchemaError("it has no last weights")
    d = count_features(header["feature_map"], most=width)
    if d != width or d < 1:
        raise SchemaError(f"weights and features do not match: there are weights for {width:,} features")
    if header["summary"].get("features") not in (None, d):
        raise SchemaError("summary.features is not the number of features")
    classes = len(header["labels"])
    verify_all(declared_counts(arrays, max(1, classes), d), arrays)  # of numbers all rows together
    for name in ("class_counts", "counts"):
        if name in arrays and int(arrays[name].max(initial=0)) > MOST_COUNTED // max(1, classes):
            raise SchemaError(f"the array {name} counts more rows than there can be")
    vectors = 1 if classes <= 2 else classes
    if "calibration" in header:
        verify_calibration(header["calibration"], arrays, vectors)
    if dual is not None:
        verify_dual(dual, arrays, classes, header["view"])
        return
    verify_all(declared_arrays(arrays, vectors, d), arrays)
    if ALL_LEARNERS[header["recipe"]["learner"]].rule.second_order:
        verify_variances(arrays, vectors, d)
    if header["view"] not in VOTING and f"{header['view']}.coef" not in arrays:
        raise SchemaError(f"it has no {header['view']} weights, which are to predict")
    if header["view"] in VOTING and not header.get("log", {}).get("last"):
        raise SchemaError("all weights are to vote, but it has no log of them")
    if "log" in header:
        verify_log(header["log"], arrays, vectors, d)
    if "sums" in header:
        verify_sums(header["sums"], arrays, vectors, d)


def verify_sums(facts: dict[str, Any], arrays: Mapping[str, np.ndarray], vectors: int, d: int) -> None:
    """Refuses sums that are not those of the weights."""
    optional = [name for name in ("total", "w") if f"sums.{name}" in arrays]
    declared = dict.fromkeys(("u", *optional), Tensor(DOUBLE, (vectors, d)))
    declared |= dict.fromkeys(("bias_u", "bias_total"), Tensor(DOUBLE, (vectors,)))
    verify_all({f"sums.{name}": tensor for name, tensor in declared.items()}, arrays)
    if facts["settled"] > facts["t"] or ("w" in optional) != (facts["scale"] != 1):
        raise SchemaError("the sums do not belong to the weights")


def verify_calibration(facts: dict[str, Any], arrays: Mapping[str, np.ndarray], vectors: int) -> None:
    """Refuses maps from scores to probabilities that are not as many as there are scores, or that fall."""
    if facts["method"] == "sigmoid":
        verify_all({f"calibration.{name}": Tensor(DOUBLE, (vectors,)) for name in ("slopes", "offsets")}, arrays)
        if (arrays["calibration.slopes"] < 0).any():
            raise SchemaError("a slope of the calibration is negative")
        return
    knots = arrays["calibration.knots"].size if "calibration.knots" in arrays else 0
    declared = {"knots": Tensor(DOUBLE, (knots,)), "values": Tensor(DOUBLE, (knots,)), "ends": Tensor(LONG, (vectors,), 1)}
    verify_all({f"calibration.{name}": tensor for name, tensor in declared.items()}, arrays)
    ends, values = arrays["calibration.ends"], arrays["calibration.values"]
    if ends[-1] != knots or (np.diff(ends, prepend=0) < 1).any() or values.min() < 0 or values.max() > 1:
        raise SchemaError("the steps of the calibration do not belong together")
    within = np.ones(knots, dtype=bool)
    within[np.concatenate([[0], ends[:-1]])] = False  # from one class's last knot to the next's first
    steps = [np.diff(arrays[f"calibration.{name}"], prepend=0)[within] for name in ("knots", "values")]
    if (steps[0] <= 0).any() or (steps[1] < 0).any():
        raise SchemaError("the steps of the calibration do not rise")


def verify_all(declared: Mapping[str, Tensor], arrays: Mapping[str, np.ndarray]) -> None:
    """Refuses arrays that are missing, or not as declared."""
    for name, tensor in declared.items():
        if name not in arrays:
            raise SchemaError(f"the array {name} is missing")
        tensor.verify(name, arrays[name])


def declared_arrays(arrays: Mapping[str, np.ndarray], vectors: int, d: int) -> dict[str, Tensor]:
    """The weights of a classifier, view by view."""
    declared: dict[str, Tensor] = {}
    for view in VIEWS:
        if view in NEEDED_VIEWS or f"{view}.coef" in arrays or f"{view}.intercept" in arrays:
            declared |= {f"{view}.coef": Tensor(DOUBLE, (vectors, d)), f"{view}.intercept": Tensor(DOUBLE, (vectors,))}
    return declared


def verify_variances(arrays: Mapping[str, np.ndarray], vectors: int, d: int) -> None:
    """Refuses variances of the last weights that are missing, or cannot be."""
    shapes = {"variances.coef": (vectors, d), "variances.intercept": (vectors,)}
    verify_all({name: Tensor(DOUBLE, shape) for name, shape in shapes.items()}, arrays)
    for name in shapes:
        if not ((arrays[name] >= 0) & (arrays[name] <= 1)).all():
            raise SchemaError(f"the array {name} holds numbers that are no variances: expected 0 to 1")


def declared_counts(arrays: Mapping[str, np.ndarray], classes: int, d: int) -> dict[str, Tensor]:
    """How many rows of training each class had, and every feature in each."""
    declared: dict[str, Tensor] = {}
    if "counts" in arrays or "class_counts" in arrays:
        declared["class_counts"] = Tensor(LONG, (classes,), least=0)
    if "counts" in arrays:
        declared["counts"] = Tensor(LONG, (classes, d), least=0)
    if "means" in arrays:
        declared["means"] = Tensor(DOUBLE, (d,))
    return declared


def verify_log(facts: dict[str, Any], arrays: Mapping[str, np.ndarray], vectors: int, d: int) -> None:
    """Refuses a log whose arrays do not belong together; what they point to, `Memory` looks at."""
    n, columns = facts["shape"]
    if columns != d or n > MOST_ROWS:
        raise SchemaError("the rows of the log and the features do not match")
    sizes = {name: arrays[name].size if name in arrays else 0 for name in ("log.t", "log.indices")}
    updates, entries = sizes["log.t"], sizes["log.indices"]
    if facts["rows"] == "one-hot" and (entries % n if n else entries):
        raise SchemaError("the rows of the log are not all of one length")
    declared = {
        "t": Tensor(LONG, (updates,), least=0),
        "row": Tensor(INT, (updates,), least=0),
        "rival": Tensor(INT, (updates,), least=-1),
        "tau": Tensor(DOUBLE, (updates,)),
        "codes": Tensor(INT, (n,), least=0),
        "numbers": Tensor(LONG, (n,), least=0),
    }
    declared |= declared_rows(facts["rows"], (n, d), entries)
    if "log.start.coef" in arrays or "log.start.intercept" in arrays:
        declared |= {"start.coef": Tensor(DOUBLE, (vectors, d)), "start.intercept": Tensor(DOUBLE, (vectors,))}
    verify_all({f"log.{name}": tensor for name, tensor in declared.items()}, arrays)


def declared_rows(kind: str, shape: tuple[int, int], entries: int) -> dict[str, Tensor]:
    """The arrays of stored rows."""
    if kind == "dense":
        return {"values": Tensor(FLOATS, shape)}
    indices = {"indices": Tensor(INDICES, (entries,), least=0)}
    if kind == "one-hot":
        return indices
    return indices | {"values": Tensor(FLOATS, (entries,)), "indptr": Tensor(INDICES, (shape[0] + 1,), least=0)}


def verify_dual(facts: dict[str, Any], arrays: Mapping[str, np.ndarray], classes: int, view: str) -> None:
    """Refuses support examples, coefficients and logs that do not belong together; what they point to, `Dual` looks at."""
    verify("dual.kernel", facts["kernel"], KERNELS[facts["kernel"]["name"]])
    vectors = 1 if classes == 2 else classes
    one_rival, (n, d), updates = facts["one_rival"], facts["shape"], sum(facts["updates"])
    if (one_rival and vectors == 1) or len(facts["updates"]) != (1 if one_rival else vectors):
        raise SchemaError("dual.updates does not count those of every problem")
    if view not in KERNEL_VIEWS or (view != "last" and not facts["log"]):
        raise SchemaError(f"it has no {view} weights, which are to predict")
    if n > MOST_ROWS:
        raise SchemaError("dual.shape has more rows than there can be")
    entries = arrays["dual.indices"].size if "dual.indices" in arrays else 0
    declared = declared_rows(facts["rows"], (n, d), entries) | {
        "support": Tensor(LONG, (n,), least=0),
        "codes": Tensor(INT, (n,), least=0),
        "coef": Tensor(DOUBLE, (n, vectors)),
    }
    if facts["log"]:
        declared |= {
            "t": Tensor(LONG, (updates,), least=0),
            "row": Tensor(INT, (updates,), least=0),
            "rival": Tensor(INT, (updates,), least=-1),
            "tau": Tensor(DOUBLE, (updates,)),
        }
    verify_all({f"dual.{name}": tensor for name, tensor in declared.items()}, arrays)
