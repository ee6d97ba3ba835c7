import json

import pytest

import novikoff._core as _core
from engines import fingerprint, random_examples
from novikoff.serve.engine import group as group_module
from novikoff.serve.engine.group import Group
from novikoff.serve.engine.inbox import Job
from novikoff.serve.engine.loading import apply
from novikoff.serve.engine.model import Model
from novikoff.serve.engine.pending import Pending
from novikoff.serve.engine.requests import Document, Piece, Totals
from novikoff.serve.engine.specification import Specification
from novikoff.serve.errors import ServeError
from novikoff.serve.log.records import Record
from novikoff.serve.settings import Settings

LIMITS = _core.ExampleLimits(100, 100, 100, 10_000)
HUGE = {"x": {"a": 1e200}, "y": "a"}


def model_of(name="perceptron", **others):
    return Model(1, Specification(name, **others), Settings())


def document(model, examples):
    read = _core.read_examples(json.dumps(examples).encode(), model.names, model.labels, LIMITS, True)
    return Job(1, len(read), Document(read, model.names))


def piece(model, examples, is_last=True):
    text = b"".join(json.dumps(example).encode() + b"\n" for example in examples)
    read = _core.ExampleLines(False, LIMITS).feed(text, model.names, model.labels, True)
    return Job(1, len(read), Piece(read, model.names, True, Totals(), is_last))


def learned(model, jobs, pending=None):
    """Learn jobs as the writer does; return the group."""
    for job in jobs:
        job.answer.set_running_or_notify_cancel()
    group = Group(model, jobs, pending or Pending(10, 100), LIMITS)
    group.learn()
    group.finish()
    return group


def replayed(model, entries):
    other = Model(1, model.specification, Settings())
    for name, arm in model.arms.items():
        if name:
            other.add_shadow(name, arm.specification)
    for place, entry in enumerate(entries):
        apply(other, Record(place + 2, 1, entry.kind, entry.first, entry.count, entry.payload, b""))
    return other


def answers(job):
    return json.loads(job.answer.result(0))


def lines(job):
    return [json.loads(line) for line in job.answer.result(0).splitlines()]


def test_jobs_are_one_block_and_a_replay_learns_the_same():
    model = model_of()
    examples = random_examples(30, classes=("a", "b", "c"), weight=2.0)
    group = learned(
        model, [document(model, examples[:10]), piece(model, examples[10:20]), document(model, examples[20:])]
    )
    assert [entry.count for entry in group.entries()] == [30]
    assert fingerprint(replayed(model, group.entries())) == fingerprint(model)


def test_a_document_that_the_learner_refuses_leaves_the_others():
    model = model_of()
    examples = random_examples(20)
    jobs = [document(model, examples[:5]), document(model, [examples[5], HUGE]), document(model, examples[6:])]
    group = learned(model, jobs)
    assert model.examples == 19
    with pytest.raises(ServeError) as refused:
        jobs[1].answer.result(0)
    assert (refused.value.status, refused.value.code) == (422, "bad_example")
    other = model_of()
    jobs = [document(other, examples[:5]), document(other, [examples[5], HUGE]), document(other, examples[6:])]
    learned(other, [jobs[0], jobs[2]])
    assert fingerprint(other)[3][""][0] == fingerprint(model)[3][""][0]
    assert fingerprint(replayed(model, group.entries())) == fingerprint(model)


def test_a_refused_line_is_answered_in_its_place():
    model = model_of()
    examples = random_examples(9)
    job = piece(model, [*examples[:4], HUGE, {"y": 3, "x": {}}, *examples[4:]])
    group = learned(model, [job])
    found = lines(job)
    assert [place for place, line in enumerate(found) if "error" in line] == [4, 5]
    assert [line["line"] for line in found if "error" in line] == [5, 6]
    counts = {"examples": 9, "mistakes": model.main.tally.mistakes, "errors": 2, "version": 9}
    assert found[-1] == {"summary": counts | {"first_error": found[4]}}
    assert fingerprint(replayed(model, group.entries())) == fingerprint(model)


