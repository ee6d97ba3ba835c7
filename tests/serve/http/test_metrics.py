"""Metrics for Prometheus."""

from asgi_calls import Local
from fake_engine import FakeEngine
from prometheus_client.parser import text_string_to_metric_families

from novikoff.serve.errors import Asleep
from novikoff.serve.http.latency import Latency
from novikoff.serve.http.metrics import MAX_MODELS, metrics_text


def samples(text):
    families = text_string_to_metric_families(text.decode())
    return {(s.name, *sorted(s.labels.items())): s.value for family in families for s in family.samples}


def test_counts_bounds_and_latencies_are_shown():
    local = Local()
    for label in ("a", "a", "b"):
        local.ask("POST", "/v1/models/default/learn", f'{{"x": {{}}, "y": "{label}"}}')
    local.ask("POST", "/v1/models/default/predict", '{"x": {}}')
    answer = local.ask("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = samples(answer.body)
    model = ("model", "default")
    assert found["novikoff_model_examples_total", model] == 3
    assert found["novikoff_model_mistakes_total", model] == 2
    assert found["novikoff_model_mistake_bound", model] == 12.5
    assert found["novikoff_model_served_mistake_bound", model] == 7
    assert ("novikoff_model_margin_bound", model) not in found
    assert found["novikoff_request_seconds_count", ("call", "predict")] == 1
    assert found["novikoff_request_seconds_count", ("call", "learn")] == 3
    assert (found["novikoff_ready",], found["novikoff_learning",], found["novikoff_log_bytes",]) == (1, 1, 100)
    assert found["novikoff_learned_examples_total",] == 3


def test_at_most_a_hundred_models_have_series():
    engine = FakeEngine()
    for number in range(MAX_MODELS + 5):
        engine.create(f"m{number:03}", {"learner": "arow"})
    found = samples(metrics_text(engine, {"predict": Latency()}))
    assert sum(name == "novikoff_model_examples_total" for name, *_ in found) == MAX_MODELS
    assert found["novikoff_models",] == MAX_MODELS + 5


def test_models_that_are_asleep_are_left_out():
    engine = FakeEngine()
    engine.create("a", {"learner": "arow"})

    def overview(name):
        raise Asleep(name)

    engine.overview = overview
    assert ("novikoff_model_examples_total", ("model", "a")) not in samples(metrics_text(engine, {}))
