"""The command line says that a learner did not halt, in one line and in its own options."""

import re

import numpy as np
import pytest
from command import novikoff

ONLINE = ["perceptron", "averaged-perceptron", "voted-perceptron", "margin-perceptron", "passive-aggressive"]


def write(path, X, y):
    lines = ["a,b,label", *(f"{a:.6f},{b:.6f},{label}" for (a, b), label in zip(X, y, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def overlap(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    return write(tmp_path / "overlap.csv", X, np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no"))


def said(run):
    """The warnings about halting."""
    assert (run.code, run.err) == (0, "")
    return [line for line in re.findall(r"^warning +(.*)$", run.out, re.MULTILINE) if "passes" in line]


@pytest.mark.parametrize("learner", ONLINE)
def test_fit_says_in_one_line_that_no_plane_separates_the_rows(overlap, learner):
    options = ["--max-iter", "1000", "--learner", learner]
    (line,) = said(novikoff("fit", overlap, *options))
    assert line.startswith("no plane separates the rows, so the passes would never end: ")
    assert line.endswith("balance each other")
    assert line in novikoff("fit", overlap, *options, "--json").json["warnings"]


def test_fit_names_its_own_options(tmp_path):
    X = np.random.default_rng(0).normal(size=(6000, 2))  # so many that it is not decided at any cost
    path = write(tmp_path / "many.csv", X, np.where(X[:, 0] * X[:, 1] > 0, "yes", "no"))
    (line,) = said(novikoff("fit", path, "--learner", "averaged-perceptron", "--max-iter", "2"))
    assert line.startswith("2 passes were not enough, and whether a plane separates the rows is not known: ")
    assert line.endswith(": increase --max-iter, or ask 'novikoff separable'")


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_the_margin_is_compared_with_its_bound(overlap, subcommand):
    words = [subcommand, overlap, "--learner", "margin-perceptron", "--margin", "3"]
    (line,) = said(novikoff(*words, "-q"))
    assert line.startswith(
        "no plane has even (1 - epsilon) times the margin 3 that was asked for, so the passes would "
    )
    assert line in novikoff(*words, "--json").json["warnings"]


def test_separable_rows_are_not_said_to_be_inseparable_if_the_margin_is_too_large(tmp_path):
    path = write(tmp_path / "apart.csv", np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -2.0], [-2.0, -1.0]]), list("aabb"))
    run = novikoff("fit", path, "--learner", "margin-perceptron", "--margin", "10")
    assert "no plane separates the rows by the margin that is needed, so they would never end" in run.out
    assert "no plane separates the rows, " not in run.out


def test_learners_for_rows_that_overlap_and_fits_that_halt_say_nothing(overlap, tmp_path):
    assert said(novikoff("fit", overlap, "--learner", "passive-aggressive-i")) == []
    assert said(novikoff("stream", overlap, "-q")) == []
    apart = np.vstack(
        [np.random.default_rng(0).normal(size=(30, 2)) + 5, np.random.default_rng(1).normal(size=(30, 2))]
    )
    path = write(tmp_path / "apart.csv", apart, ["a"] * 30 + ["b"] * 30)
    assert said(novikoff("fit", path, "--learner", "perceptron")) == []
