"""Options that several verbs share, and those that are generated from the signatures of the learners."""

from __future__ import annotations

import functools
import inspect
import json
import re
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from novikoff.data.reading import HashingSettings, Reading
from novikoff.data.stream import is_table
from novikoff.errors import invalid
from novikoff.online import (
    AveragedPerceptron,
    MarginPerceptron,
    PassiveAggressive,
    PassiveAggressiveI,
    PassiveAggressiveII,
    Perceptron,
    VotedPerceptron,
)
from novikoff.svm import HardMarginSVM, LinearSVM

ONLINE: dict[str, Any] = {
    "perceptron": Perceptron,
    "averaged-perceptron": AveragedPerceptron,
    "voted-perceptron": VotedPerceptron,
    "margin-perceptron": MarginPerceptron,
    "passive-aggressive": PassiveAggressive,
    "passive-aggressive-i": PassiveAggressiveI,
    "passive-aggressive-ii": PassiveAggressiveII,
}
LEARNERS: dict[str, Any] = {"linear-svm": LinearSVM, "hard-margin": HardMarginSVM, **ONLINE}
NOT_OPTIONS = ("warm_start", "verbose")  # one fit is made, and the bar says what there is to say
ALSO = {"C": ("-c",), "tol": ("-e",), "max_iter": ("--passes",)}  # as LIBLINEAR and Vowpal Wabbit call them

DataArgument = Annotated[str, typer.Argument(metavar="DATA", help="Rows with labels: a file, SQL, or -.")]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Format = Annotated[
    str | None,
    typer.Option(help="Of DATA, where its name does not say it: svmlight, csv, tsv, ndjson, json, parquet, arrow."),
]
Attach = Annotated[
    list[str] | None, typer.Option(metavar="NAME=PATH", help="A database that SQL in DATA may read by this name.")
]
Output = Annotated[
    str | None, typer.Option("--output", "-o", metavar="MODEL", help="Where to save the model, also if stopped.")
]
Exact = Annotated[bool, typer.Option("--exact", help="Decide in whole numbers what rounding would leave open.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No bar and no notes.")]


@dataclass(frozen=True)
class Extra:
    """An option that a verb takes without naming it in its signature."""

    name: str
    type: Any
    help: str
    panel: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    default: Any = None

    def parameter(self) -> inspect.Parameter:
        """The option as typer wants it."""
        option = typer.Option(*self.flags, help=self.help, metavar=self.metavar, rich_help_panel=self.panel)
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=self.default, annotation=Annotated[self.type, option])


