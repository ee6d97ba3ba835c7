"""What the engine promises, on random sequences of requests."""

import json
import threading
import time

import numpy as np
import pytest

import novikoff._core as _core
from engines import digest, learned, random_examples, running
from novikoff._learner_names import ONLINE
from novikoff.data.rows import csr
from novikoff.serve.engine.specification import Specification
from novikoff.serve.errors import ServeError
from novikoff.serve.log.blocks import decode
from novikoff.serve.log.records import EXAMPLES
from novikoff.serve.log.store import SNAPSHOTS, Store

TWO, THREE = ("a", "b"), ("b", "a", "c")
CASES = [
    *(({"learner": name}, THREE) for name in ONLINE),
    ({"learner": "perceptron", "hashing": {"n_bits": 3}}, THREE),
    ({"learner": "arow", "hashing": {"n_bits": 10}}, THREE),
    ({"learner": "perceptron", "classes": ["c", "b", "a"]}, THREE),
    ({"learner": "passive-aggressive-ii"}, (10, -3, 7)),
    ({"learner": "averaged-perceptron"}, (True, False)),
]
QUICK = [({"learner": "perceptron"}, 40), ({"learner": "tracker"}, 15)]  # and numbers of steps
STEPS = 60


class Play:
    """Random requests to an engine that restarts and forgets, and the same ones to an engine that does neither."""

    def __init__(self, directory, specification, classes, seed):
        self.directory, self.random = directory, np.random.default_rng(seed)
        self.examples = iter(self.late(random_examples(2000, seed, classes=classes), classes[-1]))
        self.names, self.made, self.outstanding = ["m"], 1, []
        self.steps = [("create", "m", specification)]

    @staticmethod
    def late(examples, last):
        """Leave out the last class at the beginning, and give some examples weights."""
        found = [own for place, own in enumerate(examples) if place > 300 or own["y"] != last]
        return [own | ({"weight": 0.5 + place % 3} if place % 7 == 0 else {}) for place, own in enumerate(found)]

    def take(self, most):
        count = int(self.random.integers(1, most))
        return [next(self.examples) | ({"id": f"i{self.random.integers(60)}"} if k % 2 else {}) for k in range(count)]

    def draw(self):
        """Return the next request."""
        name = str(self.random.choice(self.names))
        kind = self.random.choice(["learn", "stream", "predict", "label", "shadow", "copy", "delete", "restart"], p=P)
        if kind == "learn":
            return kind, name, self.take(8)
        if kind == "stream":
            return (
                kind,
                name,
                [*self.take(15), b"bad\n", {"x": {"f0": 1e200}, "y": self.take(2)[0]["y"]}, *self.take(9)],
            )
        if kind == "predict":
            own = next(self.examples)
            self.outstanding.append((name, f"p{len(self.outstanding)}", own["y"]))
            return kind, name, {"x": own["x"], "id": self.outstanding[-1][1]}
        if kind == "label" and self.outstanding:
            name, id, label = self.outstanding[self.random.integers(len(self.outstanding))]
            return kind, name, {"id": id, "y": label}
        if kind == "shadow":
            return kind, name, str(self.random.choice(["perceptron", "arow"]))
        if kind == "copy" and self.made < 6:
            self.made += 1
            self.names.append(f"m{self.made}")
            return kind, name, self.names[-1]
        if kind == "delete" and len(self.names) > 2:
            self.names.remove(name)
            return kind, name, None
        return "restart", None, int(self.random.integers(3))


P = [0.25, 0.15, 0.15, 0.15, 0.08, 0.06, 0.04, 0.12]


