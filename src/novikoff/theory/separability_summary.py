"""A verdict on separability as a statistician reads it: a sentence to quote, and a table of the coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from novikoff._html import table
from novikoff._printable import printable

MAX_ROWS = 30  # of the table
MAX_NAMES = 10  # of coefficients in the sentence
INTERCEPT = "(Intercept)"
ESTIMATES = {"infinite": "infinite (either sign)"}  # statuses that the table puts in other words
LAST = ("undecided", "aliased", "finite")  # in a long table, after all infinite ones
KINDS = {"complete": "completely separated", "quasi-complete": "quasi-completely separated"}


@dataclass(frozen=True)
class SeparabilitySummary:
    """What is known of the maximum likelihood estimate of a logistic regression.

    ``str`` of it is the sentence and the table; notebooks show it as HTML.

    Parameters
    ----------
    sentence : str
        Whether the estimate exists, and which coefficients are infinite, in words that can be quoted.
    coefficients : tuple of (str, str)
        Name and estimate of each coefficient, the intercept first: finite, +infinity, -infinity, infinite (either
        sign), aliased or undecided.

    See Also
    --------
    novikoff.theory.Separability.summary : Returns it.

    Examples
    --------
    >>> from novikoff.theory import SeparabilitySummary
    >>> print(SeparabilitySummary("The estimate exists.", (("(Intercept)", "finite"), ("age", "finite"))))
    The estimate exists.
    <BLANKLINE>
    coefficient  estimate
    (Intercept)  finite
    age          finite
    """

    sentence: str
    coefficients: tuple[tuple[str, str], ...]

    def shown(self) -> tuple[list[tuple[str, str]], str]:
        """Return the rows of the table, and what the others are.

        Returns
        -------
        tuple of (list of (str, str), str)
            All coefficients; if they are many, the intercept, then those that are infinite, and so on, up to a number.
            The text counts the others and is empty if there are none.
        """
        if len(self.coefficients) <= MAX_ROWS:
            return list(self.coefficients), ""
        first = [row for row in self.coefficients if row[0] == INTERCEPT]
        others = [row for row in self.coefficients if row[0] != INTERCEPT]
        infinite = [row for row in others if row[1] not in LAST]
        ordered = [*first, *infinite, *(row for estimate in LAST for row in others if row[1] == estimate)]
        shown, hidden = ordered[:MAX_ROWS], [estimate for _, estimate in ordered[MAX_ROWS:]]
        counts = ", ".join(f"{hidden.count(estimate):,} {estimate}" for estimate in dict.fromkeys(hidden))
        return shown, f"and {len(hidden):,} more ({counts})"

    def table(self) -> str:
        """Return the table of the coefficients as text.

        Returns
        -------
        str
            One line per coefficient, below a heading.
        """
        shown, more = self.shown()
        rows = [(printable(name), estimate) for name, estimate in shown]
        width = max(len(name) for name, _ in [("coefficient", ""), *rows])
        lines = [f"{name:<{width}}  {estimate}" for name, estimate in [("coefficient", "estimate"), *rows]]
        return "\n".join([*lines, *[more] * bool(more)])

    def __str__(self) -> str:
        return f"{self.sentence}\n\n{self.table()}"

    def __repr__(self) -> str:
        return f"<SeparabilitySummary: {self.sentence}>"

    def _repr_html_(self) -> str:
        rows, more = self.shown()
        last = [(more,)] if more else []
        return table(self.sentence, [*rows, *last], ("coefficient", "estimate"))


def summary_of(kind: str, model: str, coefficients: Mapping[str, str], others: int = 0) -> SeparabilitySummary:
    """Return the summary of a verdict.

    Parameters
    ----------
    kind : {"complete", "quasi-complete", "overlap", "undecided"}
        The verdict.
    model : str
        The probability that is modelled, as ``model_of`` writes it.
    coefficients : mapping of str to str
        The status of each coefficient; the intercept is last.
    others : int, default=0
        The number of further columns, which are 0 in all rows.
    """
    rows = [(name, ESTIMATES.get(status, status)) for name, status in coefficients.items()]
    rows.sort(key=lambda row: row[0] != INTERCEPT)
    return SeparabilitySummary(_sentence(kind, model, rows, others), tuple(rows))


def model_of(response: str | None, positive: Any) -> str:
    """Return the probability that a logistic regression models, such as ``P(y = yes)``.

    Parameters
    ----------
    response : str or None
        The name of the labels; None for counts.
    positive : object
        The modelled label; for counts, the name of the successes.
    """
    is_integer = isinstance(positive, float) and positive.is_integer()
    label = str(int(positive)) if is_integer else str(positive)
    return f"P({label})" if response is None else f"P({response} = {label})"


def _sentence(kind: str, model: str, rows: Sequence[tuple[str, str]], others: int) -> str:
    subject = f"the maximum likelihood estimate of the logistic regression of {model}"
    if kind == "undecided":
        return f"Whether {subject} exists is undecided: the data are too large or too difficult."
    subject = subject[0].upper() + subject[1:]
    infinite = [row for row in rows if "infini" in row[1]]
    aliased = [name for name, estimate in rows if estimate == "aliased"]
    open_ = [name for name, estimate in rows if estimate == "undecided"]
    if kind == "overlap":
        is_whole = not aliased and not open_ and not others
        finite = f", and {_all_of(len(rows))} finite" if is_whole else ""
        parts = [f"{subject} exists: the data overlap{finite}."]
    else:
        parts = [f"{subject} does not exist: the data are {KINDS[kind]}."]
    if infinite:
        title = "Coefficient of" if len(infinite) == 1 else "Infinite coefficients:"
        parts.append(f"{title} {_listed([_infinite(*row, len(infinite) == 1) for row in infinite])}.")
    if aliased:
        parts.append(f"Aliased, that is, not identifiable: {_listed(aliased)}.")
    if others:
        parts.append(f"{others:,} {'column' if others == 1 else 'columns'} of zeros cannot be estimated.")
    if len(open_) == len(rows):
        parts.append("The status of each coefficient is undecided.")
    elif open_:
        parts.append(f"Undecided: {_listed(open_)}.")
    return " ".join(parts)


def _all_of(count: int) -> str:
    return {1: "its coefficient is", 2: "both coefficients are"}.get(count, f"all {count:,} coefficients are")


def _infinite(name: str, estimate: str, is_only: bool) -> str:
    if is_only:
        return f"{name}: {estimate}"
    return f"{name} ({estimate.removeprefix('infinite (').removesuffix(')')})"


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - MAX_NAMES:,} more" if len(words) > MAX_NAMES else ""
    return ", ".join(words[:MAX_NAMES]) + more
