import json
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.engine.examples import NOT_SERVED, no_examples
from novikoff.serve.engine.tally import Tally

STEP = st.tuples(st.integers(0, 3), st.integers(-1, 3), st.integers(-2, 3), st.integers(0, 5))


def batch(steps, first):
    """Return examples of (code, predicted, served code, delay), and what was predicted for them."""
    examples = no_examples()
    examples.codes = np.array([code for code, *_ in steps], dtype=np.int32)
    versions = [max(0, first + place - delay) for place, (*_, delay) in enumerate(steps)]
    examples.served = (
        np.array([served for _, _, served, _ in steps], dtype=np.int32),
        np.array(versions, dtype=np.int64),
    )
    return examples, np.array([predicted for _, predicted, *_ in steps], dtype=np.int32)


def reference(steps):
    """Return mistakes, served, served mistakes and the largest delay."""
    mistakes = served = wrong = largest = 0
    for number, (code, predicted, before, delay) in enumerate(steps):
        mistakes += code != predicted
        if before != NOT_SERVED:
            served += 1
            wrong += before != code
            largest = max(largest, number - max(0, number - delay))
    return [len(steps), mistakes, served, wrong, largest]


@given(st.lists(st.lists(STEP, max_size=5), max_size=8))
def test_counts_are_those_of_the_reference(batches):
    tally, done = Tally(), []
    for steps in batches:
        examples, predicted = batch(steps, len(done))
        is_mistake = tally.count(examples, predicted, is_main=True)
        assert is_mistake.tolist() == [code != guess for code, guess, *_ in steps]
        done += steps
        assert tally.state()["counts"] == reference(done)
    codes = [code for code, *_ in done]
    assert len(codes) - tally.last_label.right == sum(
        place == 0 or code != codes[place - 1] for place, code in enumerate(codes)
    )


def test_a_long_batch_has_points_within_it_with_the_counts_of_its_parts():
    rng = np.random.default_rng(0)
    steps = [(int(code), int(guess), NOT_SERVED, 0) for code, guess in rng.integers(0, 3, (1000, 2))]
    tally, parts = Tally(), Tally()
    tally.count(*batch(steps, 0), is_main=True)
    points = tally.curve.points()
    assert len(points) == 16
    for begin, end in pairwise([0, *(int(point[0]) for point in points)]):
        parts.count(*batch(steps[begin:end], begin), is_main=True)
    assert parts.curve.points()[-1] == points[-1]
    assert [point[1] for point in points] == [
        sum(code != guess for code, guess, *_ in steps[: int(point[0])]) for point in points
    ]
    assert tally.state()["most_frequent"] == parts.state()["most_frequent"]
    assert tally.state()["last_label"] == parts.state()["last_label"]


@given(st.lists(st.lists(STEP, min_size=1, max_size=5), max_size=8), st.integers(0, 8))
def test_a_restored_tally_goes_on_as_the_saved_one(batches, cut):
    whole, parts, number = Tally(), Tally(), 0
    for place, steps in enumerate(batches):
        if place == cut:
            parts = Tally.from_state(json.loads(json.dumps(parts.state())))
        for tally in (whole, parts):
            tally.count(*batch(steps, number), is_main=True)
        number += len(steps)
    assert parts.state() == whole.state()


def test_a_shadow_counts_only_its_own_mistakes():
    tally = Tally()
    tally.count(*batch([(0, 1, 1, 3), (1, 1, 0, 2)], 0), is_main=False)
    assert tally.state()["counts"] == [2, 1, 0, 0, 0]


@given(st.lists(st.lists(STEP, min_size=1, max_size=5), max_size=8), st.integers(0, 8), st.integers(0, 8))
def test_a_shadow_knows_the_mistakes_of_the_model_in_its_own_examples(batches, begin, restart):
    main, shadow, others, number = Tally(), None, [], 0
    for place, steps in enumerate(batches):
        if place == begin:
            shadow = Tally()
            shadow.compare_with(main)
        elif shadow is not None and place == restart:
            main, mistakes = Tally.from_state(main.state()), shadow.model_mistakes
            shadow = Tally.from_state(shadow.state())
            shadow.compare_with(main, mistakes)
        main.count(*batch(steps, number), is_main=True)
        if shadow is not None:
            shadow.count(*batch(steps, number), is_main=False)
            others += steps
            assert shadow.model_mistakes == sum(code != guess for code, guess, *_ in others)
        number += len(steps)