def ask(client, kind, name, what):
    """Send one request; return the answer, or the code of the error."""
    try:
        if kind == "create":
            return client.create(name, what)
        if kind == "learn":
            return client.learn(name, what)
        if kind == "stream":
            return client.stream(name, what, 10**6)
        if kind == "predict":
            client.model(name)  # after everything was published, so that both engines have the same version
            return client.predict(name, what)
        if kind == "label":
            return client.learn(name, what)
        if kind == "shadow":
            arms = client.model(name).arms
            if what in arms:
                return client.engine.remove_shadow(name, what).result(20)
            return client.engine.add_shadow(name, what, {"learner": what}).result(20)
        if kind == "copy":
            return client.engine.copy(name, what).result(20)
        return client.engine.delete(name).result(20)
    except ServeError as error:
        return error.code


def hurt(directory, how):
    """Delete (1) or damage (2) snapshots."""
    for path in sorted((directory / SNAPSHOTS).rglob("*.snapshot")):
        if how == 1:
            path.unlink()
        elif how == 2:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 1
            path.write_bytes(bytes(data))


def columns_of(directory, number):
    """Return how many names the blocks of a model have."""
    with Store.open(directory, read_only=True) as store:
        records = [record for record in store.records(model=number) if record.kind == EXAMPLES]
    return sum(len(decode(record.payload).names) for record in records)


def offline(directory, number, specification):
    """Return a learner that learns the rows of a model from the log, one after the other, with ``partial_fit``."""
    learner, labels, hashing = specification.make(), list(specification.classes or []), specification.make_hashing()
    width = columns_of(directory, number) if hashing is None else 2**hashing.n_bits
    with Store.open(directory, read_only=True) as store:
        for record in store.records(model=number):
            if record.kind != EXAMPLES:
                continue
            block = decode(record.payload)
            labels += block.labels
            for row in range(len(block)):
                begin, end = block.indptr[row], block.indptr[row + 1]
                columns, values = block.columns[begin:end], block.values[begin:end]
                X = csr(values.copy(), columns.copy(), np.array([0, end - begin], dtype=np.int32), width)
                weight = None if block.weights is None else [block.weights[row]]
                learner.partial_fit(X, np.array(labels)[block.codes[row : row + 1]], sample_weight=weight)
    return learner


@pytest.mark.parametrize(
    ("specification", "classes", "steps"),
    [
        *((specification, THREE, steps) for specification, steps in QUICK),
        *(pytest.param(*case, STEPS, marks=pytest.mark.slow) for case in CASES),
    ],
)
def test_restarts_evictions_and_lost_snapshots_change_no_bit(specification, classes, steps, tmp_path):
    play = Play(tmp_path, specification, classes, seed=len(specification) + len(classes))
    with running(tmp_path / "calm") as calm:
        client_of = running(tmp_path / "wild", models_in_memory=2, snapshot_every=25)
        wild = client_of.__enter__()
        try:
            ask(calm, *play.steps[0])
            ask(wild, *play.steps[0])
            for _ in range(steps):
                step = play.draw()
                if step[0] == "restart":
                    client_of.__exit__(None, None, None)
                    hurt(tmp_path / "wild", step[2])
                    client_of = running(tmp_path / "wild", models_in_memory=2, snapshot_every=25)
                    wild = client_of.__enter__()
                else:
                    assert ask(wild, *step) == ask(calm, *step), step
            assert wild.engine.names() == calm.engine.names()
            numbers = {}
            for name in calm.engine.names():
                assert learned(wild.model(name)) == learned(calm.model(name))
                numbers[name] = wild.engine.known(name)
                found = wild.model(name).main.learner if calm.counts(name)["examples"] else None
                if found is not None and numbers[name].source is None:
                    learner = offline(tmp_path / "wild", numbers[name].number, Specification.of(specification))
                    assert digest(learner) == digest(found)
        finally:
            client_of.__exit__(None, None, None)


