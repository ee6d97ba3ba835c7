"""GET /metrics: counts, bounds and latencies for Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from novikoff.serve.errors import Asleep, ServeError

from .latency import Latency

if TYPE_CHECKING:
    from novikoff.serve.engine.engine import Engine

MAX_MODELS = 100  # models with series of their own; Prometheus stores each of them
CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
MODEL_COUNTERS = {
    "examples": ("examples", "Examples that the model has learned."),
    "mistakes": ("mistakes", "Predictions before learning that were wrong."),
    "updates": ("updates", "Updates of the weights."),
    "served": ("served", "Served predictions whose label has come."),
    "served_mistakes": ("served_mistakes", "Served predictions that were wrong."),
}
MODEL_GAUGES: dict[str, tuple[str, Callable[[dict[str, Any]], float | None]]] = {
    "pending": ("Predictions that wait for their label.", lambda o: o.get("counts", {}).get("pending")),
    "mistake_bound": ("Bound on the mistakes.", lambda o: (o.get("bound") or {}).get("mistakes")),
    "served_mistake_bound": (
        "Bound on the served predictions that were wrong.",
        lambda o: (o.get("served_bound") or {}).get("mistakes"),
    ),
    "margin_bound": ("Upper bound on the margin of the data.", lambda o: o.get("margin_bound")),
}
STATUS_GAUGES = {
    "queue": ("queue_examples", "Examples that wait to be learned."),
    "queue_limit": ("queue_limit_examples", "Examples that may wait."),
    "models": ("models", "Models in the state directory."),
    "in_memory": ("models_in_memory", "Models in memory."),
    "sequence": ("log_sequence", "Sequence number of the last record of the log."),
    "log_bytes": ("log_bytes", "Size of the log."),
}


class EngineCollector(Collector):
    """Reads the counts of an engine when Prometheus asks.

    Parameters
    ----------
    engine : Engine
        The engine.
    latencies : dict of str to Latency
        Durations by kind of request.
    """

    def __init__(self, engine: Engine, latencies: dict[str, Latency]) -> None:
        self._engine, self._latencies = engine, latencies

    def collect(self) -> Iterator[Metric]:
        """Return the metrics."""
        status = self._engine.status()
        yield from status_metrics(status)
        names = sorted(self._engine.names())[:MAX_MODELS]
        yield from model_metrics([overview for name in names if (overview := self._overview(name)) is not None])
        yield latency_metric(self._latencies)

    def _overview(self, name: str) -> dict[str, Any] | None:
        """Return the overview of a model; None if it is not in memory, or was deleted meanwhile."""
        try:
            return self._engine.overview(name)
        except (Asleep, ServeError):
            return None


def status_metrics(status: dict[str, Any]) -> Iterator[Metric]:
    """Return the metrics of the server as a whole."""
    yield GaugeMetricFamily("novikoff_ready", "Whether the server is ready.", value=float(bool(status.get("ready"))))
    learning = float(status.get("learning") == "on")
    yield GaugeMetricFamily(
        "novikoff_learning", "Whether the server learns; 0 if learning has stopped.", value=learning
    )
    for key, (name, help) in STATUS_GAUGES.items():
        if key in status:
            yield GaugeMetricFamily(f"novikoff_{name}", help, value=float(status[key]))
    if "examples" in status:
        help = "Examples learned by all models."
        yield CounterMetricFamily("novikoff_learned_examples", help, value=float(status["examples"]))


def model_metrics(overviews: list[dict[str, Any]]) -> Iterator[Metric]:
    """Return the metrics that have a model as their label."""
    for key, (name, help) in MODEL_COUNTERS.items():
        counter = CounterMetricFamily(f"novikoff_model_{name}", help, labels=["model"])
        for overview in overviews:
            if key in overview.get("counts", {}):
                counter.add_metric([overview["model"]], float(overview["counts"][key]))
        yield counter
    for name, (help, read) in MODEL_GAUGES.items():
        gauge = GaugeMetricFamily(f"novikoff_model_{name}", help, labels=["model"])
        for overview in overviews:
            value = read(overview)
            if value is not None:
                gauge.add_metric([overview["model"]], float(value))
        yield gauge


def latency_metric(latencies: dict[str, Latency]) -> Metric:
    """Return the histograms of durations."""
    histogram = HistogramMetricFamily(
        "novikoff_request_seconds", "Time from the body of a request to its answer.", labels=["call"]
    )
    for call, latency in latencies.items():
        histogram.add_metric([call], latency.cumulative(), latency.total)
    return histogram


def metrics_text(engine: Engine, latencies: dict[str, Latency]) -> bytes:
    """Return all metrics in the text format of Prometheus."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(EngineCollector(engine, latencies))
    return generate_latest(registry)
