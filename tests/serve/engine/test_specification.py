import pytest

from novikoff._learner_names import ONLINE
from novikoff.serve.engine.specification import Specification
from novikoff.serve.errors import ServeError


@pytest.mark.parametrize("name", list(ONLINE))
def test_each_online_learner_can_be_made(name):
    specification = Specification.of({"learner": name})
    assert type(specification.make()) is ONLINE[name]
    assert Specification.of(specification.plain()) == specification


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"learner": "svm"}, "learner 'svm' is unknown"),
        ({"learner": "linear-svm"}, "is unknown"),
        ({"lerner": "perceptron"}, "unknown field"),
        ({"learner": "perceptron", "parameters": {"C": 1}}, "has no parameter 'C'"),
        ({"learner": "arow", "parameters": {"r": -1}}, "The parameters of arow are not valid"),
        ({"learner": "arow", "parameters": {"r": "x"}}, "The parameters of arow are not valid"),
        ({"learner": "perceptron", "parameters": {"max_features": 3}}, "has no parameter 'max_features'"),
        ({"classes": ["a", 1]}, "classes must all be"),
        ({"classes": [True, 1]}, "classes must all be"),
        ({"classes": ["a", "a"]}, "different labels"),
        ({"classes": []}, "at least one"),
        ({"classes": ["a\0"]}, "U+0000"),
        ({"classes": [2**63, 1]}, "64 bits"),
        ({"hashing": {"bits": 3}}, "hashing has no parameter 'bits'"),
        ({"hashing": {"n_bits": -3}}, "The parameters of hashing are not valid"),
        ({"learner": 7}, "not valid"),
        ({"learner": "__class__"}, "is unknown"),
        ({"parameters": []}, "not valid"),
        ({"learner": "arow", "parameters": {"r": {"a": [1]}}}, "The parameters of arow are not valid"),
        ({"classes": [None]}, "not valid"),
        ({"classes": [[]]}, "not valid"),
        ({"hashing": {"n_bits": 60}}, "The parameters of hashing are not valid"),
        ({"hashing": {"ngram_range": [1, 10**9]}}, "The parameters of hashing are not valid"),
        ({"hashing": {"ngram_range": 3}}, "The parameters of hashing are not valid"),
        ({"hashing": {"lowercase": []}}, "The parameters of hashing are not valid"),
        ({"hashing": {"norm": "l7"}}, "The parameters of hashing are not valid"),
        ([], "not valid"),
        ("perceptron", "not valid"),
    ],
)
def test_what_cannot_be_made_is_refused(given, words):
    with pytest.raises(ServeError) as refused:
        Specification.of(given)
    assert (refused.value.status, refused.value.code) == (422, "bad_specification")
    assert words in refused.value.message


def test_hashing_is_made_of_its_parameters():
    hashing = Specification.of({"hashing": {"n_bits": 10, "ngram_range": [1, 2]}}).make_hashing()
    assert (hashing.n_bits, hashing.ngram_range) == (10, (1, 2))
    assert Specification().make_hashing() is None