def test_an_id_is_learned_once_by_concurrent_requests_and_after_a_restart(tmp_path):
    example = json.dumps({"x": {"u": 1.0}, "y": "a", "id": "i"}).encode()
    with running(tmp_path) as client:
        client.create()
        jobs, barrier = [], threading.Barrier(4)

        def send():
            barrier.wait(10)
            for _ in range(20):
                jobs.append(client.engine.learn("m", example))

        threads = [threading.Thread(target=send) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        answers = [json.loads(job.result(20)) for job in jobs]
        assert sum("repeated" not in answer for answer in answers) == 1
        assert client.counts()["examples"] == 1
    with running(tmp_path) as client:
        assert client.learn("m", json.loads(example))["repeated"]
    hurt(tmp_path, 1)
    with running(tmp_path) as client:
        assert client.learn("m", json.loads(example))["repeated"]
        assert client.counts()["examples"] == 1


@pytest.mark.parametrize("order", ["same", "reversed", "random"])
@pytest.mark.parametrize("delay", [1, 3, 10])
def test_served_mistakes_are_counted_and_bounded_for_late_labels(order, delay, tmp_path):
    """docs/theory.md P2: at most L + tau (M + K) served predictions are wrong."""
    random = np.random.default_rng(delay)
    examples = [random_examples(1, seed)[0] for seed in range(4)] * 30  # repeated examples attain the bound
    served, learned, largest, wrong = {}, 0, 0, 0
    with running(tmp_path) as client:
        client.create()
        for begin in range(0, len(examples), delay):
            own = list(range(begin, min(begin + delay, len(examples))))
            for k in own:
                client.model()
                answer = client.predict("m", {"x": examples[k]["x"], "id": str(k)})
                served[k] = (answer["label"], answer["version"])
            own = own[::-1] if order == "reversed" else own if order == "same" else random.permutation(own).tolist()
            for k in own:
                answer = client.learn("m", {"id": str(k), "y": examples[k]["y"]})
                assert answer["served"] == served[k][0]
                largest = max(largest, learned - served[k][1])
                wrong += served[k][0] != examples[k]["y"]
                learned += 1
        counts = client.counts()
        updates = client.model().main.learner.record_.certificates[0].updates
        assert (counts["served"], counts["served_mistakes"], counts["largest_delay"]) == (len(examples), wrong, largest)
        assert wrong <= counts["mistakes"] + largest * (updates + 2)


@pytest.mark.parametrize("learner", ["perceptron", "tracker", "normalized-adaptive"])
def test_each_prediction_is_that_of_the_version_it_names(learner, tmp_path):
    examples = random_examples(300, classes=THREE)
    asked = {"x": examples[0]["x"]}
    seen, done = {}, threading.Event()
    with running(tmp_path) as client:
        client.create("m", {"learner": learner})
        client.learn("m", examples[:1])

        def go_on_asking():
            while not done.is_set():
                answer = client.predict("m", asked)
                assert seen.setdefault(answer["version"], answer) == answer
                time.sleep(1e-4)  # a thread that never waits would keep the interpreter from the writer

        thread = threading.Thread(target=go_on_asking)
        thread.start()
        for begin in range(1, 300, 3):
            client.learn("m", examples[begin : begin + 3])
        done.set()
        thread.join(20)
    with Store.open(tmp_path, read_only=True) as store:
        assert store.last > 2
    own, names, labels = Specification(learner).make(), _core.NameTable(100), _core.LabelTable(10)
    limits = _core.ExampleLimits(100, 100, 100, 10_000)
    for version, example in enumerate(examples, 1):
        body = json.dumps(example).encode()
        names.add(_core.read_examples(body, names, labels, limits, True).new_names)
        read = _core.read_examples(body, names, labels, limits, False)
        own.partial_fit(csr(read.values, read.columns, read.offsets, 12), [example["y"]])
        if version in seen:
            row = _core.read_examples(json.dumps(asked).encode(), names, labels, limits, False)
            Q = csr(row.values, row.columns, row.offsets, 12)
            assert seen[version]["label"] == own.predict(Q)[0]
            scores = own.decision_function(Q)[0]
            found = seen[version].get("score", list(seen[version].get("scores", {}).values()))
            assert found == scores.tolist()
    assert len(seen) > 1
