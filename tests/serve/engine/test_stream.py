import json

import pytest

from engines import fingerprint, learned, random_examples, running
from novikoff.serve.errors import BrokenStream, ServeError

LINES = [
    *random_examples(6),
    b"\n",
    b"   \r\n",
    b"{\n",
    {"x": {"f0": 1.0}, "y": "a", "id": "i"},
    {"x": {"f0": 1.0}, "y": "a", "id": "i"},
    {"x": {"f0": 1e200}, "y": "a"},
    {"id": "unknown", "y": "a"},
    {"x": {"f1": True, "f2": "word"}, "y": "b", "weight": 2.5},
    {"x": {}, "y": 3},
    b'{"x": {"f0": 1}, "y": "b"}',
]


def test_cuts_change_neither_answers_nor_the_model(tmp_path):
    found = []
    with running(tmp_path) as client:
        for cut in (1, 2, 7, 64, 10_000):
            client.create(f"m{cut}")
            found.append((client.stream(f"m{cut}", LINES, cut), fingerprint(client.model(f"m{cut}"))))
    answers, print_ = found[0]
    for own in found:
        assert own[0] == answers
    learners = [own[1][3][""][0] for own in found]
    assert set(learners) == {print_[3][""][0]}
    assert [line["line"] for line in answers if "error" in line] == [9, 12, 13, 15]
    assert answers[-1]["summary"]["examples"] == 9
    assert answers[-1]["summary"]["errors"] == 4
    assert answers[8]["repeated"]


def test_svmlight_is_learned_like_json(tmp_path):
    with running(tmp_path) as client:
        client.create("a")
        client.create("b")
        lines = [b"+1 1:0.5 3:2 # x\n", b"-1 2:1e-3\n", b"1 1:-1\n", b"# only a comment\n", b"1 1:x\n", b"-1 3:1"]
        json_lines = [
            {"x": {"1": 0.5, "3": 2}, "y": 1},
            {"x": {"2": 1e-3}, "y": -1},
            {"x": {"1": -1}, "y": 1},
            b"\n",
            b"x\n",
            {"x": {"3": 1}, "y": -1},
        ]
        one, two = client.stream("a", lines, 5, "svmlight"), client.stream("b", json_lines)
        assert one[-1]["summary"].pop("first_error")["line"] == two[-1]["summary"].pop("first_error")["line"] == 5
        assert [line for line in one if "error" not in line] == [line for line in two if "error" not in line]
        assert [line["line"] for line in one if "error" in line] == [5]
        assert learned(client.model("a")) == learned(client.model("b"))


def test_arrow_is_learned_like_json(tmp_path):
    import pyarrow as pa

    examples = [own | {"id": str(place)} for place, own in enumerate(random_examples(30))]
    rows = [{f"f{k}": own["x"].get(f"f{k}") for k in range(12)} | {"y": own["y"], "id": own["id"]} for own in examples]
    table = pa.Table.from_pylist(rows)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table, max_chunksize=7)
    with running(tmp_path) as client:
        client.create("a")
        client.create("b")
        ordered = [
            {"y": own["y"], "id": own["id"], "x": dict(sorted(own["x"].items(), key=lambda pair: int(pair[0][1:])))}
            for own in examples
        ]
        assert client.stream("a", [sink.getvalue().to_pybytes()], 97, "arrow") == client.stream("b", ordered)
        with pytest.raises(ServeError) as refused:
            client.stream("a", [b"no arrow at all, but some bytes"], 7, "arrow")
        assert refused.value.status == 400


def test_a_stream_goes_on_when_its_model_was_loaded_again(tmp_path):
    with running(tmp_path, models_in_memory=1) as client:
        client.create("a")
        stream = client.engine.open_stream("a", "ndjson")
        examples = random_examples(20)
        for place, example in enumerate(examples):
            text = json.dumps(example).encode()
            middle = len(text) // 2
            stream.feed(text[:middle], False).result(9)
            client.create(f"other{place}")  # takes its place in memory
            found = stream.feed(text[middle:] + b"\n", False).result(9)
            assert "error" not in json.loads(found)
        assert json.loads(stream.feed(b"", True).result(9))["summary"]["examples"] == 20
        assert stream.pending == 0
        client.create("b")
        client.learn("b", examples)
        assert fingerprint(client.model("b"))[3][""][0] == fingerprint(client.model("a"))[3][""][0]


@pytest.mark.parametrize("cut", [200, 10**6])
def test_whole_batches_before_the_end_of_a_broken_arrow_stream_are_learned(tmp_path, cut):
    import pyarrow as pa

    table = pa.table({"f": [1.0, 2.0, 3.0, 4.0] * 5, "y": ["a", "b"] * 10})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table, max_chunksize=4)
    text = sink.getvalue().to_pybytes()[:-100]
    with running(tmp_path) as client:
        client.create()
        stream = client.engine.open_stream("m", "arrow")
        pieces = [text[begin : begin + cut] for begin in range(0, len(text), cut)]
        answers = [stream.feed(piece, False) for piece in pieces[:-1]]
        with pytest.raises(ServeError) as refused:
            stream.feed(pieces[-1], True)
        assert refused.value.code == "bad_arrow"
        if isinstance(refused.value, BrokenStream):
            answers.append(refused.value.before)
        assert sum(answer.result(9).count(b'"mistake"') for answer in answers) == 16
        assert isinstance(refused.value, BrokenStream) == (cut > len(text))
        client.model()
        assert client.predict("m", {"x": {}})["version"] == 16