def test_an_id_is_learned_once_in_a_group():
    model = model_of()
    one = {"x": {"a": 1.0}, "y": "a", "id": "i"}
    jobs = [document(model, one), document(model, [one, one]), piece(model, [one])]
    learned(model, jobs)
    assert model.examples == 1
    assert "repeated" not in answers(jobs[0])
    assert [answer["repeated"] for answer in answers(jobs[1])] == [True, True]
    assert lines(jobs[2])[0]["repeated"]


def test_an_id_whose_example_was_refused_is_learned_by_the_next_request():
    model = model_of()
    jobs = [document(model, HUGE | {"id": "i"}), document(model, {"x": {"a": 1.0}, "y": "a", "id": "i"})]
    learned(model, jobs)
    with pytest.raises(ServeError):
        jobs[0].answer.result(0)
    assert "repeated" not in answers(jobs[1])
    assert model.examples == 1


def test_an_id_that_was_refused_in_the_same_stream_is_not_said_to_be_learned():
    model = model_of()
    job = piece(model, [HUGE | {"id": "i"}, {"x": {"a": 1.0}, "y": "a", "id": "i"}])
    learned(model, [job])
    assert all("error" in line for line in lines(job)[:2])
    assert model.examples == 0


def test_a_request_that_was_read_with_other_tables_is_read_again():
    before, model = model_of(), model_of()
    learned(model, [document(model, [{"x": {"z": 1.0}, "y": "b"}, {"x": {"a": -1.0}, "y": "a"}])])
    jobs = [document(before, {"x": {"a": 2.0}, "y": "a"}), document(before, {"x": {"q": 1.0}, "y": "new"})]
    learned(model, jobs)
    assert model.names.since(0) == ["z", "a", "q"]
    assert model.labels.since(0) == ["b", "a", "new"]
    assert jobs[0].content.read.columns.tolist() == [1]


def test_a_request_that_does_not_fit_the_other_tables_is_refused_as_a_whole():
    before, model = model_of(), model_of()
    learned(model, [document(model, {"x": {"z": 1.0}, "y": 1})])
    job = document(before, [{"x": {"a": 2.0}, "y": "a"}])
    learned(model, [job])
    with pytest.raises(ServeError, match="does not fit the labels"):
        job.answer.result(0)
    assert model.examples == 1


def test_a_piece_without_a_complete_line_can_be_read_again():
    before, model = model_of(), model_of()
    read = _core.ExampleLines(False, LIMITS).feed(b'{"x": {"a"', before.names, before.labels, False)
    job = Job(1, 1, Piece(read, before.names, True, Totals()))
    learned(model, [job])
    assert job.answer.result(0) == b""


def test_large_groups_are_stored_as_several_blocks(monkeypatch):
    monkeypatch.setattr(group_module, "MAX_FEATURES", 10)
    model = model_of()
    group = learned(model, [document(model, example) for example in random_examples(20)])
    assert len(group.entries()) > 2
    assert fingerprint(replayed(model, group.entries())) == fingerprint(model)


def test_a_label_removes_its_prediction_from_those_that_wait():
    model, pending = model_of(), Pending(10, 100)
    pending.add(1, "i", b'{"x": {"a": 1}}', -1, 0)
    job = document(model, {"id": "i", "y": "p"})
    learned(model, [job], pending)
    assert answers(job) == {"predicted": None, "mistake": True, "version": 1, "served": None, "id": "i"}
    assert len(pending) == 0
    again = document(model, {"id": "i", "y": "p"})
    learned(model, [again], pending)
    assert answers(again) == answers(job) | {"repeated": True}


def test_a_shadow_that_refuses_stops_in_the_same_block_after_a_replay():
    model = model_of()
    model.add_shadow("s", Specification("perceptron", classes=("a", "b")))
    examples = random_examples(12, classes=("a", "b", "c"))
    jobs = [piece(model, [*examples[:4], HUGE, *examples[4:]])]
    group = learned(model, jobs)
    assert model.arms["s"].stopped is not None
    assert fingerprint(replayed(model, group.entries())) == fingerprint(model)


def test_all_jobs_of_a_failed_group_get_the_error():
    model = model_of()
    jobs = [document(model, {"x": {}, "y": "a"}) for _ in range(2)]
    group = Group(model, jobs, Pending(1, 1), LIMITS)
    jobs[0].answer.set_result(b"")
    group.fail(ServeError(503, "x", "X."))
    assert jobs[1].answer.exception(0).status == 503
