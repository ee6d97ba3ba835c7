"""An estimator has its attributes back after a fit that failed."""

import pytest

from novikoff._all_or_nothing import AllOrNothing


class Model:
    def __init__(self):
        self.coef_ = 1


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failed_fit_leaves_the_attributes_as_they_were(error):
    model = Model()

    def fit():
        with AllOrNothing(model):
            model.coef_ = 2
            model.classes_ = 3
            raise error

    with pytest.raises(error):
        fit()
    assert vars(model) == {"coef_": 1}


def test_a_fit_that_succeeds_keeps_its_attributes():
    model = Model()
    with AllOrNothing(model):
        model.coef_ = 2
    assert model.coef_ == 2
