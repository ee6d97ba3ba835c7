import json

from engines import fingerprint, learned, random_examples, running

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
