"""Raw files as a new user tries them: fitted without options, certified and predicted; or a remedy that works."""

import random
import re
import shlex

import pytest
from command import done, novikoff

RANDOM = random.Random(5)
PAIRS = [(RANDOM.gauss(0, 1), RANDOM.gauss(0, 1)) for _ in range(60)]
ROWS = [(f"{a:.2f}", f"{b:.2f}", "red" if a < b else "blue", "yes" if a + b > 0 else "no") for a, b in PAIRS]
HEADER = "a,b,colour,bought"
LINES = [",".join(row) for row in ROWS]
MESSAGES = [f'"He said ""{"win" if row[3] == "yes" else "come"}, {row[2]}"" to me",{row[3]}' for row in ROWS]
TRAILING = [f"{line},," for line in LINES]
FILES = {  # the lines of the file, and the beginning of the first line of the result, or a part of the refusal
    "quotes in messages": (["text,label", *MESSAGES], "label (by its name; "),
    "two names": (
        ["class,survived,a", *(f"{r[2]},{r[3]},{r[0]}" for r in ROWS)],
        "class (by its name; survived may",
    ),
    "unnamed columns at the end": ([f"{HEADER},,", *TRAILING], "bought (last column; "),
    "no header, empty columns at the end": (TRAILING, "x4 (last column; "),
    "a summary row": ([HEADER, *LINES, "Total,,,"], "line 62: every row of column 'bought' must have a label"),
    "dates first": (
        ["date,a,bought", *(f"2024-01-{i % 28 + 1},{r[0]},{r[3]}" for i, r in enumerate(ROWS))],
        "bought (",
    ),
    "European decimals": ([HEADER.replace(",", ";"), *(";".join(r).replace(".", ",") for r in ROWS)], "bought ("),
    "a byte order mark": ([f"\ufeff{HEADER}", *LINES], "bought (last column; "),
    "Windows line ends": ([f"{line}\r" for line in (HEADER, *LINES)], "bought (last column; "),
    "duplicate names": (["a,a,colour,bought", *LINES], "bought (last column; "),
    "labels first": (
        ["was bought,a,b", *(f"{r[3]},{r[0]},{r[1]}" for r in ROWS)],
        "could be labels: 'was bought'.",
    ),
    "labels first, a usual name": (["outcome,a,b", *(f"{r[3]},{r[0]},{r[1]}" for r in ROWS)], "outcome (by its name; "),
    "an index column": ([f",{HEADER}", *(f"{i},{line}" for i, line in enumerate(LINES))], "bought (last column; "),
}


@pytest.mark.parametrize("case", FILES)
def test_a_raw_file_is_fitted_without_options_or_with_the_remedy_of_the_refusal(case, tmp_path):
    lines, expected = FILES[case]
    data, model = tmp_path / "raw.csv", tmp_path / "model.nvk"
    data.write_bytes("\n".join([*lines, ""]).encode())
    run = novikoff("fit", data, "-o", model)
    if run.code == 2:
        assert expected in run.err
        if "Remove the row" in run.err:
            lines = lines[:-1]
            data.write_bytes("\n".join([*lines, ""]).encode())
        remedy = re.search(r"Use (--target .*), for example", run.err)
        run = novikoff("fit", data, "-o", model, *(shlex.split(remedy[1]) if remedy else ()))
    else:
        assert re.sub(r"^target +", "", run.out.split("\n")[0]).startswith(expected)
    assert run.code == 0, run
    assert run.out.startswith("target  ")
    assert novikoff("certify", model, data).code == 0
    assert len(done("predict", model, data, "-q").out.splitlines()) == 60
