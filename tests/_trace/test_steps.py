"""The table of a trace: as text, as HTML, as a data frame."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import novikoff as nk

X = np.array([[2.0, 1.0], [3.0, 3.0], [1.0, 2.0], [1.0, 1.0]])
Y = np.array(["yes", "yes", "no", "no"])


@pytest.fixture
def steps():
    return nk.trace(nk.Perceptron(shuffle=False), pd.DataFrame(X, columns=["height", "width"]), Y)


def test_the_text_has_a_header_and_a_row_for_each_update_shown(steps):
    lines = str(steps).splitlines()
    assert lines[0] == steps.summary()
    assert lines[1].split() == [
        *("step", "example", "label", "score", "is_mistake", "v", "lower", "projection", "length", "upper"),
        *("angle", "margin_bound"),
    ]
    assert len(lines) == 2 + 16
    assert lines[2].split()[:4] == ["1", "0", "yes", "0"]
    assert "(2, 1, 1)" in lines[2]


def test_a_long_run_is_shown_by_its_first_and_last_updates():
    steps = nk.trace(nk.Perceptron(), [[0.0], [1.0], [2.0]], [False, True, False], max_updates=50)
    rows = str(steps).splitlines()[2:]
    assert len(rows) == 10 + 1 + 5
    assert [row.split()[0] for row in rows[9:12]] == ["10", "...", "46"]
    assert "True" in str(steps)  # labels are shown as they are


def test_columns_that_need_a_separator_are_left_out_without_one():
    steps = nk.trace(nk.Perceptron(), [[0.0], [1.0], [2.0]], [0, 1, 0], max_updates=5)
    assert "nan" not in str(steps)
    assert not {"lower", "projection", "angle"} & set(str(steps).splitlines()[1].split())
    assert steps.summary().endswith("No plane separates the rows, so the theorem gives no bound.")


def test_many_weights_are_left_out_of_the_text():
    steps = nk.trace(nk.Perceptron(), np.eye(6), [0, 1, 0, 1, 0, 1])
    assert " v " not in str(steps).splitlines()[1]


def test_html_escapes_labels():
    steps = nk.trace(nk.Perceptron(), [[1.0], [-1.0]], ["<b>", "a"])
    html = steps._repr_html_()
    assert "&lt;b&gt;" in html
    assert html.count("<tr>") == 1 + len(steps)
    assert len(steps) < 10


def test_a_data_frame_has_one_row_per_update(steps):
    frame = steps.to_frame()
    assert len(frame) == len(steps)
    assert list(frame.columns[-3:]) == ["v[height]", "v[width]", "v[intercept]"]
    np.testing.assert_array_equal(frame["score"], steps.score)
    np.testing.assert_array_equal(frame.iloc[-1, -3:].to_numpy(dtype=float), steps.v[-1])
    assert set(frame) >= {f.name for f in dataclasses.fields(steps) if f.type in ("Floats", "NDArray[np.int64]")}


def test_the_summary_says_what_the_theorem_says(steps):
    end = "With R = 4.3589 and gamma = 0.333333, there are at most 171."
    assert steps.summary() == f'Perceptron, pick="cycle": 18 updates, then nothing was left to learn. {end}'
    assert repr(steps) == f"<Trace: {steps.summary()}>"
    one = nk.trace(nk.Perceptron(fit_intercept=False), [[3.0, 1.0], [1.0, 2.0], [-1.0, 1.0]], [1, 1, 0], pick="first")
    assert "1 update, then" in one.summary()
    assert "at most 10." in one.summary()


def test_a_violated_inequality_is_noticed(steps):
    assert steps.holds
    for name, factor in [("length", 2.0), ("projection", 0.1), ("upper", 0.5), ("step_bound", 0.5)]:
        assert not dataclasses.replace(steps, **{name: factor * getattr(steps, name)}).holds
    assert not dataclasses.replace(steps, bound=1.0).holds
    assert not dataclasses.replace(steps, margin=9.0).holds


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("outlier", [1.0, 1e12])
def test_counts_and_margins_are_compared_in_their_own_units(scale, outlier):
    rows = scale * np.array([[1.0, 2.0], [-1.0, 2.0], [2.0, 1.0], [-2.0, -1.0], [2.0 * outlier, 0.0]])
    steps = nk.trace(nk.Perceptron(shuffle=False, fit_intercept=False), rows, [1, 0, 1, 0, 1])
    assert steps.radius >= scale * outlier
    assert steps.holds
    assert not dataclasses.replace(steps, bound=0.001).holds
    assert not dataclasses.replace(steps, margin=scale * 100.0).holds
    assert not dataclasses.replace(steps, projection=1.001 * steps.length).holds
    assert not dataclasses.replace(steps, upper=0.999 * steps.length).holds


def test_without_pandas_the_frame_is_refused_with_the_remedy(steps, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(nk.InvalidInputError, match="pip install pandas"):
        steps.to_frame()
