"""Scores in the width of a terminal."""

import numpy as np
import pytest

from novikoff.cli._scores import (
    class_lines,
    confusion_lines,
    confusion_table,
    most_confused,
    shortened,
)
from novikoff.evaluate import scores_of_labels

rng = np.random.default_rng(1)


def scores_with(classes, rows=500, name="class number {}"):
    labels = np.array([name.format(code) for code in range(classes)])
    y = rng.integers(0, classes, rows)
    answers = np.where(rng.random(rows) < 0.8, y, rng.integers(0, classes, rows))
    return scores_of_labels("test", labels[y], labels[answers], labels)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("classes", [2, 7, 12, 28])
def test_a_confusion_table_fits_or_is_a_list(classes, width):
    ((_, text),) = confusion_lines(scores_with(classes, name="c{}"))
    lines = text(width)
    table = confusion_table(scores_with(classes, name="c{}"), width)
    if table is None:
        assert len(lines) <= 11
        assert all(" predicted as " in line or "rarer" in line for line in lines)
    else:
        assert all(len(line) <= width for line in table)
        assert len(lines) == classes + 1


def test_long_labels_are_cut_if_they_stay_different():
    found = scores_with(4, name="{} with a long description")
    table = confusion_table(found, 70)
    assert "0 with.." in table[0]
    assert confusion_table(scores_with(4, name="a long description that ends in {}"), 70) is None
    assert shortened("ab\ncdefgh", 6) == r"ab\n.."


def test_the_most_frequent_confusions_come_first():
    y = np.array(["a"] * 10 + ["b"] * 10)
    answers = np.array(["b"] * 3 + ["a"] * 7 + ["a"] * 5 + ["b"] * 5)
    lines = most_confused(scores_of_labels("test", y, answers, np.array(["a", "b"])))
    assert lines == ["5 of 10 rows of 'b' predicted as 'a'", "3 of 10 rows of 'a' predicted as 'b'"]
    assert most_confused(scores_of_labels("test", y, y, np.array(["a", "b"]))) == ["nothing is confused"]


def test_few_classes_have_a_line_each_and_of_many_the_worst():
    ((title, text),) = class_lines(scores_with(7))
    assert (title, len(text)) == ("by class", 8)
    found = scores_with(28)
    ((title, lines),) = class_lines(found)
    assert (title, len(lines)) == ("worst classes", 7)
    worst = found.labels[found.f1.argmin()]
    assert lines[1].startswith(worst)
    assert "and 23 other classes" in lines[-1]


def test_classes_without_rows_are_named():
    y = np.array(["a", "b"])
    found = scores_of_labels("test", y, y, y)
    ((_, text),) = class_lines(found, np.array(["a", "b", "rare", "rare2"]), "held-out rows")
    assert text[-1] == "and 2 classes without held-out rows: 'rare', 'rare2'"
    ((_, text),) = class_lines(found, np.array([*y, *"cdefghi"]))
    assert text[-1] == "and 7 classes without rows: 'c', 'd', 'e', 'f', 'g', ..."
    ((_, text),) = class_lines(found, y)
    assert not any("without" in line for line in text)
