"""Fuzz a reader: ``python tests/fuzz/run.py NAME [--count N | --seconds S] [--seed K]``; without a name, all of them.

Mutants run in a process of their own, whose memory is limited. Each is stored before it runs, so that a crash names its
input; a process that does not come back within the time limit is killed. Mutant k of a seed is always the same.
Findings are printed and stored in build/fuzz/findings/NAME/, from where an input can be moved to the corpus:

    python tests/fuzz/run.py arrow --seconds 60
    python tests/fuzz/run.py arrow --replay build/fuzz/findings/arrow/*
"""

import argparse
import json
import mmap
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.planted import ALL_TARGETS
from fuzz.targets import FOLDER, IN_MEMORY, ROOT, TARGETS, judge
from fuzz.worker import NOT_STARTED, SLOT, read_slot

FINDINGS = ROOT / "build" / "fuzz" / "findings"
MAX_SECONDS = 5.0  # of processor time per input
MAX_WAIT = 12  # times as long may an input take that only waits, because other processes may be busy
MAX_RESTARTS = 20  # processes that crashed, hung or grew before a run is given up
POLL_SECONDS = 0.05


@dataclass
class Finding:
    """An input that was not handled: ``kind`` is crash, hang, memory, leak, exception or message."""

    kind: str
    index: int
    text: str
    data: bytes = b""

    @property
    def signature(self) -> str:
        """Return what findings of the same cause share."""
        return f"{self.kind}-{zlib.crc32(self.text.splitlines()[-1][:60].encode() if self.text else b''):08x}"


@dataclass
class Report:
    """What a run has found: ``runs`` inputs, of which ``accepted`` were read without an error."""

    name: str
    runs: int = 0
    accepted: int = 0
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)

    def __str__(self) -> str:
        rate = self.runs / self.seconds if self.seconds else 0.0
        line = f"{self.name}: {self.runs} inputs, {self.accepted} accepted, {self.seconds:.0f} CPU s, {rate:.0f} per s"
        return "\n".join(
            [line, *(f"  {finding.signature} #{finding.index}: {finding.text}" for finding in self.findings)]
        )


def fuzz(
    name: str, count: int, seed: int = 0, seconds: float | None = None, max_seconds: float = MAX_SECONDS
) -> Report:
    """Run a target on ``count`` mutants, or for some seconds, in one process after another."""
    report, next_index, restarts = Report(name), 0, 0
    deadline = None if seconds is None else time.monotonic() + seconds
    while next_index < count and restarts < MAX_RESTARTS and (deadline is None or time.monotonic() < deadline):
        left = None if deadline is None else deadline - time.monotonic()
        next_index = _run_process(report, next_index, count, seed, left, max_seconds)
        restarts += 1
    _keep(report)
    return report


def _run_process(report: Report, begin: int, end: int, seed: int, seconds: float | None, max_seconds: float) -> int:
    """Run mutants in a process until it ends, and return the index of the next mutant."""
    with tempfile.TemporaryDirectory(prefix="novikoff-fuzz-", dir=IN_MEMORY) as folder:
        slot_path, log_path = Path(folder, "slot"), Path(folder, "log")
        slot_path.write_bytes(NOT_STARTED.ljust(SLOT, b"\0"))
        command = [
            sys.executable,
            str(Path(__file__).with_name("worker.py")),
            report.name,
            slot_path,
            log_path,
            begin,
            end,
            seed,
            seconds or 0,
        ]
        with open(Path(folder, "errors"), "w+b") as errors, open(slot_path, "r+b") as file:
            slot = mmap.mmap(file.fileno(), SLOT)
            process = subprocess.Popen(
                [*map(str, command)], stdout=subprocess.DEVNULL, stderr=errors, env=os.environ | {FOLDER: folder}
            )
            try:
                hung = _watch(process, slot, max_seconds)
            finally:
                process.kill()
                process.wait()
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace").partition("\nExtension modules:")[0][-2000:]
        index, cpu, data, runs, accepted = read_slot(slot)
        _read_log(report, log_path)
        report.runs, report.accepted, report.seconds = (
            report.runs + runs,
            report.accepted + accepted,
            report.seconds + cpu,
        )
        if process.returncode == 0 and not hung:
            return index + 1
        kind, text = (
            ("hang", f"no result after {max_seconds:g} s") if hung else ("crash", f"exit status {process.returncode}")
        )
        if not hung and index < begin:
            raise RuntimeError(f"the process of {report.name} did not start: {said}")
        report.findings.append(Finding(kind, index, f"{said.strip()}\n{text}".strip(), data))
        return index + 1


def _watch(process: subprocess.Popen[bytes], slot: mmap.mmap, max_seconds: float) -> bool:
    """Wait for a process to end; return whether one input took too long."""
    known, since = -1, 0.0
    while True:
        try:
            process.wait(POLL_SECONDS)
            return False
        except subprocess.TimeoutExpired:
            pass
        index, cpu, *_ = read_slot(slot)
        if index != known or index < 0:
            known, since = index, time.monotonic()
        elif _cpu_seconds(process.pid) - cpu > max_seconds or time.monotonic() - since > MAX_WAIT * max_seconds:
            return True


def _cpu_seconds(pid: int) -> float:
    """Return the processor time of a process and its threads; 0 where the system does not say."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _read_log(report: Report, path: Path) -> None:
    for line in path.read_text().splitlines() if path.exists() else ():
        entry = json.loads(line)
        report.findings.append(Finding(entry["kind"], entry["index"], entry["text"], bytes.fromhex(entry["data"])))


def _keep(report: Report) -> None:
    """Store the inputs of findings."""
    folder = FINDINGS / report.name
    for finding in report.findings:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{finding.signature}-{finding.index}").write_bytes(finding.data)


def replay(name: str, paths: list[Path]) -> Iterator[str]:
    """Run a target on stored inputs in this process, and yield what is wrong with each."""
    for path in paths:
        accepted, fault = judge(ALL_TARGETS[name].run, path.read_bytes())
        yield f"{path}: {fault or ('accepted' if accepted else 'refused')}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join([*TARGETS, "command-line"]))
    parser.add_argument("--count", type=int, help="number of mutants")
    parser.add_argument("--seconds", type=float, help="seconds per target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--replay", nargs="+", type=Path, help="stored inputs, which run in this process")
    options = parser.parse_args()
    names = options.names or [*TARGETS, "command-line"]
    if options.replay:
        print(*replay(names[0], options.replay), sep="\n")
        return 0
    failed = 0
    for name in names:
        count = options.count or (1 << 62 if options.seconds else ALL_TARGETS[name].mutations)
        report = fuzz(name, count, options.seed, options.seconds)
        print(report, flush=True)
        failed += bool(report.findings)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
