"""Requests that a server must refuse, and sockets that do not behave."""

import gzip
import json
import random
import socket

import zstandard

from server_process import SECONDS

DEEP = 100_000
REFUSED = {  # bodies of POST /learn and /predict that are refused with 400 or 422
    "nothing": b"",
    "a word": b"nul",
    "half an object": b'{"x": {"a": 1}, "y"',
    "not a number": b'{"x": {"a": NaN}, "y": "yes"}',
    "infinity": b'{"x": {"a": Infinity}, "y": "yes"}',
    "negative infinity": b'{"x": {"a": -Infinity}, "y": "yes"}',
    "overflow": b'{"x": {"a": 1e999}, "y": "yes"}',
    "many digits": b'{"x": {"a": ' + b"9" * 5000 + b'}, "y": "yes"}',
    "octal": b'{"x": {"a": 01}, "y": "yes"}',
    "hexadecimal": b'{"x": {"a": 0x1}, "y": "yes"}',
    "same feature twice": b'{"x": {"a": 1, "a": 2}, "y": "yes"}',
    "same new feature twice": b'{"x": {"unseen": 1, "unseen": 2}, "y": "yes"}',
    "same feature escaped": b'{"x": {"a": 1, "\\u0061": 2}, "y": "yes"}',
    "same key twice": b'{"x": {"a": 1}, "x": {"a": 1}, "y": "yes"}',
    "same label twice": b'{"x": {"a": 1}, "y": "yes", "y": "yes"}',
    "unknown key": b'{"x": {"a": 1}, "y": "yes", "__proto__": 1}',
    "null feature": b'{"x": {"a": null}, "y": "yes"}',
    "object as a value": b'{"x": {"a": {"b": 1}}, "y": "yes"}',
    "array as a value": b'{"x": {"a": [1]}, "y": "yes"}',
    "array as features": b'{"x": [1, 2], "y": "yes"}',
    "deep arrays": b"[" * DEEP,
    "deep objects": b'{"x":' * DEEP,
    "deep value": b'{"x": {"a": ' + b"[" * DEEP + b"]" * DEEP + b'}, "y": "yes"}',
    "number as an id": b'{"x": {"a": 1}, "y": "yes", "id": 7}',
    "empty id": b'{"x": {"a": 1}, "y": "yes", "id": ""}',
    "long id": b'{"x": {"a": 1}, "y": "yes", "id": "' + b"i" * 300 + b'"}',
    "long name": b'{"x": {"' + b"n" * 2000 + b'": 1}, "y": "yes"}',
    "half a surrogate": b'{"x": {"\\ud800": 1}, "y": "yes"}',
    "bytes that are not UTF-8": b'{"x": {"\xff\xfe": 1}, "y": "yes"}',
    "overlong UTF-8": b'{"x": {"\xc0\xaf": 1}, "y": "yes"}',
    "control character": b'{"x": {"a\n": 1}, "y": "yes"}',
    "byte order mark": b'\xef\xbb\xbf{"x": {"a": 1}, "y": "yes"}',
    "UTF-16": '{"x": {"a": 1}, "y": "yes"}'.encode("utf-16"),
    "more after the end": b'{"x": {"a": 1}, "y": "yes"} x',
    "two objects": b'{"x": {"a": 1}, "y": "yes"}{"x": {"a": 1}, "y": "yes"}',
    "comment": b'{"x": {"a": 1}, /* y */ "y": "yes"}',
    "single quotes": b"{'x': {'a': 1}, 'y': 'yes'}",
    "many features": json.dumps({"x": {f"f{n}": 1 for n in range(1500)}, "y": "yes"}).encode(),
    "bad second": b'[{"x": {"new 1": 1}, "y": "other 1"}, {"x": {"a": NaN}, "y": "yes"}]',
    "array in an array": b'[[{"x": {"a": 1}, "y": "yes"}]]',
    "text for a model without hashing": b'{"text": "a b", "y": "yes"}',
    "x and text": b'{"x": {"a": 1}, "text": "a b", "y": "yes"}',
}
NOT_LEARNED = {  # as REFUSED, but only if they are to be learned
    "no label": b'{"x": {"a": 1}}',
    "null label": b'{"x": {"a": 1}, "y": null}',
    "label of another kind": b'{"x": {"a": 1}, "y": 1}',
    "label with a fraction": b'{"x": {"a": 1}, "y": 1.5}',
    "array as a label": b'{"x": {"a": 1}, "y": ["yes"]}',
    "long label": b'{"x": {"a": 1}, "y": "' + b"y" * 2000 + b'"}',
    "negative weight": b'{"x": {"a": 1}, "y": "yes", "weight": -1}',
    "zero weight": b'{"x": {"a": 1}, "y": "yes", "weight": 0}',
    "infinite weight": b'{"x": {"a": 1}, "y": "yes", "weight": 1e999}',
    "square that overflows": b'{"x": {"a": 1e200}, "y": "yes"}',
    "squares that overflow in an array": b'[{"x": {"new 2": 1}, "y": "other 2"}, {"x": {"a": 1e300}, "y": "yes"}]',
    "unknown id": b'{"id": "unknown", "y": "yes"}',
    "unknown id with a new label": b'{"id": "unknown", "y": "other 3"}',
}


