import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.serve.engine.examples import NOT_SERVED, Examples, joined, no_examples, not_served

ROWS = st.lists(
    st.tuples(st.lists(st.integers(0, 5), max_size=4), st.integers(-1, 3), st.floats(0.5, 2), st.booleans()), max_size=6
)


def made(rows, with_weights=True, with_ids=True, with_served=True):
    lengths = [len(columns) for columns, *_ in rows]
    columns = np.array([column for own, *_ in rows for column in own], dtype=np.int32)
    codes = np.array([code for _, code, *_ in rows], dtype=np.int32)
    return Examples(
        np.cumsum([0, *lengths]).astype(np.int32),
        columns,
        columns + 0.5,
        codes,
        6,
        np.array([weight for _, _, weight, _ in rows]) if with_weights else None,
        [f"id{place}" if has else None for place, (*_, has) in enumerate(rows)] if with_ids else None,
        (codes, codes.astype(np.int64)) if with_served else None,
    )


def plain(examples):
    """Return one tuple for each example, with everything about it."""
    found = []
    for row in range(len(examples)):
        columns, values = examples.features(row)
        weight = 1.0 if examples.weights is None else examples.weights[row]
        served = (NOT_SERVED, -1)
        if examples.served is not None:
            served = (int(examples.served[0][row]), int(examples.served[1][row]))
        id = None if examples.ids is None else examples.ids[row]
        found.append((columns.tolist(), values.tolist(), int(examples.codes[row]), weight, id, served))
    return found


@given(ROWS, st.lists(st.integers(0, 5), max_size=6))
def test_taken_examples_are_those_rows(rows, places):
    examples = made(rows)
    places = [place for place in places if place < len(rows)]
    taken = examples.taken(np.array(places, dtype=np.intp))
    assert plain(taken) == [plain(examples)[place] for place in places]
    assert taken.offsets.dtype == np.int32


@given(st.lists(st.tuples(ROWS, st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=4))
def test_joined_examples_are_all_rows_in_order(parts):
    parts = [made(*part) for part in parts]
    whole = joined(parts)
    assert plain(whole) == [row for part in parts for row in plain(part)]
    assert whole.offsets.dtype == np.int32
    assert whole.matrix(9).shape == (len(whole), 9)


def test_no_examples_are_none():
    assert len(no_examples()) == 0
    assert plain(joined([no_examples(), made([([1], 0, 1.0, True)])])) == plain(made([([1], 0, 1.0, True)]))
    assert not_served(2)[0].tolist() == [NOT_SERVED] * 2
