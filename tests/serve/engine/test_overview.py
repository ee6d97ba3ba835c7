import json
import math

import numpy as np
import pytest

import novikoff as nk
from engines import random_examples, running
from novikoff._learner_names import ONLINE
from novikoff.online.named import named
from novikoff.serve.engine.model import Model
from novikoff.serve.engine.overview import mistakes_of, overview_of, shadows_of, weights_of
from novikoff.serve.engine.registry import Known
from novikoff.serve.engine.specification import Specification
from novikoff.serve.settings import Settings
from serve_examples import read


@pytest.mark.parametrize("name", list(ONLINE))
@pytest.mark.parametrize("count", [0, 1, 60])
def test_everything_about_a_model_is_json_without_infinity(name, count, tmp_path):
    with running(tmp_path) as client:
        client.create("m", {"learner": name})
        client.engine.add_shadow("m", "s", {"learner": "arow"}).result(9)
        if count:
            client.learn("m", random_examples(count))
        client.predict("m", {"x": {"f1": 1}, "id": "i"})
        client.model()
        shown = client.engine.overview("m")
        for found in (shown, client.engine.describe("m"), client.engine.certificate("m")):
            json.dumps(found, default=str, allow_nan=found is not shown)
        assert shown["counts"]["examples"] == shown["version"] == count
        assert shown["counts"]["pending"] == 1
        assert shown["shadows"][0]["examples"] == count
        mistakes = [point[1] for point in shown["curve"]]
        assert mistakes == sorted(mistakes)
        assert len(shown["latest_mistakes"]) == min(20, shown["counts"]["mistakes"])
        if count:
            assert shown["curve"][-1][:2] == [count, shown["counts"]["mistakes"]]


def test_the_bound_of_separable_examples_holds(tmp_path):
    with running(tmp_path) as client:
        client.create()
        client.learn("m", [{"x": {"u": (-1.0) ** k, "v": 0.1 * k}, "y": k % 2} for k in range(30)])
        client.model()
        shown = client.engine.overview("m")
        assert shown["counts"]["mistakes"] <= shown["bound"]["mistakes"] < math.inf
        weights = shown["largest_weights"]
        assert weights
        assert abs(weights[0]["weight"]) >= abs(weights[-1]["weight"])


def test_hashed_columns_have_numbers(tmp_path):
    with running(tmp_path) as client:
        client.create("m", {"learner": "perceptron", "hashing": {"n_bits": 6}})
        client.learn("m", [{"text": "a b", "y": "p"}, {"text": "c d", "y": "q"}])
        shown = client.engine.overview("m")
        assert shown["columns"] == 64
        assert all(own["name"].startswith("column ") for own in shown["largest_weights"])


def test_the_bound_on_decayed_mistakes_is_not_shown_as_one_on_mistakes(tmp_path):
    with running(tmp_path) as client:
        client.create("m", {"learner": "tracker"})
        client.learn("m", random_examples(60))
        client.model()
        bound = client.engine.overview("m")["bound"]
    assert bound["mistakes"] is None
    assert "decayed mistakes" in bound["words"]


@pytest.mark.parametrize("name", list(ONLINE))
def test_served_mistakes_of_late_labels_are_below_their_bound(name, tmp_path):
    random = np.random.default_rng(5)
    with running(tmp_path) as client:
        client.create("m", {"learner": name})
        assert client.engine.overview("m")["served_bound"] is None
        waiting = []
        for number, example in enumerate(random_examples(120, seed=2)):
            client.predict("m", {"x": example["x"], "id": f"{number}"})
            waiting.append({"id": f"{number}", "y": example["y"]})
            while len(waiting) > random.integers(8):  # labels come in any order
                client.learn("m", waiting.pop(random.integers(len(waiting))))
        shown, certificate = client.engine.overview("m"), client.engine.certificate("m")
        record = client.model().main.learner.record_
    counts, bound = shown["counts"], shown["served_bound"]
    assert counts.get("updates") == record.updates
    assert counts["served"] == counts["examples"] > 100
    assert certificate["served_bound"] == bound
    assert (bound is not None) == record.changes_only_by_updates
    if bound is not None:
        labels = 2
        wrong = counts["mistakes"] + counts["largest_delay"] * (counts["updates"] + labels)
        assert counts["served_mistakes"] <= bound["mistakes"] == wrong
        assert bound["words"] in certificate["words"]


