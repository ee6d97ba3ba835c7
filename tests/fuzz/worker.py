"""The process in which mutants run. ``run.py`` starts it, and reads from a shared file which mutant is running.

The memory that an input may use is limited twice: what the process asks for by the system (``RLIMIT_DATA``, so that an
allocation that is never used counts too), and what it has used at most, which is read after each input.
"""

import faulthandler
import json
import mmap
import os
import resource
import struct
import sys
import time
import traceback
import warnings
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.planted import ALL_TARGETS
from fuzz.targets import judge
from novikoff.data.delimited import blocks
from novikoff.data.formats import svmlight
from novikoff.data.tables import text

PLACE = struct.Struct("<qdqqq")  # index of the mutant, CPU seconds at its start, its length, inputs done, accepted
NOT_STARTED = PLACE.pack(-1, 0.0, 0, 0, 0)  # modules are loaded, and the time of no input is running
CAPACITY = 1 << 20
SLOT = PLACE.size + CAPACITY
MAX_MEMORY, PER_BYTE = 200 << 20, 10  # bytes that an input may use, besides this many times its size
THREADS_MEMORY = 100 << 20  # stacks and pools of threads that start after the limit was set
MAX_PER_SIGNATURE = 3
LEAK_SHARE = 0.3  # of the limit; an input that adds less to the memory in use is not the only cause


def read_slot(slot: mmap.mmap) -> tuple[int, float, bytes, int, int]:
    """Return the index of the mutant, the CPU seconds at its start, its bytes, and how many ran and were accepted."""
    index, cpu, length, runs, accepted = PLACE.unpack(slot[: PLACE.size])
    return index, cpu, slot[PLACE.size : PLACE.size + length], runs, accepted


def peak_bytes() -> int:
    """Return the most memory that this process ever had in use; getrusage would count that of its parent too."""
    with open("/proc/self/status", "rb") as file:
        return int(file.read().partition(b"VmHWM:")[2].split(maxsplit=1)[0]) << 10


class Worker:
    """Runs mutants one after the other, and logs what went wrong."""

    def __init__(self, name: str, slot_path: str, log_path: str) -> None:
        self.name, self.target = name, ALL_TARGETS[name]
        self.log = open(log_path, "a")  # noqa: SIM115  # open as long as the process
        with open(slot_path, "r+b") as file:
            self.slot = mmap.mmap(file.fileno(), SLOT)
        self.inputs = list(self.target.corpus().values())
        self.runs = self.accepted = 0
        self.signatures: dict[str, int] = {}
        self.place(-1, b"")

    def place(self, index: int, data: bytes) -> None:
        """Say which input runs now."""
        self.slot[: PLACE.size] = PLACE.pack(index, time.process_time(), len(data), self.runs, self.accepted)
        self.slot[PLACE.size : PLACE.size + len(data)] = data

    def warm_up(self) -> None:
        """Load all modules, so that the memory of an input can be told from theirs. Faults are found by the replay."""
        warnings.simplefilter("error")
        for module in (svmlight, blocks, text):
            module.BLOCK_SIZE = 1 << 12  # so that mutants reach over the ends of blocks, and are read faster
        for data in self.inputs[:20]:
            try:
                self.target.run(data)
            except Exception:
                continue

    def limit_memory(self) -> None:
        """Let the system refuse allocations that no input of the largest size may make."""
        with open("/proc/self/statm") as file:
            data_bytes = int(file.read().split()[5]) * mmap.PAGESIZE
        limit = data_bytes + MAX_MEMORY + PER_BYTE * CAPACITY + THREADS_MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (limit, resource.RLIM_INFINITY))

    def run(self, begin: int, end: int, seed: int, seconds: float) -> None:
        """Run mutants until the last one, the end of the time, or one that used too much memory."""
        deadline = time.monotonic() + seconds if seconds else float("inf")
        start = before = peak_bytes()
        for index in range(begin, end):
            data = self.target.mutant(self.inputs, seed, index)[:CAPACITY]
            self.place(index, data)
            self.run_one(index, data)
            after = peak_bytes()
            if after - start > MAX_MEMORY + PER_BYTE * len(data):
                kind = "memory" if after - before > LEAK_SHARE * MAX_MEMORY else "leak"
                self.note(kind, index, f"{(after - start) >> 20} MB more than at the start are in use", data)
                break
            before = after
            if time.monotonic() > deadline:
                break
        self.place(index, data)

    def run_one(self, index: int, data: bytes) -> None:
        """Run one input; any exception that is not of novikoff, and any message that is not a sentence, is noted."""
        self.runs += 1
        try:
            accepted, fault = judge(self.target.run, data)
        except MemoryError:
            return self.note("memory", index, traceback.format_exc(limit=-3), data)
        except Exception:
            return self.note("exception", index, traceback.format_exc(limit=-6), data)
        self.accepted += accepted
        if fault:
            self.note("memory" if fault.startswith("memory") else "message", index, fault, data)
        return None

    def note(self, kind: str, index: int, text: str, data: bytes) -> None:
        """Log a finding, some of each cause."""
        signature = f"{kind} {text.splitlines()[-1][:40]}"
        self.signatures[signature] = self.signatures.get(signature, 0) + 1
        if self.signatures[signature] <= MAX_PER_SIGNATURE:
            print(
                json.dumps({"kind": kind, "index": index, "text": text, "data": data.hex()}), file=self.log, flush=True
            )


def main() -> None:
    name, slot_path, log_path, begin, end, seed, seconds = sys.argv[1:]
    faulthandler.enable()
    worker = Worker(name, slot_path, log_path)
    worker.warm_up()
    worker.limit_memory()
    worker.run(int(begin), int(end), int(seed), float(seconds))
    os._exit(0)  # threads of other packages need not end


if __name__ == "__main__":
    main()
