"""The reader of examples against Python's json module."""

import json
import math
import struct
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import novikoff._core as _core

LIMITS = _core.ExampleLimits(50, 60, 40, 2000)
TEXT = st.text(max_size=12) | st.sampled_from(
    ["\0", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), 'a\\"/\b', "é"]
)
NAME = TEXT
NUMBER = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(10**25), 10**25)
    | st.sampled_from([0.1, -0.0, 5e-324, 1.7976931348623157e308, 2**53 + 1, 1e22, 1e-7])
)
VALUE = NUMBER | st.booleans() | TEXT
LABEL = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12) | st.integers(
    -(2**63), 2**63 - 1
)
BLANK = st.sampled_from(["", " ", "\t", "\r"])


@st.composite
def examples(draw):
    """Return an example as Python has it, and as JSON in one of many ways."""
    x = draw(st.dictionaries(NAME, VALUE, max_size=6))
    found = {"x": x, "y": draw(LABEL)}
    if draw(st.booleans()):
        found["weight"] = draw(st.floats(1e-300, 1e300))
    if draw(st.booleans()):
        found["id"] = draw(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10))
    keys = draw(st.permutations(list(found)))
    separators = (draw(BLANK) + "," + draw(BLANK), draw(BLANK) + ":" + draw(BLANK))
    text = json.dumps({key: found[key] for key in keys}, ensure_ascii=draw(st.booleans()), separators=separators)
    return found, text


def bits(value):
    return struct.pack("<d", value)


def expected_features(x):
    """Return names and values as the manual says; None if two features have the same name."""
    found = {}
    for name, value in x.items():
        name, value = (f"{name}={value}", 1.0) if isinstance(value, str) else (name, float(value))
        if name in found:
            return None
        found[name] = bits(value)
    return found


def accept(found, names, labels):
    """Add what is new in examples to the tables."""
    names.add(found.new_names)
    labels.add(found.new_labels)


def read(body, collects=True, names=None, labels=None):
    """Read examples, and add what is new to the tables."""
    names = _core.NameTable(1000) if names is None else names
    labels = _core.LabelTable(100) if labels is None else labels
    found = _core.read_examples(body, names, labels, LIMITS, collects)
    accept(found, names, labels)
    return found, names, labels


def features_of(found, names, row=0):
    begin, end = found.offsets[row], found.offsets[row + 1]
    columns = found.columns[begin:end].tolist()
    of_columns = [names.since(0)[c] if c >= 0 else found.new_names[-1 - c] for c in columns]
    return {name: bits(v) for name, v in zip(of_columns, found.values[begin:end].tolist(), strict=True)}


def label_of(found, labels, row=0):
    code = int(found.codes[row])
    return labels.since(0)[code] if code >= 0 else found.new_labels[-2 - code]


def is_surrogate(text):
    return any("\ud800" <= character <= "\udfff" for character in text)


@given(examples())
def test_an_example_is_read_as_json_reads_it(case):
    plain, text = case
    plain = json.loads(text) | {"y": plain["y"]}
    found, names, labels = read(text.encode())
    expected = expected_features(plain["x"])
    too_long = any(len(name.encode()) > 60 for name in expected or ()) or len(plain.get("id", "").encode()) > 40
    if expected is None or too_long:
        assert len(found) == 0
        assert len(found.bad) == 1
        return
    assert found.bad == []
    assert features_of(found, names) == expected
    assert labels.since(0) == [plain["y"]]
    assert type(labels.since(0)[0]) is type(plain["y"])
    assert (1.0 if found.weights is None else found.weights[0]) == plain.get("weight", 1.0)
    assert (None if found.ids is None else found.ids[0]) == plain.get("id")
    assert found.text_at(0) == text.encode()


@pytest.mark.parametrize(
    "special", ['"', "\\", "\n", "\0", "\x1f", "\x7f", "\x80", "é", "€", "😀", " ", "!", "#", "[", "]"]
)
def test_every_place_of_a_name_is_looked_at(special):
    for size in range(20):
        for place in range(size + 1):
            text = '{"x":{"' + "a" * place + special + "b" * (size - place) + '":1},"y":1}'
            found, names, _ = read(text.encode())
            try:
                assert names.since(0) == list(json.loads(text)["x"])
            except ValueError:
                assert len(found.bad) == 1


