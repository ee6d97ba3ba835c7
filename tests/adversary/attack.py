"""Forge certificates and judge what ``verify`` says of them: ``python tests/adversary/attack.py LEARNER [COUNT]``."""

import itertools
import sys
import traceback
import warnings
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from adversary.cases import MAKERS, honest
from adversary.forge import forged
from adversary.judge import judge, report
from oracle import decided, statuses

MAX_REFUSED = 50  # data sets in a row that a learner refuses, before the attack gives up


@dataclass
class Outcome:
    """What an attack has found.

    ``faults`` are texts of what was wrong, the first of each kind; ``counts`` are numbers of altered numbers, judged
    cases, cases with a false claim, and claims that hold, fail or are open.
    """

    faults: dict[tuple[str, ...], str] = field(default_factory=dict)
    kinds: Counter = field(default_factory=Counter)
    counts: Counter = field(default_factory=Counter)

    def add(self, number, case, wrong):
        for words in wrong:
            kind = (case.name, words.split(":")[0])
            self.kinds[kind] += 1
            self.faults.setdefault(kind, report(number, case, wrong))

    def judge(self, number, case, modes=(False, True)):
        """Judge what ``verify`` says about one case; without ``exact`` first, with it only if something is open."""
        try:
            truth = statuses(decided(case.certificate, case.X, case.y, case.weights))
            self.counts["false cases" if "fails" in truth.values() else "true cases"] += 1
            for exact in modes:
                wrong, found, _ = judge(case, exact, truth)
                self.add(number, case, wrong)
                self.counts.update(f"{check.status}, exact" if exact else check.status for check in found.checks)
        except Exception as error:  # nothing may raise, nor warn
            place = traceback.extract_tb(error.__traceback__)[-1]
            words = f"{type(error).__name__} in {Path(place.filename).name} line {place.lineno}: {error}"
            self.add(number, case, [words])
            truth = {}
        return truth


def data_sets(name, first):
    """The certificates of a learner on one data set after the other, with their numbers."""
    refused = 0
    for number in itertools.count(first):
        cases = honest(number, name)
        refused = 0 if cases else refused + 1
        if refused > MAX_REFUSED:
            raise AssertionError(f"{name} refuses all data sets from {number - refused} to {number}")
        if cases:
            yield number, cases


def attack(name, altered, per_set, first=0, exact_share=1.0):
    """Alter so many numbers of the certificates of a learner, in so many forgeries of each data set.

    What ``verify`` says with ``exact`` is judged for a share of them. The number of a case is that of its data set and
    its own: ``forged(own, honest(of_set, name))``.
    """
    outcome = Outcome()
    for number, cases in data_sets(name, first):
        for place in range(number * per_set, (number + 1) * per_set):
            case, count = forged(place, cases)
            outcome.counts["altered"] += count
            outcome.judge((number, place), case, (False, True) if place % 100 < 100 * exact_share else (False,))
        if outcome.counts["altered"] >= altered:
            return outcome


def honest_claims(name, claims, first=0):
    """Judge so many claims of a learner as they are."""
    outcome = Outcome()
    for number, cases in data_sets(name, first):
        for case in cases:
            truth = outcome.judge(number, case)
            outcome.counts["claims"] += len(truth)
            false = [claim for claim, status in truth.items() if status == "fails"]
            outcome.add(number, case, [f"an honest {claim} is false" for claim in false])
        if outcome.counts["claims"] >= claims:
            return outcome


def main(name="", count="5000"):
    warnings.simplefilter("error")
    if name not in MAKERS:
        raise SystemExit(f"Name one of {', '.join(MAKERS)}.")
    for found in (honest_claims(name, int(count) // 10), attack(name, int(count), per_set=50)):
        for kind, text in found.faults.items():
            print(f"{found.kinds[kind]} times {': '.join(kind)}\n    {text[:2000]}\n".replace("\n", "\n    "))
        print(dict(found.counts), f"{sum(found.kinds.values())} faults of {len(found.kinds)} kinds\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
