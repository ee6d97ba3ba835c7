"""A replay is what a shadow from the beginning learned, and what the learner learns without a server."""

import numpy as np
import pytest
import scipy.sparse as sp

import novikoff as nk
from engine_logs import describe, examples, learn, running, written
from novikoff.errors import InvalidInputError
from novikoff.serve.errors import ServeError
from novikoff.serve.history.compaction import compact
from novikoff.serve.history.past import Past
from novikoff.serve.history.replay import replay
from novikoff.serve.log.errors import CorruptRecord


def test_a_replay_is_exactly_a_shadow_from_the_beginning(tmp_path):
    written(tmp_path, learner="perceptron", shadow={"learner": "arow", "parameters": {"r": 0.5}})
    with running(tmp_path) as engine:
        learn(engine, examples(1))
        (shadow,) = describe(engine)["shadows"]
    with Past(tmp_path) as past:
        found = replay(past, "default", "arow", {"r": 0.5})
        assert (found.examples, found.mistakes) == (61, shadow["mistakes"])
        assert found.original_mistakes != found.mistakes


def test_a_replay_with_the_same_learner_has_the_bits_of_the_model(tmp_path):
    _, model = written(tmp_path, learner="arow", parameters={"r": 0.3})
    with Past(tmp_path) as past:
        found = replay(past, "default")
    assert found.learner.coef_.tobytes() == nk.loads(model).coef_.tobytes()
    assert str(found.learner.certificate_) == str(nk.loads(model).certificate_)
    assert found.mistakes == found.original_mistakes


def test_a_replay_equals_a_learner_without_a_server(tmp_path):
    rows, _ = written(tmp_path)
    with Past(tmp_path) as past:
        found = replay(past, "default", "passive-aggressive-i", {"C": 0.1})
    columns = {name: place for place, name in enumerate(dict.fromkeys(name for row in rows for name in row["x"]))}
    values = [value for row in rows for value in row["x"].values()]
    places = [columns[name] for row in rows for name in row["x"]]
    ends = np.cumsum([0, *(len(row["x"]) for row in rows)])
    offline = nk.PassiveAggressiveI(C=0.1)
    X = sp.csr_array((values, places, ends), shape=(len(rows), len(columns)))
    offline.partial_fit(X, [row["y"] for row in rows], classes=["high", "low"])
    assert found.learner.coef_.tobytes() == offline.coef_.tobytes()


def test_a_model_that_has_learned_nothing_is_not_replayed(tmp_path):
    with running(tmp_path) as engine:
        engine.create("default", {"learner": "arow"}).result()
    with Past(tmp_path) as past, pytest.raises(InvalidInputError, match="learned nothing"):
        replay(past, "default", "arow")


@pytest.mark.parametrize(
    ("learner", "parameters", "words"),
    [("nothing", {}, "unknown"), ("arow", {"C": 1}, "no parameter 'C'"), (None, {"r": 1}, "no parameter 'r'")],
)
def test_a_learner_that_cannot_be_made_is_refused(tmp_path, learner, parameters, words):
    written(tmp_path)
    with Past(tmp_path) as past, pytest.raises(ServeError, match=words):
        replay(past, "default", learner, parameters)


def test_a_compacted_log_cannot_be_replayed(tmp_path):
    written(tmp_path)
    compact(tmp_path)
    with Past(tmp_path) as past, pytest.raises(CorruptRecord, match="removed by 'novikoff log compact'"):
        replay(past, "default")
