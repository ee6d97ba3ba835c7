"""Methods that take one example."""

import pytest

import novikoff as nk


def test_predict_before_any_label_is_none_and_the_score_zero(make):
    assert make().predict_one({"a": 1.0}) is None
    assert make().score_one([1.0, 2.0]) == 0


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_label_and_score_in_one_call_are_those_of_two(make, classes):
    model = make()
    assert model.predict_and_score_one({"a": 1.0}) == (None, 0.0)
    examples = [{"a": float(k % 7 - 3), "b": float(k % 5), "c": 1.0} for k in range(20)]
    for k, x in enumerate(examples):
        model.learn_one(x, f"class {k % classes}")
    for x in [*examples, {}]:
        expected = model.predict_one(x), model.score_one(x)
        assert model.predict_and_score_one(x) == expected
        vars(model).pop("_fast_path", None)
        assert model.predict_and_score_one(x) == expected
    with pytest.raises(nk.InvalidInputError, match="must be finite"):
        model.predict_and_score_one({"a": float("nan")})
