import subprocess
import sys
from pathlib import Path

import pytest

from share import share_of

JUDGE = Path(__file__).parent / "judge.py"
THEORY = JUDGE.parents[2] / "src" / "novikoff" / "theory"


def judged(*arguments):
    return subprocess.run([sys.executable, JUDGE, *arguments], capture_output=True, text=True, timeout=1500)


@pytest.mark.slow
def test_tests_find_nine_of_ten_mutants_of_the_theory():
    outcome = judged("--sample", str(max(30, share_of(60))), "--least", "0.9")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr[-2000:]


@pytest.mark.slow
def test_a_smaller_fraction_than_required_is_an_error():
    outcome = judged(str(THEORY / "interval.py"), "--sample", "4", "--least", "1.01")
    assert outcome.returncode == 1
    assert "of 4 mutants were found" in outcome.stdout