def zeros(encoding, count):
    """Return a short body that stands for ``count`` bytes."""
    if encoding == "gzip":
        return gzip.compress(b"x" * count, 9)
    return zstandard.ZstdCompressor(level=3).compress(b"x" * count)


STREAMS = {
    "application/x-ndjson": b'{"x": {"a": 1, "b": 0.5}, "y": "yes"}\n{"x": {"c": 1}, "y": "no", "weight": 2}\n' * 10,
    "text/x-svmlight": b"1 1:0.5 3:1\n-1 2:1 # note\n+1 qid:3 1:1e-3\n" * 10,
}


def mutant(text, rng):
    """Return a text with some random changes."""
    changed = bytearray(text)
    for _ in range(rng.randrange(1, 8)):
        at = rng.randrange(len(changed) + 1)
        match rng.randrange(6):
            case 0:
                changed[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del changed[at : at + rng.randrange(1, 20)]
            case 2:
                changed[at:at] = rng.choice(
                    (b"{", b"}", b"[", b'"', b"\\", b"\0", b"\n", b":", b"1e999", b"NaN", b"\xff")
                )
            case 3:
                changed[at:at] = changed[at : at + rng.randrange(1, 60)]
            case 4:
                changed[at : at + 4] = rng.choice(
                    (b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\0\0\0\x80")
                )
            case 5:
                del changed[at:]
        changed = changed or bytearray(b" ")
    return bytes(changed)


def random_bytes(rng):
    return random.Random(rng.random()).randbytes(rng.randrange(0, 2000))


PATHS = [
    "/../../etc/passwd",
    "/v1/models/..%2f..%2fetc%2fpasswd",
    "/v1/models/%2e%2e/model",
    "/v1/models/%00/model",
    "/v1/models/a%00b",
    "/v1/models/" + "a" * 5000,
    "/v1/models/%ff%fe",
    "/v1/models/default%0d%0aX:%20y",
    "/v1/models/default/..",
    "//v1/models/default",
    "/v1/models/default/",
    "/v1/models//model",
    "/v1/models/%",
    "/static/..%2f..%2fpage.py",
    "/%2e%2e/%2e%2e/page.py",
    "/page.js%00.html",
]
NOT_REQUESTS = [
    b"\0" * 100,
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 100,
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n",
    b"CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n\r\n",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
]


class Raw:
    """A connection on which a test sends bytes as it likes."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.socket.close()

    def send(self, data):
        """Send bytes; return whether the server still takes them."""
        try:
            self.socket.sendall(data)
        except OSError:
            return False
        return True

    def read_until(self, words):
        """Return all bytes until these have come."""
        found = b""
        while words not in found:
            part = self.socket.recv(65536)
            assert part, found
            found += part
        return found

    def read(self, seconds=SECONDS):
        """Return all bytes until the server closes the connection, or sends nothing for some seconds."""
        self.socket.settimeout(seconds)
        parts = []
        try:
            while part := self.socket.recv(65536):
                parts.append(part)
        except OSError:
            pass
        return b"".join(parts)


def statuses(answer):
    """Return the status of each answer in what a connection received."""
    return [int(line.split()[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]


def head(path="/v1/models/default/learn", *headers, method="POST"):
    """Return the head of a request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost", *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
