"""Store and compare fingerprints: ``python -m benchmarks.fingerprint --help``."""

import argparse
import json
import os
import sys
import time
import warnings
from pathlib import Path

import novikoff as nk
from benchmarks import fingerprint

from . import files, interfaces, learners
from .entries import ERROR, arithmetic, compare, flat, kind

BASELINE = Path(__file__).parents[1] / "results" / "fingerprint.json"
AREAS = {name: area for module in (learners, files, interfaces) for name, area in module.AREAS.items()}


def run(names):
    """Run areas, and return what is stored. A case that raises is an entry with the class of the error."""
    warnings.simplefilter("ignore")  # some fits are stopped early on purpose
    areas = {}
    for name in names:
        begin, cases = time.process_time(), {}
        for case, function in AREAS[name]():
            assert case not in cases, case
            try:
                cases[case] = function()
            except Exception as error:  # a public call that fails is a result as well
                cases[case] = {"error": [ERROR, public_name(type(error))]}
                if os.environ.get("FINGERPRINT_ERRORS"):
                    print(f"{name} / {case}: {type(error).__name__}: {error}", file=sys.stderr)
        areas[name] = cases
        entries = sum(map(len, cases.values()))
        print(f"{name}: {len(cases)} cases, {entries} entries, {time.process_time() - begin:.0f} s", flush=True)
    return {"arithmetic": arithmetic(), "areas": areas}


def public_name(error):
    """The first class of an error, from the special to the general, that users can name."""
    classes = (kind for kind in error.__mro__ if kind.__module__ == "builtins" or hasattr(nk, kind.__name__))
    return next(classes).__name__


def dumped(stored):
    """The text of a file: one line per case."""
    lines = [f'{{"arithmetic": {json.dumps(stored["arithmetic"])},\n"areas": {{']
    for number, (area, cases) in enumerate(stored["areas"].items()):
        begin, end = ",\n" * bool(number), ",\n".join(f" {json.dumps(c)}: {json.dumps(e)}" for c, e in cases.items())
        lines.append(f"{begin}{json.dumps(area)}: {{\n{end}}}")
    return "".join([lines[0], "\n", *lines[1:], "}}\n"])


def main():
    """Return 0 if nothing that matters differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fingerprint",
        description=fingerprint.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=["store", "compare"])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--area", nargs="+", choices=list(AREAS), default=list(AREAS))
    options = parser.parse_args()
    paths = options.files or [BASELINE]
    if options.action == "store":
        stored = run(options.area)
        if paths[0].exists():  # areas that were not run are kept
            stored["areas"] = json.loads(paths[0].read_text())["areas"] | stored["areas"]
        paths[0].write_text(dumped(stored))
        return 0
    before = json.loads(paths[0].read_text())
    after = json.loads(paths[1].read_text()) if len(paths) > 1 else run(options.area)
    if before["arithmetic"]["digest"] != after["arithmetic"]["digest"]:
        print("The arithmetic differs, so bits and bounds are not compared:", before["arithmetic"], after["arithmetic"])
    differences = compare(before, after)
    for matters, what, name, detail in differences:
        print(f"{'' if matters else '(accepted) '}{what}: {name}: {detail}")
    count = sum(matters for matters, *_ in differences)
    errors = sum(kind(value) == ERROR for value in flat(after).values())
    print(f"{len(flat(after))} entries, {errors} of them errors; {count} differ, {len(differences) - count} accepted")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
