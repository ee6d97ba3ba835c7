"""Metrics of a stream, in the text format of Prometheus."""

import urllib.error
import urllib.request

import pytest

from novikoff.cli._stream_metrics import LOCAL, Metrics, parse_address, served
from novikoff.errors import InvalidInputError
from novikoff.evaluate import Record, WindowScores

WINDOW = WindowScores(4, 1, {'a"\\\n': 0.5, "b": 1.0}, 2)
RECORD = Record(8, 2, 0.75, 0.7, 4, 1, "a", "b", 0.5, 0.25, 2, WINDOW)


def shown():
    metrics = Metrics()
    metrics.show(RECORD, 3, 12.5, {"loss>0.2": True})
    return metrics


def test_numbers_have_names_types_and_escaped_labels():
    lines = shown().text.splitlines()
    assert "novikoff_examples_total 8" in lines
    assert "# TYPE novikoff_mistakes_total counter" in lines
    assert "novikoff_bad_lines_total 3" in lines
    assert "novikoff_window_kappa 0.5" in lines
    assert r'novikoff_window_recall{label="a\"\\\n"} 0.5' in lines
    assert 'novikoff_alarm{condition="loss>0.2"} 1' in lines


def test_they_are_served_on_this_machine_only():
    metrics = shown()
    with served(metrics, (LOCAL, 0)) as port:
        with urllib.request.urlopen(f"http://{LOCAL}:{port}/metrics", timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert answer.read().decode() == metrics.text
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://{LOCAL}:{port}/other", timeout=10)


def test_addresses_are_a_port_with_or_without_a_host():
    assert parse_address("9100") == (LOCAL, 9100)
    assert parse_address("0.0.0.0:9100") == ("0.0.0.0", 9100)
    for wrong in ("", "x", "70000", "-1", "host:"):
        with pytest.raises(InvalidInputError, match="--metrics-port"):
            parse_address(wrong)