@given(NUMBER)
@example(1e23)
@example(9007199254740993)
@example(123456789012345678901234567890)
def test_numbers_have_the_bits_that_python_reads(number):
    for text in (repr(number), json.dumps(number)):
        found, *_ = read(b'{"x":{"a":%s}}' % text.encode())
        assert bits(found.values[0]) == bits(float(json.loads(text)))


@pytest.mark.parametrize("text", ["1e-400", "0.0e5", "-0", "1E5", "1e+5", "0e0", "0.1e-1", "2.2250738585072011e-308"])
def test_unusual_numbers_are_read(text):
    found, *_ = read(b'{"x":{"a":%s}}' % text.encode())
    assert bits(found.values[0]) == bits(float(text))


@pytest.mark.parametrize(
    "value",
    [
        *("1e400", "-1e999", "NaN", "Infinity", "-Infinity", "nan", "inf", "null", "[]", "{}", "[1]", "01", "-01"),
        *(".5", "5.", "+1", "1e", "1e+", "-", "-a", "0x1", "1_0", "tru", "truee", "1.e5", "''", "1 1", "1e5.5", "--1"),
        *('"\\x"', '"\\u12"', '"\\ud800"', '"\\udc00\\ud800"', '"\t"', '"', "", "1-", "\u0663"),
    ],
)
def test_values_that_are_not_allowed_are_refused(value):
    for body in (b'{"x":{"a":%s}}', b'[{"x":{"a":%s},"y":"b"}]', b'{"x":{"ok":1},"weight":%s}', b'{"x":{},"id":%s}'):
        found, names, labels = read(body % value.encode())
        assert len(found) == 0
        assert len(found.bad) == 1
        assert len(names) == len(labels) == 0


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("1", 1),
        ("1.0", 1),
        ("1e2", 100),
        ("-0", 0),
        ("-0.0", 0),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("true", True),
        ("false", False),
        ('"true"', "true"),
        ('""', ""),
        ('"\\ud83d\\ude00"', "\U0001f600"),
    ],
)
def test_labels_are_strings_integers_or_booleans(label, expected):
    found, _, labels = read(b'{"x":{},"y":%s}' % label.encode())
    assert found.bad == []
    assert labels.since(0) == ([expected, not expected] if isinstance(expected, bool) else [expected])
    assert type(labels.since(0)[0]) is type(expected)


@pytest.mark.parametrize("label", ["1.5", "9223372036854775808", "1e300", "[]", "{}", '"a\\u0000"', "nul", "-", "1e-1"])
def test_other_labels_are_refused(label):
    found, _, labels = read(b'{"x":{},"y":%s}' % label.encode())
    assert (len(found), len(found.bad), len(labels)) == (0, 1, 0)


def test_labels_are_of_one_kind_and_null_is_none():
    for first, second in (('"1"', "1"), ("1", "true"), ("true", '"true"')):
        _, _, labels = read(b'{"x":{},"y":%s}' % first.encode())
        other, *_ = read(b'{"x":{},"y":%s}' % second.encode(), labels=labels)
        assert "does not fit the labels" in other.bad[0][1]
    assert read(b'{"x":{},"y":null}')[0].codes.tolist() == [-1]


@pytest.mark.parametrize(
    "body",
    [
        b'{"x":{"a":1,"a":1}}',
        b'{"x":{"a":1,"\\u0061":1}}',
        b'{"x":{"a":"b","a=b":1}}',
        b'{"x":{},"x":{}}',
        b'{"x":{},"\\u0078":{}}',
        b'{"y":1,"y":1,"x":{}}',
        b'{"x":{},"z":1}',
        b'{"x":{},"text":"a"}',
        b'{"y":1}',
        b"{}",
        b'{"x":{},}',
        b'{"x":{"a":1,}}',
        b'{"x":{"a" 1}}',
        b'{"x":{}}{}',
        b'[{"x":{}},]',
        b'[{"x":{}}',
        b'[{"x":{}}]]',
        b"[[]]",
        b"[,]",
        b'{"id":""}',
        b'{"x":{},"weight":0}',
        b'{"x":{},"weight":-1}',
        b'{"x":{},"weight":"1"}',
        b'{"x":[]}',
        b'"x"',
        b"\xef\xbb\xbf{}",
        b'{"x":{"\xff":1}}',
        b'{"x":{"\xed\xa0\x80":1}}',
        b'{"x":{"\xc0\x80":1}}',
    ],
)
def test_documents_that_are_not_examples_are_refused(body):
    found, names, labels = read(body)
    assert len(found.bad) == 1
    assert len(labels) == 0
    _, names, labels = read(b'{"x":{"a":1},"y":1}')
    found, *_ = read(body, names=names, labels=labels)  # also if the names are known
    assert len(found.bad) == 1


