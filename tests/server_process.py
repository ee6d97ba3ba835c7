"""``novikoff serve`` as a process, its requests, and what its log contains."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix

from novikoff.online.named import named
from novikoff.serve.log.blocks import decode
from novikoff.serve.log.records import EXAMPLES
from novikoff.serve.log.store import Store

SECONDS = 60  # after which a request of a test is given up
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}


class ServerProcess:
    """A server on a free port. It is killed at the end of a ``with`` block.

    Parameters
    ----------
    state : Path
        The state directory. What the server writes to its standard error is in the file ``errors`` beside it.
    options : str
        Further options of the command line.
    """

    def __init__(self, state, *options):
        self.errors = Path(state).with_suffix(".errors")
        command = [sys.executable, "-m", "novikoff", "serve", "--state", str(state), "--port", "0", *options]
        with open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=ENVIRONMENT)
        line = self.process.stdout.readline().decode()
        assert " on http://" in line, self.errors.read_text()
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.kill()

    def kill(self):
        """Kill the process, as a crash would."""
        self.process.kill()
        self.process.wait(SECONDS)
        self.process.stdout.close()

    def stop(self):
        """Ask the process to stop, and return its exit status."""
        self.process.terminate()
        return self.process.wait(SECONDS)

    def connect(self):
        """Return a connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)

    def request(self, method, path, body=None, headers=None):
        """Send a request over a connection of its own; return the status and the body."""
        connection = self.connect()
        try:
            return ask(connection, method, path, body, headers)
        finally:
            connection.close()

    def json(self, method, path, body=None):
        """As ``request``, with JSON; the status must be 200 or 201."""
        status, answer = self.request(method, path, None if body is None else json.dumps(body))
        assert status in (200, 201), (status, answer)
        return json.loads(answer)

    def rss(self):
        """Return the bytes of memory of the process."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def ask(connection, method, path, body=None, headers=None):
    """Send a request over a connection; return the status and the body."""
    connection.request(method, path, body, headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read()


class LoggedModel:
    """The examples of one model as its log has them.

    Attributes
    ----------
    names, labels : list
        Names of the columns, and labels by code.
    ids : list of str or None
        One for each example.
    examples : list of dict
        The features of each example by name, and its label as ``y``; only if they are kept.
    """

    def __init__(self, model=1, *, keeps=True):
        self.model, self.keeps = model, keeps
        self.names, self.labels, self.ids, self.examples = [], [], [], []
        self.sequence = 0

    def read(self, state):
        """Read what is new in the log of a state directory; return the blocks."""
        blocks = []
        with Store.open(state, read_only=True) as store:
            for record in store.records(after=self.sequence, model=self.model):
                self.sequence = record.sequence
                if record.kind == EXAMPLES:
                    blocks.append(decode(record.payload))
                    self._add(blocks[-1])
        return blocks

    def _add(self, block):
        self.names += block.names
        self.labels += block.labels
        self.ids += block.ids if block.ids is not None else [None] * len(block)
        if self.keeps:
            bounds, columns, values = block.indptr.tolist(), block.columns.tolist(), block.values.tolist()
            for row, code in enumerate(block.codes.tolist()):
                own = range(bounds[row], bounds[row + 1])
                self.examples.append({self.names[columns[at]]: values[at] for at in own} | {"y": self.labels[code]})


def replayed(state, learner, model=1):
    """Return a learner after it has learned the examples of a log, one block at a time; it has names of columns."""
    found = LoggedModel(model, keeps=False)
    for block in found.read(state):
        width = max(1, len(found.names))
        rows = csr_matrix((block.values, block.columns, block.indptr), shape=(len(block), width))
        learner.partial_fit(rows, np.array(found.labels)[block.codes], sample_weight=block.weights)
    return named(learner, found.names)
