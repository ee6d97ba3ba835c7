"""Append groups of examples to a log and print the number of the last record after each, until killed.

PYTHONPATH=tests python tests/killed_appends.py DIRECTORY DURABILITY
"""

import sys
from pathlib import Path

from log_records import create, examples
from novikoff.serve.log.store import Store

if __name__ == "__main__":
    store = Store.open(Path(sys.argv[1]), sys.argv[2])
    if store.last == 0:
        store.append([create()])
    learned = sum(record.count for record in store.records())
    while True:
        count = 1 + store.last % 7
        record = store.append([examples(learned, count), examples(learned + count, 1)])[-1]
        learned += count + 1
        print(record.sequence, record.checksum.hex(), flush=True)