@given(st.binary(max_size=60) | st.text('{}[]":,xy id weight\\u0dtruefalsn.-+e1', max_size=60).map(str.encode))
def test_any_bytes_give_examples_only_if_json_reads_them(body):
    found, *_ = read(body)
    if found.bad:
        return
    plain = json.loads(body.decode())
    plain = plain if isinstance(plain, list) else [plain]
    assert len(plain) == len(found)
    assert all(set(own) <= {"x", "y", "id", "weight", "text"} for own in plain)


LINE = examples().map(lambda case: case[1].encode()) | st.sampled_from(
    [
        b"",
        b" ",
        b"{",
        b"x",
        b'{"x":{"a":1},"y":"b"} ',
        b'{"x":{"a":1},"y":"b"}\r',
        b" " * 2001,
        b'{"text":"' + b"t" * 2000 + b'"}',
    ]
)


@given(st.lists(LINE, max_size=5), st.booleans(), st.lists(st.integers(0, 3000), max_size=4))
def test_cuts_do_not_change_what_is_read(lines, ends, cuts):
    text = b"\n".join(lines) + (b"\n" if ends else b"")

    def pieces(places):
        names, labels = _core.NameTable(1000), _core.LabelTable(100)
        reader, found = _core.ExampleLines(False, LIMITS), []
        places = [0, *sorted(min(place, len(text)) for place in places), len(text)]
        for begin, end in pairwise(places):
            own = reader.feed(text[begin:end], names, labels, False)
            accept(own, names, labels)
            found.append(own)
        found.append(reader.feed(b"", names, labels, True))
        accept(found[-1], names, labels)
        rows = [
            (
                features_of(own, names, row),
                label_of(own, labels, row),
                own.places[row],
                own.ids and own.ids[row],
                own.text_at(row),
            )
            for own in found
            for row in range(len(own))
        ]
        return rows, [bad for own in found for bad in own.bad], names.since(0), labels.since(0)

    whole = pieces([])
    assert pieces(cuts) == whole
    if len(text) < 300:
        assert pieces(range(len(text))) == whole
    accepted = {row[2] for row in whole[0]} | {bad[0] for bad in whole[1]}
    assert accepted == {place for place, line in enumerate(lines) if line.strip() or len(line) > 2000}


@given(
    st.lists(
        st.dictionaries(st.integers(0, 9), st.floats(allow_nan=False, allow_infinity=False), max_size=4), max_size=5
    )
)
def test_svmlight_has_the_numbers_that_python_reads(rows):
    text = "".join(
        f"{(-1) ** k} " + " ".join(f"{i}:{v!r}" for i, v in row.items()) + "\n" for k, row in enumerate(rows)
    )
    names, labels = _core.NameTable(100), _core.LabelTable(10)
    found = _core.ExampleLines(True, LIMITS).feed(text.encode(), names, labels, True)
    assert found.bad == []
    for place, row in enumerate(rows):
        assert features_of(found, names, place) == {str(i): bits(v) for i, v in row.items()}


@pytest.mark.parametrize(
    "line",
    [b"a 1:1", b"1 a:1", b"1 1:", b"1 1", b"1 -1:1", b"1 1:nan", b"1 1:inf", b"1 1:1 1:2", b"1.5 1:1", b"1 1:0x1"],
)
def test_bad_lines_of_svmlight_are_refused(line):
    found = _core.ExampleLines(True, LIMITS).feed(line, _core.NameTable(9), _core.LabelTable(9), True)
    assert (len(found), len(found.bad)) == (0, 1)


