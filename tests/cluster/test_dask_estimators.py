"""DaskPerceptron and its like: files, dataframes and arrays that hold the same rows give the same bits."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import rosenblatt as rb
from rosenblatt.cluster.mixed_run import ShardsHere, cut, ranges, train_shards
from rosenblatt.cluster.mixing import MixSettings
from rosenblatt.errors import DataError, SettingError
from rosenblatt.learning.examples import for_classes
from rosenblatt.learning.learners import LEARNERS
from rosenblatt.learning.plan import Plan

distributed = pytest.importorskip("distributed", reason="dask is not installed")
pd = pytest.importorskip("pandas")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

pytestmark = pytest.mark.filterwarnings("ignore")
ALL = [name for name in rb.__all__ if name.startswith("Dask")]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("scratch"))
    settings = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with distributed.LocalCluster(local_directory=folder, **settings) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def rows():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(400, 5))
    return X, np.digitize(X @ [1, -1, 0.5, 0, 2] + 0.3 * draw.normal(size=400), [-1, 1])


@pytest.mark.parametrize("name", ALL)
def test_an_array_gives_the_bits_of_the_serial_function(name, client, rows):
    X, y = rows
    learner = getattr(rb, name)(client=client, shards=3, max_iter=2, random_state=5)
    learner.fit(da.from_array(X, chunks=(130, 3)), da.from_array(y, chunks=400))
    examples = for_classes(X, y)
    serial = train_shards(
        ShardsHere([cut(examples, *both) for both in ranges(400, 3)]),
        MixSettings(LEARNERS[learner._learner].rule(), Plan(epochs=2, seed=5), 3),
    )
    model = serial.view("averaged" if learner._learner in ("averaged", "logistic") else "last")
    assert learner.coef_.tobytes() == model.coef.tobytes()
    assert learner.intercept_.tobytes() == model.intercept.tobytes()
    assert (learner.predict(X) == model.predict(X)).all()
    in_parts = learner.predict(da.from_array(X, chunks=(90, 5)))
    assert hasattr(in_parts, "compute")
    assert (in_parts.compute() == model.predict(X)).all()


def test_a_dataframe_gives_the_bits_of_the_file_that_holds_it(client, rows, tmp_path):
    X, y = rows
    frame = pd.DataFrame(X.round(3), columns=list("abcde"))
    frame["group"] = np.where(X[:, 0] > 0.5, "high", None)
    frame["y"] = np.array(["low", "middle", "high"])[y]
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    learners = [rb.DaskAveragedPerceptron(client=client, shards=4, max_iter=3) for _ in range(3)]
    learners[0].fit(dd.from_pandas(frame, npartitions=3), "y")
    learners[1].fit(tmp_path / "rows.csv", target="y")
    learners[2].fit(str(tmp_path / "*.parquet"), "y")
    assert len({learner.coef_.tobytes() for learner in learners}) == 1
    assert learners[0].classes_.tolist() == ["high", "low", "middle"]
    predicted = learners[0].predict(frame.drop(columns="y"))
    assert (predicted == frame["y"]).mean() > 0.8
    in_parts = learners[0].predict(dd.from_pandas(frame.drop(columns="y"), npartitions=2))
    assert (np.asarray(in_parts.compute()) == predicted).all()
    learners[0].classifier_.save(tmp_path / "model.rosenblatt")
    assert rb.load(tmp_path / "model.rosenblatt").recipe.shards == 4


def test_it_is_an_estimator_as_others_are(client, rows):
    learner = rb.DaskMira(client=client, p=0.25, shards=2)
    assert clone(learner).get_params()["p"] == 0.25
    assert clone(learner).client is client
    assert pickle.loads(pickle.dumps(learner)).client is None
    with pytest.raises(Exception, match="not fitted yet"):
        learner.predict(rows[0])


def test_what_is_none_of_the_three_is_refused_with_a_remedy(client, rows):
    X, y = rows
    learner = rb.DaskPerceptron(client=client)
    for fit, error, message in (
        (lambda: learner.fit(X, y), SettingError, "learned from by Perceptron"),
        (lambda: learner.fit(da.from_array(X), y), SettingError, "a Dask array as long"),
        (lambda: learner.fit(da.from_array(X), da.from_array(y[:9])), DataError, "400 rows but 9 labels"),
        (lambda: learner.fit(dd.from_pandas(pd.DataFrame(X), npartitions=2), "y"), SettingError, "name the column"),
        (lambda: learner.fit("rows.csv", "y", colour=1), Exception, "colour"),
        (
            lambda: rb.DaskPerceptron(client=client, mix="median").fit(da.from_array(X), da.from_array(y)),
            SettingError,
            "mix",
        ),
    ):
        with pytest.raises(error, match=message):
            fit()
