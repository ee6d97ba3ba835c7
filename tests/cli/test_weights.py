"""Class weights from the command line, whose labels are text."""

import numpy as np
import pytest

import novikoff as nk
from novikoff.cli._weights import convert_class_weight, match_class_weight

LABELS = [np.array([0, 1]), np.array([0.0, 1.5]), np.array([False, True]), np.array(["a", "b"])]


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels.dtype.name)
@pytest.mark.parametrize("function", [match_class_weight, convert_class_weight])
def test_text_becomes_the_label_it_stands_for(function, labels):
    model = nk.Perceptron(class_weight={str(labels[1]): 2.0})
    function(model, labels)
    assert model.class_weight == {labels.tolist()[1]: 2.0}
    assert type(next(iter(model.class_weight))) is type(labels.tolist()[1])


@pytest.mark.parametrize("function", [match_class_weight, convert_class_weight])
def test_text_that_is_no_label_is_refused(function):
    with pytest.raises(nk.InvalidInputError, match=r"--class-weight: .*spam"):
        function(nk.Perceptron(class_weight={"spam": 2.0}), LABELS[0])
