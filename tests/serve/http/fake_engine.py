"""An engine with the contract of the real one that counts labels in dicts: it predicts the label seen most often."""

import json
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor

from novikoff.serve.errors import Asleep, ServeError


class FakeModel:
    def __init__(self, specification):
        self.specification = specification
        self.counts = Counter()
        self.learned = 0
        self.mistakes = 0
        self.ids = {}
        self.shadows = {}

    def predicted(self):
        return self.counts.most_common(1)[0][0] if self.counts else None


class FakeEngine:
    """Answers like the real engine.

    ``asleep`` has models that must be woken, ``delay`` slows the writer down, and ``padding``
    is added to the answers of streams.
    """

    def __init__(self):
        self.models = {}
        self.asleep = set()
        self.wakes = []
        self.delay = 0.0
        self.stopped_because = None
        self.is_full = False
        self.queue = 0
        self.padding = b""
        self.calls = []
        self.most_unanswered = 0
        self.broken = False
        self._writer = ThreadPoolExecutor(1)
        self._lock = threading.Lock()

    # ---- life --------------------------------------------------------------------------------------------------

    def start(self):
        self.calls.append("start")

    def stop(self):
        self.calls.append("stop")
        self._writer.shutdown()

    # ---- predicting and learning -------------------------------------------------------------------------------

    def predict(self, name, body):
        if self.broken:
            raise RuntimeError("secret detail")
        model = self._model(name)
        if name in self.asleep:
            raise Asleep(name)
        examples = parsed(body)
        answers = [self._prediction(model, example) for example in listed(examples)]
        return dumped(answers if isinstance(examples, list) else answers[0])

    def _prediction(self, model, example):
        check(example, ("x", "text", "id"))
        answer = {"label": model.predicted(), "score": 0.0, "version": model.learned}
        return answer | ({"id": example["id"]} if "id" in example else {})

    def wake(self, name):
        self.wakes.append(name)
        self.asleep.discard(name)
        return self._writer.submit(lambda: None)

    def learn(self, name, body):
        model = self._model(name)
        if self.stopped_because:
            raise ServeError(503, "learning_stopped", self.stopped_because)
        if self.is_full:
            raise ServeError(429, "queue_full", "The queue is full. Try again.", retry_after=2)
        examples = parsed(body)
        for example in listed(examples):
            check(example, ("x", "text", "id", "y", "weight"))
            if not isinstance(example.get("y"), str | int):
                raise ServeError(422, "bad_example", "The example has no label.")
        return self._writer.submit(self._learn, model, examples)

    def _learn(self, model, examples):
        time.sleep(self.delay)
        answers = [self._learn_one(model, example) for example in listed(examples)]
        return dumped(answers if isinstance(examples, list) else answers[0])

    def _learn_one(self, model, example):
        id = example.get("id")
        if id in model.ids:
            return model.ids[id] | {"repeated": True}
        predicted, mistake = model.predicted(), model.predicted() != example["y"]
        model.counts[example["y"]] += 1
        model.learned += 1
        model.mistakes += mistake
        answer = {"predicted": predicted, "mistake": mistake, "version": model.learned}
        if id is not None:
            answer["id"] = id
            model.ids[id] = answer
        return answer

    def open_stream(self, name, format, answers=True):
        self.calls.append(("open_stream", name, format))
        return FakeStream(self, self._model(name), answers)

    # ---- models ------------------------------------------------------------------------------------------------

    def create(self, name, specification):
        if specification.get("learner") not in ("tracker", "perceptron", "arow"):
            return failed(ServeError(422, "unknown_learner", "There is no such learner."))
        known = self.models.get(name)
        if known is not None and known.specification != specification:
            return failed(ServeError(409, "exists", "There is another model of this name."))
        self.models.setdefault(name, FakeModel(specification))
        return done({"name": name, "created": known is None} | specification)

    def copy(self, name, to):
        if name not in self.models:
            return failed(unknown(name))
        if to in self.models:
            return failed(ServeError(409, "exists", "There is another model of this name."))
        self.models[to] = FakeModel(self.models[name].specification)
        self.models[to].counts = Counter(self.models[name].counts)
        return done({"name": to})

    def delete(self, name):
        if name not in self.models:
            return failed(unknown(name))
        del self.models[name]
        return done({"name": name})

    def add_shadow(self, name, shadow, specification):
        if name not in self.models:
            return failed(unknown(name))
        if specification.get("learner") not in ("tracker", "perceptron", "arow"):
            return failed(ServeError(422, "unknown_learner", "There is no such learner."))
        shadows = self.models[name].shadows
        if shadows.get(shadow, specification) != specification:
            return failed(ServeError(409, "exists", "There is another shadow of this name."))
        is_new = shadow not in shadows
        shadows[shadow] = specification
        return done({"name": shadow, "created": is_new})

    def remove_shadow(self, name, shadow):
        if name not in self.models or shadow not in self.models[name].shadows:
            return failed(unknown(shadow))
        del self.models[name].shadows[shadow]
        return done({"name": shadow})

    def names(self):
        return list(self.models)

    def describe(self, name):
        model = self._model(name)
        return {"name": name, "version": model.learned, "shadows": model.shadows} | model.specification

    def certificate(self, name):
        return {"mistakes": self._model(name).mistakes}

    def dump(self, name):
        return b"nvk" + dumped(dict(self._model(name).counts))

    def overview(self, name):
        model = self._model(name)
        return {
            "model": name,
            "learner": model.specification["learner"],
            "version": model.learned,
            "counts": {"examples": float(model.learned), "mistakes": model.mistakes, "pending": 0},
            "bound": {"mistakes": 12.5},
            "served_bound": {"mistakes": 7},
            "margin_bound": None,
            "server": {"queue": 0},
        }

    def status(self):
        learning = "stopped" if self.stopped_because else "on"
        examples = sum(model.learned for model in self.models.values())
        return {
            "ready": True,
            "learning": learning,
            "reason": self.stopped_because,
            "queue": self.queue,
            "queue_limit": 10,
            "models": len(self.models),
            "in_memory": len(self.models),
            "sequence": examples,
            "examples": examples,
            "log_bytes": 100,
        }

    def _model(self, name):
        if name not in self.models:
            raise unknown(name)
        return self.models[name]