def takes(extras: Iterable[Extra]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb, whose last parameter is ``**options``, further options."""

    def extended(function: Callable[..., None]) -> Callable[..., None]:
        named = list(inspect.signature(function, eval_str=True).parameters.values())[:-1]
        added = [extra.parameter() for extra in extras]
        signature = inspect.Signature([*named, *added])
        function.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks for it
        function.__annotations__ = {p.name: p.annotation for p in [*named, *added]} | {"return": None}
        return function

    return extended


# ---- how files become rows -----------------------------------------------------------------------------------------

_TABLES = "Tables and texts"
READING = (
    Extra("target", str | None, "The column of labels; y, label or target if there is just one of these.", _TABLES),
    Extra("features", list[str] | None, "A feature column; may be repeated. All others by default.", _TABLES),
    Extra("weight", str | None, "The column of weights.", _TABLES),
    Extra("text", list[str] | None, "A column of texts, counted by their words; may be repeated.", _TABLES),
    Extra("missing", str, "What a missing value means: error, zero or indicator.", _TABLES, default="error"),
    Extra("hash_bits", int, "Names and words become 2^BITS columns.", _TABLES, metavar="BITS", default=20),
    Extra("ngrams", str, "Words of a key, from A to B: 1-2 for words and pairs.", _TABLES, (), "A-B", "1-1"),
    Extra("binary", bool, "Words count once a text.", _TABLES, ("--binary",), default=False),
    Extra("sublinear_tf", bool, "k times the same word count 1 + log k.", _TABLES, ("--sublinear-tf",), default=False),
    Extra("norm", str | None, "l2 brings hashed rows to length 1.", _TABLES),
    Extra("index_base", int, "The number of the first feature of svmlight: 1 or 0.", "svmlight", default=1),
)


def reading_of(options: dict[str, Any], source: str, format: str | None) -> Reading:
    """Take the options of ``READING`` out of those that a verb was given; those of other sources are refused."""
    given = {extra.name: options.pop(extra.name) for extra in READING}
    table = is_table(source, format)
    for extra in READING:
        if (given[extra.name] or None) != (extra.default or None) and (extra.panel == _TABLES) != table:
            need = "DATA that is svmlight." if table else "DATA that is a table; --format says so if its name does not."
            raise invalid(_flag(extra.name), need, source)
    if given["norm"] not in (None, "l2"):
        raise invalid("--norm", "l2, or no --norm.", repr(given["norm"]))
    words = re.fullmatch(r"(\d+)(?:-(\d+))?", given["ngrams"])
    if words is None:
        raise invalid("--ngrams", "Two numbers, as in 1-2.", repr(given["ngrams"]))
    first, last = int(words[1]), int(words[2] or words[1])
    return Reading(
        target=given["target"],
        features=tuple(given["features"]) if given["features"] else None,
        weight=given["weight"],
        text=tuple(given["text"] or ()),
        missing=given["missing"],
        hashing=HashingSettings(
            n_bits=given["hash_bits"],
            ngram_range=(first, last),
            binary=given["binary"],
            sublinear_tf=given["sublinear_tf"],
            norm=given["norm"],
        ),
        index_base=given["index_base"],
    )


def opening_of(format: str | None, attach: list[str] | None) -> dict[str, Any]:
    """What says how to open DATA."""
    pairs = [pair.partition("=") for pair in attach or ()]
    for name, equals, path in pairs:
        if not (name and equals and path):
            raise invalid("--attach", "NAME=PATH.", repr(name + equals + path))
    return {"format": format, "attach": {name: path for name, _, path in pairs} or None}


# ---- the parameters of learners ------------------------------------------------------------------------------------


def parameters_of(learners: dict[str, Any]) -> list[Extra]:
    """Every parameter of some learners as an option, with what their docstrings say of it."""
    owners: dict[str, list[str]] = {}
    for name, learner in learners.items():
        for parameter in inspect.signature(learner).parameters:
            if parameter not in NOT_OPTIONS:
                owners.setdefault(parameter, []).append(name)
    return [_option(parameter, {name: learners[name] for name in names}) for parameter, names in owners.items()]


def _option(name: str, learners: dict[str, Any]) -> Extra:
    described = next((text for learner in learners.values() if (text := _described(learner).get(name))), "")
    help = described[:1].upper() + described[1:].rstrip(".") + "."
    default = _default(name, learners)
    if default is not None and not isinstance(default, bool):
        help += f" Default: {default}."
    hint = typing.get_type_hints(next(iter(learners.values())).__init__)[name]
    flag = name.replace("_", "-")
    if hint is bool:
        if default is True:  # what is so by default can only be switched off
            return Extra(
                f"no_{name}",
                bool,
                f"Not: {described.partition(';')[0]}.",
                _panel(learners),
                (f"--no-{flag}",),
                default=False,
            )
        return Extra(name, bool, help, _panel(learners), (f"--{flag}",), default=False)
    kind = next((t for t in (int, float) if hint in (t, t | None)), str)
    return Extra(name, kind | None, help, _panel(learners), (f"--{flag}", *ALSO.get(name, ())), _METAVARS[kind])


def _default(name: str, learners: dict[str, Any]) -> Any:
    """What a parameter is where it is not given; None if that differs between learners."""
    defaults = [inspect.signature(learner).parameters[name].default for learner in learners.values()]
    return defaults[0] if all(default == defaults[0] for default in defaults) else None


def _panel(learners: dict[str, Any]) -> str:
    """Whose option it is."""
    if len(learners) <= 3:
        return f"Of {', '.join(learners)}"
    return "Of online learners" if set(learners) <= set(ONLINE) else "Of all learners"


_METAVARS = {int: "N", float: "X", str: "VALUE"}


@functools.cache
def _described(learner: Any) -> dict[str, str]:
    """What the docstring of a class says of each parameter."""
    found: dict[str, str] = {}
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n|\Z)", inspect.getdoc(learner) or "", re.DOTALL)
    names: list[str] = []
    for line in (section[1] if section else "").splitlines():
        if begin := re.match(r"([\w, ]+?) : (.*)", line):
            names = begin[1].split(", ")
            found |= dict.fromkeys(names, begin[2])
        else:
            found |= {name: f"{found[name]} {line.strip()}" for name in names}
    return {name: text.replace("``", "") for name, text in found.items()}


def build(name: str, learners: dict[str, Any], options: dict[str, Any]) -> Any:
    """Make the learner of this name with the parameters that were given; those of other learners are refused."""
    if name not in learners:
        raise invalid("--learner", f"One of {', '.join(learners)}.", repr(name))
    accepted = inspect.signature(learners[name]).parameters
    given = {option.removeprefix("no_"): (option, value) for option, value in options.items() if is_given(value)}
    for parameter, (option, _) in given.items():
        if parameter not in accepted:
            flags = {p: f"no_{p}" if accepted[p].default is True else p for p in accepted if p not in NOT_OPTIONS}
            known = ", ".join(map(_flag, flags.values()))
            raise invalid(_flag(option), f"An option of {name}, which has {known}.", "one of another learner")
    if "C" in given and "lam" in given:
        raise invalid("--lam", "No --C beside it: both say the same.", "both")
    hints = typing.get_type_hints(learners[name].__init__)
    plain = (str, str | None)
    values = {p: value if option == p else False for p, (option, value) in given.items()}
    return learners[name](**{p: v if hints[p] in plain else _literal(v) for p, v in values.items()})


def is_given(value: Any) -> bool:
    """Whether an option of a learner was on the command line."""
    return value is not None and value is not False


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _literal(value: Any) -> Any:
    """A value that may be a word, a number, or an object such as {"spam": 2}."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
