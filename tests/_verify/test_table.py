"""The independent check of encoders: honest ones hold, and every number and name that is forged fails."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import novikoff as nk
from frames import SCALERS, frame, tables
from novikoff._verify.table import check_encoding
from novikoff.data.encoding.encoded_columns import CategoryColumn, LeftOutColumn
from novikoff.data.encoding.table_encoding import TableEncoding
from novikoff.data.encoding.tables_of import raw_table
from share import share_of


def checked(encoder, table, encoding=None):
    """The checks of an encoder, by their claims."""
    source = raw_table("verify", table, None)
    blocks = source.blocks(source.columns.kinds | encoder.encoding_.kinds)
    checks = check_encoding(encoding or encoder.encoding_, encoder.get_params(), blocks)
    return {check.claim: check for check in checks}


def assert_holds(encoder, table):
    found = checked(encoder, table)
    assert {check.status for check in found.values()} <= {"holds"}, found
    return found


PARAMETERS = {
    "scale": st.sampled_from(sorted(SCALERS)),
    "missing": st.sampled_from(["mean", "median", "zero", 0.25]),
    "indicator": st.booleans(),
    "keep": st.booleans(),
    "max_categories": st.integers(1, 4),
}


def check_honest(table, parameters):
    columns, kinds = table
    try:
        encoder = nk.TableEncoder(**parameters).fit(frame(columns, kinds))
    except nk.InvalidInputError:  # no column is useful
        return
    assert_holds(encoder, frame(columns, kinds))


@given(tables(), st.fixed_dictionaries(PARAMETERS))
def test_an_honest_encoder_holds(table, parameters):
    check_honest(table, parameters)


@pytest.mark.slow
@settings(max_examples=max(100, share_of(800)))
@given(tables(rows=st.integers(1, 80)), st.fixed_dictionaries(PARAMETERS))
def test_honest_encoders_of_many_tables_hold(table, parameters):
    check_honest(table, parameters)


@given(
    st.lists(st.floats(-1.0, 1.0), min_size=2, max_size=20),
    st.sampled_from([1e-300, 1e-150, 1e-9, 1.0, 1e9, 1e160, 1e300]),
    st.sampled_from([0.0, 1.0, -1e3, 1e6]),
    st.sampled_from(sorted(SCALERS)),
)
def test_honest_encoders_of_all_magnitudes_hold(values, unit, offset, scale):
    numbers = np.array(values)[:, None] * unit + offset * unit
    assert_holds(nk.TableEncoder(scale=scale, keep=True).fit(numbers), numbers)


def test_honest_means_of_many_rows_hold():
    numbers = 1.7e9 + np.random.default_rng(0).normal(size=(100_000, 2)) * [1e-3, 1e5]
    assert_holds(nk.TableEncoder().fit(numbers), numbers)


TEXTS = st.lists(st.text("aAbBéÉİß1_ -'.\n", max_size=20), min_size=1, max_size=8)


@given(TEXTS, st.booleans(), st.booleans(), st.sampled_from([(1, 1), (1, 2), (2, 3)]))
def test_honest_words_hold(texts, idf, lowercase, ngram_range):
    table = pl.DataFrame({"x": np.arange(len(texts)) * 1.5, "t": texts})
    encoder = nk.TableEncoder(text=["t"], keep=True, idf=idf, lowercase=lowercase, ngram_range=ngram_range)
    assert_holds(encoder.fit(table), table)


ROWS = 30
TABLE = pl.DataFrame(
    {
        "x": np.arange(ROWS) % 7 * 1.5,
        "z": [None if i % 5 == 0 else i % 4 + 0.5 for i in range(ROWS)],
        "job": [["cook", "clerk", "smith"][i % 3] for i in range(ROWS)],
        "city": [None if i % 6 == 0 else f"town {i % 4}" for i in range(ROWS)],
        "mail": [f"free money number{i} {'now' * (i % 2)}" for i in range(ROWS)],
        "row": np.arange(ROWS),
        "id": [f"id{i}" for i in range(ROWS)],
        "one": [1.0] * ROWS,
        "none": pl.Series([None] * ROWS, dtype=pl.Float64),
    }
)
ENCODER = nk.TableEncoder(idf=True).fit(TABLE)
HONEST = ENCODER.encoding_
X, Z = HONEST.numbers
JOB, CITY = HONEST.categories
(MAIL,) = HONEST.texts


def with_number(place, **changes):
    numbers = list(HONEST.numbers)
    numbers[place] = dataclasses.replace(numbers[place], **changes)
    return dataclasses.replace(HONEST, numbers=tuple(numbers))


def with_category(place, **changes):
    categories = list(HONEST.categories)
    categories[place] = dataclasses.replace(categories[place], **changes)
    return dataclasses.replace(HONEST, categories=tuple(categories))


def with_text(**changes):
    return dataclasses.replace(HONEST, texts=(dataclasses.replace(MAIL, **changes),))


def leaving_out(name, reason):
    def others(columns):
        return tuple(column for column in columns if column.name != name)

    return TableEncoding(
        HONEST.columns,
        others(HONEST.numbers),
        others(HONEST.categories),
        others(HONEST.texts),
        (*HONEST.left_out, LeftOutColumn(name, reason, "number")),
        HONEST.words,
    )


def with_reason(name, reason):
    left_out = [LeftOutColumn(c.name, reason, c.kind) if c.name == name else c for c in HONEST.left_out]
    return dataclasses.replace(HONEST, left_out=tuple(left_out))


FORGED = {
    "shift": (with_number(0, shift=X.shift + 1e-6), "numbers", "column 'x': claimed shift"),
    "scale": (with_number(0, scale=X.scale * (1 + 1e-6)), "numbers", "column 'x': claimed scale"),
    "fill": (with_number(1, fill=Z.fill - 1e-6), "numbers", "column 'z': claimed fill"),
    "indicator removed": (with_number(1, indicator=False), "numbers", "column 'z': 6 values missing"),
    "indicator added": (with_number(0, indicator=True), "numbers", "column 'x': 0 values missing"),
    "category added": (with_category(0, categories=(*JOB.categories, "thief")), "categories", "'thief' does not occur"),
    "category removed": (with_category(0, categories=JOB.categories[1:]), "categories", "'job': "),
    "category renamed": (with_category(0, categories=("baker", *JOB.categories[1:])), "categories", "'baker' does not"),
    "categories swapped": (with_category(0, categories=JOB.categories[::-1]), "categories", "ascending"),
    "buckets": (with_category(0, buckets=1024), "categories", "0 other categories in"),
    "missing category": (with_category(1, indicator=False), "categories", "column 'city': 5 values missing"),
    "no missing category": (with_category(0, indicator=True), "categories", "column 'job': 0 values missing"),
    "word added": (
        with_text(words=(*MAIL.words, "gold"), idf=(*MAIL.idf, 1.0)),
        "words",
        "the word 'gold' is claimed, but does not occur",
    ),
    "word removed": (with_text(words=MAIL.words[1:], idf=MAIL.idf[1:]), "words", "the word 'free' is not claimed"),
    "word renamed": (with_text(words=("fee", *MAIL.words[1:])), "words", "the word 'fee' is claimed"),
    "idf": (with_text(idf=(MAIL.idf[0] + 1e-6, *MAIL.idf[1:])), "words", "the factor of 'free' is not"),
    "idf removed": (with_text(idf=()), "words", "0 factors of words are claimed, with idf=True"),
    "numbers left out": (leaving_out("x", "constant"), "columns left out", "column 'x': it has 7 different values"),
    "numbers as identifiers": (leaving_out("z", "identifier"), "columns left out", "'z': it does not number the rows"),
    "categories left out": (
        leaving_out("job", "identifier"),
        "columns left out",
        "'job': it has 3 different values in",
    ),
    "values left out": (leaving_out("city", "empty"), "columns left out", "column 'city': it has values"),
    "rows as a constant": (with_reason("row", "constant"), "columns left out", "'row': it has 30 different values"),
    "constant as rows": (with_reason("one", "identifier"), "columns left out", "'one': it does not number the rows"),
    "empty as a constant": (with_reason("none", "constant"), "columns left out", "'none': it has 0 different values"),
}


def test_all_checks_of_the_honest_encoder_hold():
    found = assert_holds(ENCODER, TABLE)
    assert list(found) == [f"encoder: {what}" for what in ("numbers", "categories", "words", "columns left out")]
    assert found["encoder: numbers"].detail == "2 columns, recomputed from the table"
    assert found["encoder: words"].detail == "1 column, recomputed from the table"


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_encoder_fails(case):
    encoding, claim, detail = FORGED[case]
    found = checked(ENCODER, TABLE, encoding)
    assert [name for name, check in found.items() if check.status == "fails"] == [f"encoder: {claim}"]
    assert detail in found[f"encoder: {claim}"].detail


def test_a_small_scale_around_a_large_mean_cannot_be_forged():
    numbers = 1.7e9 + 1e-3 * np.arange(50.0)[:, None] ** 1.5
    encoder = nk.TableEncoder().fit(numbers)
    (column,) = encoder.encoding_.numbers
    forged = dataclasses.replace(encoder.encoding_, numbers=(dataclasses.replace(column, scale=column.scale * 1.01),))
    assert checked(encoder, numbers, forged)["encoder: numbers"].status == "fails"


def test_rare_categories_that_have_a_column_instead_of_frequent_ones_fail():
    table = pl.DataFrame({"city": ["Rome"] * 5 + ["Oslo"] * 4 + ["Bonn"]})
    encoder = nk.TableEncoder(max_categories=2).fit(table)
    assert_holds(encoder, table)
    for categories, detail in [(("Bonn", "Rome"), "more frequent"), (("Rome",), "is not among the categories")]:
        forged = dataclasses.replace(encoder.encoding_, categories=(CategoryColumn("city", categories, False, 1024),))
        assert detail in checked(encoder, table, forged)["encoder: categories"].detail
    fewer = dataclasses.replace(encoder.encoding_.categories[0], buckets=512)
    forged = dataclasses.replace(encoder.encoding_, categories=(fewer,))
    assert checked(encoder, table, forged)["encoder: categories"].status == "fails"