class FakeStream:
    """Answers each line; ``{"stop": true}`` makes learning stop."""

    def __init__(self, engine, model, answers):
        self._engine, self._model, self._answers = engine, model, answers
        self._rest = b""
        self._summary = {"examples": 0, "mistakes": 0, "errors": 0, "version": 0}
        self._number = 0
        self.pending = 0

    def feed(self, chunk, last):
        self.pending += 1
        self._engine.most_unanswered = max(self._engine.most_unanswered, self.pending)
        self._engine.calls.append(("feed", len(chunk), last))
        return self._engine._writer.submit(self._answer, chunk, last)

    def _answer(self, chunk, last):
        time.sleep(self._engine.delay)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if last and self._rest:
            lines.append(self._rest)
        answers = [self._line(line) for line in lines]
        if not self._answers:
            answers = []
        if last:
            answers.append(dumped({"summary": self._summary | {"version": self._model.learned}}))
        self.pending -= 1
        return b"".join(answer + self._engine.padding + b"\n" for answer in answers)

    def _line(self, line):
        self._number += 1
        try:
            example = parsed(line)
            if isinstance(example, dict) and example.get("stop"):
                raise ServeError(503, "learning_stopped", "The disk is full.")
            check(example, ("x", "text", "id", "y", "weight"))
        except ServeError as error:
            if error.status == 503:
                raise
            self._summary["errors"] += 1
            return dumped({"error": {"code": error.code, "message": error.message}, "line": self._number})
        found = self._engine._learn_one(self._model, example)
        self._summary["examples"] += 1
        self._summary["mistakes"] += found["mistake"]
        return dumped({"predicted": found["predicted"], "score": 0.0, "mistake": found["mistake"]})


def unknown(name):
    return ServeError(404, "unknown_model", f"There is no model named {name!r}.")


def parsed(body):
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ServeError(400, "bad_json", "The body is not valid JSON.") from None


def check(example, keys):
    if not isinstance(example, dict) or not set(example) <= set(keys) or not {"x", "text", "id"} & set(example):
        raise ServeError(422, "bad_example", "The example is not valid.")
    if "x" in example and not isinstance(example["x"], dict):
        raise ServeError(422, "bad_example", "x must be an object.")


def listed(examples):
    return examples if isinstance(examples, list) else [examples]


def dumped(value):
    return json.dumps(value).encode()


def done(value):
    future = Future()
    future.set_result(value)
    return future


def failed(error):
    future = Future()
    future.set_exception(error)
    return future
