import numpy as np
import pytest

from engines import random_examples, running
from novikoff.serve.engine.answers import Learned
from novikoff.serve.engine.examples import Examples
from novikoff.serve.engine.model import Model
from novikoff.serve.engine.requests import Prepared
from novikoff.serve.engine.specification import Specification
from novikoff.serve.settings import Settings
from serve_examples import read


@pytest.mark.parametrize("classes", [("a", "b"), ("é\n", '"'), (1, -7), (True, False), ("a", "b", "c"), (3, 1, 2)])
@pytest.mark.parametrize("specification", [{"learner": "perceptron"}, {"learner": "tracker"}])
def test_documents_and_lines_are_answered_alike(classes, specification, tmp_path):
    examples = random_examples(40, classes=classes)
    with running(tmp_path) as client:
        for name in "abc":
            client.create(name, specification)
        one = client.learn("a", examples)
        lines = client.stream("b", examples)
        slow = client.stream("c", [*examples[:20], b"x\n", *examples[20:]])
        assert [answer.pop("version") for answer in one] == list(range(1, 41))
        assert lines[:-1] == one
        assert [line for line in slow[:-1] if "error" not in line] == one
        assert slow[20]["line"] == 21
        for answer, example in zip(one, examples, strict=True):
            assert answer["mistake"] == (answer["predicted"] != example["y"])
            known = answer["predicted"] is not None
            assert known == ("score" in answer or "scores" in answer)
        mistakes = sum(answer["mistake"] for answer in one)
        assert lines[-1] == {"summary": {"examples": 40, "mistakes": mistakes, "errors": 0, "version": 40}}
        counts = {"examples": 40, "mistakes": mistakes, "errors": 1, "version": 40}
        assert slow[-1] == {"summary": counts | {"first_error": slow[20]}}
        assert client.stream("a", examples, answers=False)[-1]["summary"]["examples"] == 40
        assert len(client.stream("a", examples, answers=False)) == 1


def test_scores_that_are_not_finite_are_null():
    model = Model(1, Specification("perceptron"), Settings())
    examples = read(model, [{"x": {"a": 1.0}, "y": "p"}, {"x": {"a": -1.0}, "y": "q"}])
    runs = model.learn(examples)
    runs[-1].scores[:] = np.inf
    answers = Learned(model, Prepared(examples), runs, 0, {})._objects(None)
    assert answers[1]["score"] is None
    assert isinstance(examples, Examples)
