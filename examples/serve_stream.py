"""A stream of messages whose labels arrive late, predicted and learned by a server.

The messages are those of the SMS Spam Collection, if the file is at hand, or made up of random words. Each message is
predicted as soon as it arrives; whether it was spam becomes known only after a number of further messages. Two counts
of mistakes result: that of the predictions that were served, and that of the model as it was when the label arrived.
They would be equal if every label were known before the next message arrived.

python examples/serve_stream.py                                  # starts a server of its own
python examples/serve_stream.py --url http://127.0.0.1:8765      # uses one that runs
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import itertools
import random
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import novikoff as nk

DATA = Path("../shared/data/sms.tsv.gz")
MODEL, LEARNER = "messages", "tracker"
HASH_BITS = 16  # columns of the model: 2^16. A wider model takes longer to publish what it has learned
BATCH = 20  # messages that arrive at the same time
SPAM_WORDS = ["free", "prize", "winner", "cash", "claim", "urgent", "offer", "call"]
HAM_WORDS = ["meeting", "lunch", "tomorrow", "thanks", "home", "later", "dinner", "call"]


def read_messages(path: Path) -> Iterator[tuple[str, str]]:
    """Text and label of each line ``label <tab> text`` of a file, which may be compressed."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for label, *rest in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            yield rest[-1], label


def random_messages(count: int, seed: int = 0) -> Iterator[tuple[str, str]]:
    """Messages of eight words each, most of which belong to the label."""
    draw = random.Random(seed)
    for _ in range(count):
        label = draw.choice(["ham", "spam"])
        likely, rare = (SPAM_WORDS, HAM_WORDS) if label == "spam" else (HAM_WORDS, SPAM_WORDS)
        yield " ".join(draw.choice(likely if draw.random() < 0.8 else rare) for _ in range(8)), label


def run(client: nk.Client, messages: Iterator[tuple[str, str]], delay: int) -> dict[str, int]:
    """Predict every message when it arrives, tell its label ``delay`` messages later, and return the counts."""
    counts = {"examples": 0, "served_mistakes": 0, "learning_mistakes": 0}
    waiting: deque[tuple[str, str]] = deque()  # id and label of predictions whose label is not known yet
    next_line, arrived = 1, 0

    def tell(number: int) -> None:
        known = [waiting.popleft() for _ in range(number)]
        ids, labels = [id for id, _ in known], [label for _, label in known]
        for answer, label in zip(client.label_many(ids, labels), labels, strict=True):
            counts["examples"] += 1
            counts["served_mistakes"] += answer["served"] != label
            counts["learning_mistakes"] += answer["mistake"]

    while batch := list(itertools.islice(messages, BATCH)):
        ids = [f"message-{arrived + k}" for k in range(len(batch))]
        client.predict_many([text for text, _ in batch], ids=ids)
        waiting.extend(zip(ids, (label for _, label in batch), strict=True))
        arrived += len(batch)
        if len(waiting) > delay:
            tell(len(waiting) - delay)
        if counts["examples"] >= next_line:
            print_line(counts)
            next_line = 2 * counts["examples"]
    if waiting:
        tell(len(waiting))
    print_line(counts)
    return counts


def print_line(counts: dict[str, int]) -> None:
    accuracy = 1 - counts["served_mistakes"] / counts["examples"]
    print(
        f"{counts['examples']:6} labels: progressive accuracy {accuracy:.2%}, {counts['served_mistakes']} mistakes of "
        f"served predictions, {counts['learning_mistakes']} at learning time",
        flush=True,
    )


@contextlib.contextmanager
def own_server() -> Iterator[str]:
    """Start a server with a state of its own on any free port, and yield the address that it announces."""
    with tempfile.TemporaryDirectory() as state:
        command = [sys.executable, "-m", "novikoff", "serve", "--state", state, "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                announcement = server.stdout.readline()
                if not announcement:
                    raise SystemExit("The server did not start.")
                yield announcement.split()[-1]
            finally:
                server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a server that runs; without it, one is started")
    parser.add_argument("--data", type=Path, help="a file of lines label <tab> text")
    parser.add_argument("--delay", type=int, default=200, help="messages after which a label arrives")
    parser.add_argument("--count", type=int, default=6000, help="the most messages")
    arguments = parser.parse_args()
    path = arguments.data or (DATA if DATA.exists() else None)
    print(f"Messages: {path or 'random words'}. Labels arrive after {arguments.delay} further messages.", flush=True)
    messages = random_messages(arguments.count) if path is None else read_messages(path)
    with contextlib.ExitStack() as stack:
        url = arguments.url or stack.enter_context(own_server())
        client = stack.enter_context(nk.Client(url, model=MODEL))
        client.ready()
        client.create(MODEL, LEARNER, hashing={"n_bits": HASH_BITS})
        run(client, itertools.islice(messages, arguments.count), arguments.delay)


if __name__ == "__main__":
    main()