@pytest.mark.parametrize("name", ["0", *("9" * size for size in range(1, 18))])
def test_indices_of_any_length_are_names(name):
    names = _core.NameTable(10, 0)
    lines = _core.ExampleLines(True, LIMITS)
    read = lines.feed(f"1 {name}:2.5 7{name}:1e3\n".encode(), names, _core.LabelTable(10), True)
    assert not read.bad
    assert read.new_names == [name, f"7{name}"]
    assert read.values.tolist() == [2.5, 1000.0]


def test_limits():
    assert "more than 50 features" in read(json.dumps({"x": {str(k): 1 for k in range(51)}}).encode())[0].bad[0][1]
    assert "longer than 60 bytes" in read(json.dumps({"x": {"n" * 61: 1}}).encode())[0].bad[0][1]
    assert "longer than 60 bytes" in read(json.dumps({"x": {}, "y": "n" * 61}).encode())[0].bad[0][1]
    assert "longer than 40 bytes" in read(json.dumps({"x": {}, "id": "n" * 41}).encode())[0].bad[0][1]
    assert "longer than 2000 bytes" in read(json.dumps({"text": "n" * 2001}).encode())[0].bad[0][1]
    names, labels = _core.NameTable(2), _core.LabelTable(2)
    two = b'[{"x":{"a":1},"y":"p"},{"x":{"b":1},"y":"q"}]'
    assert read(two, names=names, labels=labels)[0].bad == []
    assert "max_names" in read(b'{"x":{"c":1},"y":"p"}', names=names, labels=labels)[0].bad[0][1]
    assert "max_classes" in read(b'{"x":{"a":1},"y":"r"}', names=names, labels=labels)[0].bad[0][1]
    assert read(b'{"x":{"c":1},"y":"r"}', names=names, labels=labels, collects=False)[0].bad == []


def test_predicting_adds_nothing_and_unknown_names_get_columns_of_their_own():
    _, names, labels = read(b'{"x":{"a":1,"b":2},"y":"p"}')
    found, *_ = read(b'{"x":{"c":1,"b":5,"d":2}}', collects=False, names=names, labels=labels)
    assert found.columns.tolist() == [2, 1, 3]
    assert found.width == 4
    assert (names.since(0), labels.since(0)) == (["a", "b"], ["p"])
    assert names.find("c") < 0


def test_reading_again_gives_the_same_with_other_tables():
    text = b'{"x":{"b":1},"y":"q"}\nbad\n{"x":{"a":"c"},"y":"p","id":"i"}\n'
    names, labels = _core.NameTable(9), _core.LabelTable(9)
    found = _core.ExampleLines(False, LIMITS).feed(text, names, labels, True)
    _, others, kinds = read(b'{"x":{"a=c":1},"y":"p"}')
    again = found.read_again(others, kinds, LIMITS)
    assert again.columns.tolist() == [-1, 0]
    assert again.codes.tolist() == [-2, 0]
    assert (again.new_names, again.new_labels) == (["b"], ["q"])
    assert again.places.tolist() == [0, 2]
    assert [bad[0] for bad in again.bad] == [1]
    assert again.ids == [None, "i"]


@given(st.lists(st.tuples(st.integers(-1, 1), st.floats(allow_nan=True)), max_size=5))
def test_lines_of_answers_are_json(rows):
    predicted = np.array([code for code, _ in rows], dtype=np.int32)
    scores = np.array([score for _, score in rows]).reshape(-1, 1)
    lines = _core.answer_lines(predicted, scores, np.zeros(len(rows), dtype=np.int32), ['"a"', '"é"'], [])
    found = [json.loads(line) for line in lines.splitlines()]
    assert [own["mistake"] for own in found] == [code != 0 for code, _ in rows]
    assert [own["predicted"] for own in found] == [None if code < 0 else ("a", "é")[code] for code, _ in rows]
    for own, (code, score) in zip(found, rows, strict=True):
        if code >= 0:
            assert own["score"] == (score if math.isfinite(score) else None)