def test_a_late_shadow_is_compared_over_its_own_examples_also_after_a_restart(tmp_path):
    examples = random_examples(90)
    with running(tmp_path) as client:
        client.create()
        client.learn("m", examples[:40])
        client.engine.add_shadow("m", "late", {"learner": "perceptron"}).result(9)
        client.learn("m", examples[40:60])
    with running(tmp_path) as client:
        client.learn("m", examples[60:])
        client.engine.copy("m", "copy").result(9)
        before = sum(answer["mistake"] for answer in _answers_of(examples[:40], tmp_path / "first"))
        for name in ("m", "copy"):
            client.model(name)
            (shadow,) = client.engine.overview(name)["shadows"]
            assert shadow["examples"] == 50
            assert shadow["model_mistakes"] == client.counts(name)["mistakes"] - before


def _answers_of(examples, directory):
    with running(directory) as client:
        client.create()
        return client.learn("m", examples)


# ---- while the writer learns ----------------------------------------------------------------------------------------


class Interrupted(Model):
    """A model, and what another thread does as soon as a method has returned or an attribute was read."""

    def __init__(self, learner="perceptron"):
        self.actions = {}
        super().__init__(1, Specification(learner), Settings())

    def after(self, name, action):
        self.actions[name] = action

    def then(self, name, found):
        if action := self.actions.pop(name, None):
            action()
        return found

    def label_values(self):
        return self.then("label_values", super().label_values())

    @property
    def latest_mistakes(self):
        return self.then("latest_mistakes", list(self._latest_mistakes)) if self.actions else self._latest_mistakes

    @latest_mistakes.setter
    def latest_mistakes(self, mistakes):
        self._latest_mistakes = mistakes

    def teach(self, *examples):
        self.learn(read(self, [{"x": x, "y": y} for x, y in examples]))


@pytest.mark.parametrize("moment", ["label_values", "latest_mistakes"])
def test_a_mistake_about_a_label_that_appears_meanwhile_is_no_error(moment):
    model = Interrupted()
    model.teach(({"a": 1.0}, "p"), ({"b": 1.0}, "q"))
    model.after(moment, lambda: model.teach(({"new": 1.0}, "r")))
    shown = overview_of(Known(1, "m", model.specification), model)
    assert model.actions == {}
    assert {mistake["label"] for mistake in shown["latest_mistakes"]} <= {"p", "q", "r"}
    assert mistakes_of(model)[0]["label"] == "r"


def test_a_name_that_is_learned_and_not_yet_in_the_table_is_known():
    model = Interrupted()
    model.teach(({"a": 1.0}, "p"), ({"b": 1.0}, "q"))
    learn, seen = model.main.learn, []

    def learn_and_look(*given):
        runs = learn(*given)
        copy = named(model.main.learner.snapshot(), model.column_names())
        seen.append((len(model.names), {own["name"] for own in weights_of(model)}, copy.feature_names_in_.tolist()))
        return runs

    model.main.learn = learn_and_look
    model.teach(({"c": 9.0, "d": 8.0}, "p"))
    assert seen == [(2, {"a", "b", "c", "d"}, ["a", "b", "c", "d"])]
    assert {own["name"] for own in weights_of(model)} == {"a", "b", "c", "d"}
    assert model.column_names() == ["a", "b", "c", "d"]


def test_names_of_refused_examples_are_not_those_of_later_columns():
    model = Interrupted()
    model.teach(({"a": 1.0}, "p"), ({"b": 1.0}, "q"))
    with pytest.raises(nk.InvalidInputError):
        model.teach(({"refused": 1e200}, "p"))
    model.teach(({"c": 1.0}, "p"), ({"c": 1.0}, "q"))
    assert {own["name"] for own in weights_of(model)} <= {"a", "b", "c"}
    assert model.column_names() == ["a", "b", "c"]


def test_shadows_may_come_and_go_while_they_are_counted():
    model = Interrupted()
    for name in ("s", "t"):
        model.add_shadow(name, Specification("arow"))
    seen = []
    for name, _ in model.arms.items():
        seen.append(name)
        if name:
            model.remove_shadow(name)
            model.add_shadow(f"{name}{name}", Specification("arow"))
    assert seen == ["", "s", "t"]
    assert [own["name"] for own in shadows_of(model)] == ["ss", "tt"]
