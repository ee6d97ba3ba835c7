"""Rates of learning and predicting."""

from novikoff.serve.http.rates import Rates


def test_a_rate_is_the_growth_of_a_count_in_the_last_seconds():
    rates = Rates()
    assert rates.update({"examples": 0, "predictions": 5}, 0.0) == {
        "examples_per_second": 0.0,
        "predictions_per_second": 0.0,
    }
    for second in range(1, 30):
        found = rates.update({"examples": 100 * second, "predictions": 5}, float(second))
    assert found == {"examples_per_second": 100.0, "predictions_per_second": 0.0}


def test_an_old_burst_is_forgotten():
    rates = Rates()
    rates.update({"examples": 0}, 0.0)
    for second in range(1, 40):
        found = rates.update({"examples": 1000}, float(second))
    assert found["examples_per_second"] == 0.0


def test_samples_that_come_often_are_not_kept():
    rates = Rates()
    for number in range(1000):
        found = rates.update({"examples": number}, number / 1000)
    assert 900 < found["examples_per_second"] < 1100
