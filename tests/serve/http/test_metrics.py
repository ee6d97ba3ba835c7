"""Metrics for Prometheus."""

from prometheus_client.parser import text_string_to_metric_families

from novikoff.serve.http import metrics

MODEL = ("model", "default")


def samples(local):
    answer = local.ask("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.body.decode())
    return {(s.name, *sorted(s.labels.items())): s.value for family in families for s in family.samples}


def test_counts_bounds_and_latencies_are_shown(start):
    local = start(learner="perceptron")
    assert ("novikoff_model_margin_bound", MODEL) not in samples(local)
    for k, label in enumerate(("a", "b", "a")):
        local.ask("POST", "/v1/models/default/learn", f'{{"x": {{"u": {1 - 2 * (k % 2)}}}, "y": "{label}"}}')
    local.ask("POST", "/v1/models/default/predict", '{"x": {}}')
    found, overview = samples(local), local.engine.overview("default")
    assert found["novikoff_model_examples_total", MODEL] == found["novikoff_learned_examples_total",] == 3
    assert found["novikoff_model_mistakes_total", MODEL] == overview["counts"]["mistakes"] == 2
    assert found["novikoff_model_mistake_bound", MODEL] == overview["bound"]["mistakes"]
    assert found["novikoff_model_margin_bound", MODEL] == overview["margin_bound"]
    assert found["novikoff_request_seconds_count", ("call", "predict")] == 1
    assert found["novikoff_request_seconds_count", ("call", "learn")] == 3
    assert (found["novikoff_ready",], found["novikoff_learning",]) == (1, 1)
    assert found["novikoff_log_bytes",] == local.engine.status()["log_bytes"]


def test_models_that_are_asleep_or_beyond_the_limit_have_no_series(start, monkeypatch):
    local = start(models_in_memory=4)
    for name in "abcde":
        local.ask("PUT", f"/v1/models/{name}", '{"learner": "arow"}')
    monkeypatch.setattr(metrics, "MAX_MODELS", 3)
    found = samples(local)  # of a, which is asleep, b and c
    models = [labels[0][1] for name, *labels in found if name == "novikoff_model_examples_total"]
    assert models == ["b", "c"]
    assert found["novikoff_models",] == 6
