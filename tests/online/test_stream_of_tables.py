"""A raw table streams as well as a prepared one: predict, then learn, with a running scaler and named indicators."""

import io
import itertools
import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk
from real_data import real

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

LEARNERS = {
    "perceptron": nk.Perceptron,
    "passive-aggressive": lambda: nk.PassiveAggressiveI(C=0.1),
    "averaged": nk.AveragedPerceptron,
}
TOLERANCE = 5e-4  # rounding decides rows with scores close to 0 differently, and what follows from them


def prepared(frame):
    """Rows by hand: Welford's mean and deviation up to each row for numbers, an indicator for each category."""
    names, seen, entries = {}, {}, ([], [], [])
    for i, record in enumerate(frame.to_dict("records")):
        for column, value in record.items():
            if isinstance(value, str):
                key, value = f"{column}={value}", 1.0
            elif value is None or math.isnan(value):
                key, value = f"{column}=missing", 1.0
            else:
                count, mean, squares = seen.get(column, (0, 0.0, 0.0))
                after = mean + (value - mean) / (count + 1)
                squares += (value - mean) * (value - after)
                seen[column] = count + 1, after, squares
                key, value = column, (value - after) / math.sqrt(squares / (count + 1)) if squares > 0 else 0.0
            for part, entry in zip(entries, (i, names.setdefault(key, len(names)), value), strict=True):
                part.append(entry)
    rows, columns, values = entries
    return sp.csr_array((values, (rows, columns)), shape=(len(frame), len(names)))


def raw_accuracy(make, source, **options):
    """Progressive accuracy on a table as it is."""
    stream = nk.scan(source, scale="standard", missing="mean", **options)
    *_, last = nk.evaluate.progressive(make(), stream)
    return last.accuracy


def prepared_accuracy(make, frame, y):
    """Progressive accuracy on rows that were prepared by hand."""
    return float(np.mean(make().predict_then_learn(prepared(frame), y) == y))


def people(rows, positives, seed=0):
    """A table of people: numbers of several scales, skewed ones, categories, some of them rare, and missing values."""
    rng = np.random.default_rng(seed)
    age = rng.integers(17, 91, rows).astype(float)
    gain = np.where(rng.random(rows) < 0.08, np.round(rng.lognormal(8, 1, rows)), 0.0)
    hours, weight = rng.normal(40, 12, rows).round(), rng.lognormal(12, 0.5, rows).round()
    degrees, shares = ["HS-grad", "Bachelors", "Masters", "11th", "Doctorate"], [0.5, 0.25, 0.1, 0.1, 0.05]
    education = rng.choice(degrees, rows, p=shares)
    job = rng.choice([f"job {i}" for i in range(15)], rows)
    country = np.where(rng.random(rows) < 0.9, "United-States", rng.choice([f"country {i}" for i in range(40)], rows))
    score = 0.03 * age + 0.0003 * gain + 0.04 * hours + 1.5 * (education == "Masters") + 2 * (education == "Doctorate")
    score += 1.0 * (job == "job 3") - 1.0 * (job == "job 7") + rng.normal(0, 0.7, rows)
    y = np.where(score > np.quantile(score, 1 - positives), ">50K", "<=50K")
    hours[rng.random(rows) < 0.05] = np.nan
    frame = pd.DataFrame(
        {"age": age, "education": education, "gain": gain, "job": job, "hours": hours, "weight": weight}
    )
    frame["country"] = pd.Series(country).where(rng.random(rows) > 0.03, None)
    return frame, y


@pytest.mark.parametrize("positives", [0.24, 0.06], ids=["like adult", "like census"])
@pytest.mark.parametrize("name", LEARNERS)
def test_generated_tables(name, positives):
    frame, y = people(6000, positives)
    text = frame.assign(income=y).to_csv(index=False).encode()
    expected = prepared_accuracy(LEARNERS[name], frame, y)
    assert raw_accuracy(LEARNERS[name], text, format="csv", target="income") == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("name", LEARNERS)
def test_electricity(name):
    frame = pd.read_csv(real("elec2.csv.gz"))
    y = frame.pop("target").to_numpy()
    expected = prepared_accuracy(LEARNERS[name], frame, y)
    assert raw_accuracy(LEARNERS[name], str(real("elec2.csv.gz"))) == pytest.approx(expected, abs=TOLERANCE)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow) for name in LEARNERS])
def test_forests(name):
    frame = pd.read_csv(real("covtype.csv.gz"), nrows=50_000)
    text = io.BytesIO(frame.to_csv(index=False).encode())
    y = frame.pop(frame.columns[-1]).to_numpy()
    expected = prepared_accuracy(LEARNERS[name], frame, y)
    found = raw_accuracy(LEARNERS[name], text, format="csv", target="last")
    assert found == pytest.approx(expected, abs=TOLERANCE)


def test_every_batching_of_a_raw_table_learns_the_same_bits():
    frame, y = people(500, 0.24)
    text = frame.assign(income=y).to_csv(index=False).encode()
    options = {"format": "csv", "target": "income", "scale": "standard", "missing": "mean"}
    models = [nk.Perceptron().partial_fit(nk.scan(text, batch_size=size, **options)) for size in (1, 7, 64, 10_000)]
    for one, other in itertools.pairwise(models):
        assert one.coef_.tobytes() == other.coef_.tobytes()
        assert one.reading_.running == other.reading_.running
