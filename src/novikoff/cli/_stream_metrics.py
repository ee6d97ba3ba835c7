"""The numbers of a stream for Prometheus, by HTTP: GET /metrics answers with its text format, version 0.0.4."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from novikoff import evaluate
from novikoff.errors import file_error, input_error, quote

from ._output import print_message
from ._stream_numbers import NAMES, WINDOW_NAMES, numbers_of

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
LOCAL = "127.0.0.1"


class Metrics:
    """The text of the latest numbers. The thread that learns replaces it as a whole; those of the server read it."""

    def __init__(self) -> None:
        self.text = _text(_counts(0, 0, 0))

    def show(self, record: evaluate.Record, bad_lines: int, saved_at: float | None, alarms: Mapping[str, bool]) -> None:
        """Take over new numbers."""
        lines = _counts(record.examples, record.mistakes, bad_lines)
        helps = NAMES | WINDOW_NAMES
        for name, value in numbers_of(record).items():
            if value is not None:
                lines += _metric(name, "gauge", helps[name], {"": value})
        if record.window is not None:
            recall = {f'{{label="{escaped(label)}"}}': value for label, value in record.window.recall.items()}
            lines += _metric("window_recall", "gauge", "Recall of a label among the latest examples.", recall)
        if saved_at is not None:
            lines += _metric("last_save_timestamp_seconds", "gauge", "Time of the last save.", {"": saved_at})
        if alarms:
            states = {f'{{condition="{escaped(text)}"}}': int(holds) for text, holds in alarms.items()}
            lines += _metric("alarm", "gauge", "1 while the condition of an alarm holds.", states)
        self.text = _text(lines)


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _counts(examples: int, mistakes: int, bad_lines: int) -> list[str]:
    lines = _metric("examples_total", "counter", "Examples so far.", {"": examples})
    lines += _metric("mistakes_total", "counter", "Wrong predictions so far.", {"": mistakes})
    return lines + _metric("bad_lines_total", "counter", "Malformed lines that were skipped.", {"": bad_lines})


def _metric(name: str, kind: str, help: str, values: Mapping[str, float]) -> list[str]:
    own = f"novikoff_{name}"
    return [f"# HELP {own} {help}", f"# TYPE {own} {kind}", *(f"{own}{key} {value!r}" for key, value in values.items())]


def escaped(label: Any) -> str:
    """Return the text of a label inside double quotes."""
    return str(label).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def parse_address(text: str) -> tuple[str, int]:
    """Return the host and the port of PORT or HOST:PORT. Without a host, only this machine can connect."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not port.isascii() or int(port) > 65535:
        raise input_error("--metrics-port", f"PORT or HOST:PORT is needed, not {quote(text)}.")
    return host or LOCAL, int(port)


@contextmanager
def served(metrics: Metrics, address: tuple[str, int] | None) -> Iterator[int | None]:
    """Serve metrics during the block, and yield the port; without an address, do nothing."""
    if address is None:
        yield None
        return
    from http.server import ThreadingHTTPServer  # slow to import

    try:
        server = ThreadingHTTPServer(address, _handler(metrics))
    except OSError as error:
        raise file_error(f"--metrics-port {address[1]}", error) from None
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="novikoff-metrics", daemon=True)
    thread.start()
    if address[1] == 0:
        print_message(f"note: metrics are at http://{address[0]}:{server.server_port}/metrics")
    try:
        yield int(server.server_port)
    finally:
        server.shutdown()
        server.server_close()


def _handler(metrics: Metrics) -> Any:
    from http.server import BaseHTTPRequestHandler

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.partition("?")[0] not in ("/metrics", "/"):
                self.send_error(404)
                return
            body = metrics.text.encode()
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Print nothing: standard error is for messages about the stream."""

    return Handler
