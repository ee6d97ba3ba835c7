"""Options that several subcommands share, and options that are made of the signatures of the learners."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import json
import re
import typing
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from novikoff.data.formats import file_formats, find_format
from novikoff.data.reading import HashingSettings, Reading
from novikoff.errors import input_error, quote

from ._learners import LEARNERS, ONLINE
from ._output import flag

NOT_OPTIONS = ("warm_start", "verbose")  # there is one fit, and the progress bar replaces its messages
OTHER_FLAGS = {"C": ("-c",), "tol": ("-e",), "max_iter": ("--passes",)}  # as LIBLINEAR and Vowpal Wabbit name them

DataArgument = Annotated[str, typer.Argument(metavar="DATA", help="Rows with labels: a file, an SQL query, or -.")]
ModelArgument = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.")]
Json = Annotated[bool, typer.Option("--json", metavar="", help="Print the result as one JSON object.")]
Format = Annotated[
    str | None,
    typer.Option(metavar="FORMAT", help=f"Format of DATA, if its name does not tell: {', '.join(file_formats())}."),
]
Attach = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=PATH", help="Database that the SQL query may read under this name. Repeatable."),
]
Exact = Annotated[
    bool, typer.Option("--exact", metavar="", help="Use exact arithmetic where rounding would leave a claim open.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress and no notes.")]


@dataclass(frozen=True)
class ExtraOption:
    """An option that a subcommand takes in its ``**options``.

    Parameters
    ----------
    name : str
        Name of the parameter.
    type : type
        Type of the value, as typer reads it.
    help : str
        One sentence.
    panel : str
        Heading under which the help shows it.
    flags : tuple of str, default=()
        The flags, if they are not ``--name``.
    metavar : str or None, default=None
        What stands for the value in the help.
    default : object, default=None
        The value if the option is not given.
    shown_default : str or None, default=None
        What the help shows as the default, if that is not ``default``.
    """

    name: str
    type: Any
    help: str
    panel: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    default: Any = None
    shown_default: str | None = None

    def parameter(self) -> inspect.Parameter:
        """Return the option as a parameter for typer."""
        option = typer.Option(
            *self.flags,
            help=self.help,
            metavar="" if self.type is bool else self.metavar,
            rich_help_panel=self.panel,
            show_default=self.shown_default or self.default not in (None, False),
        )
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=self.default, annotation=Annotated[self.type, option])


def with_options(options: Iterable[ExtraOption]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options to a subcommand whose last parameter is ``**options``."""

    def extended(function: Callable[..., None]) -> Callable[..., None]:
        named = list(inspect.signature(function, eval_str=True).parameters.values())[:-1]
        added = [option.parameter() for option in options]
        signature = inspect.Signature([*named, *added])
        function.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks for it
        function.__annotations__ = {p.name: p.annotation for p in [*named, *added]} | {"return": None}
        return function

    return extended


# ---- how files become rows -----------------------------------------------------------------------------------------

_TABLES, _SVMLIGHT = "Options of tables and texts", "Options of svmlight"
READING = (
    ExtraOption("target", str | None, "Column of the labels.", _TABLES, (), "COLUMN", None, "y, label or target"),
    ExtraOption("features", list[str] | None, "Feature column. Repeatable.", _TABLES, (), "COLUMN", None, "all others"),
    ExtraOption("weight", str | None, "Column of the sample weights.", _TABLES, (), "COLUMN"),
    ExtraOption(
        "text", list[str] | None, "Column of texts, to be split into words. Repeatable.", _TABLES, (), "COLUMN"
    ),
    ExtraOption(
        "missing", str, "How to treat missing values: error, zero or indicator.", _TABLES, (), "HOW", default="error"
    ),
    ExtraOption("hash_bits", int, "Hash names and words into 2^BITS columns.", _TABLES, metavar="BITS", default=20),
    ExtraOption(
        "ngrams", str, "Use sequences of A to B words; 1-2 for words and pairs.", _TABLES, (), "A-B", default="1-1"
    ),
    ExtraOption("binary", bool, "Count each word at most once per text.", _TABLES, ("--binary",), default=False),
    ExtraOption(
        "sublinear_tf", bool, "Replace a word count k by 1 + log k.", _TABLES, ("--sublinear-tf",), default=False
    ),
    ExtraOption("norm", str | None, "Scale hashed rows to length 1: l2.", _TABLES, (), "NORM"),
    ExtraOption("index_base", int, "Index of the first feature: 0 or 1.", _SVMLIGHT, metavar="INDEX", default=1),
)


def reading_from(options: dict[str, Any], source: str, format: str | None) -> Reading:
    """Take the options of ``READING`` out of those of a subcommand; those that do not fit the source are refused."""
    given = {option.name: options.pop(option.name) for option in READING}
    table = "target" in find_format("scan", source, format).options
    for option in READING:
        if (given[option.name] or None) != (option.default or None) and (option.panel == _TABLES) != table:
            needs = (
                "svmlight, but DATA is a table." if table else "a table, but DATA is not one. Use --format to say so."
            )
            raise input_error(source, f"{flag(option.name)} is an option of {needs}")
    if given["norm"] not in (None, "l2"):
        raise input_error("--norm", f"the only norm is l2, not {quote(given['norm'])}.")
    words = re.fullmatch(r"(\d+)(?:-(\d+))?", given["ngrams"])
    if words is None:
        raise input_error("--ngrams", f"two numbers such as 1-2 are needed, not {quote(given['ngrams'])}.")
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


def opening_from(format: str | None, attach: list[str] | None) -> dict[str, Any]:
    """Return the arguments of ``read`` and ``scan`` that say what DATA is."""
    pairs = [pair.partition("=") for pair in attach or ()]
    for name, equals, path in pairs:
        if not (name and equals and path):
            raise input_error("--attach", f"NAME=PATH is needed, not {quote(name + equals + path)}.")
    return {"format": format, "attach": {name: path for name, _, path in pairs} or None}


# ---- the parameters of learners ------------------------------------------------------------------------------------

_METAVARS = {int: "N", float: "X", str: "VALUE"}
_METAVARS_OF_TYPES = {"float": "X", "dict": "JSON"}  # in the types of docstrings, beside words: float or "auto"


def learner_options(learners: dict[str, Any]) -> list[ExtraOption]:
    """Return every parameter of some learners as an option, with the first sentence of its description as help."""
    owners: dict[str, dict[str, Any]] = {}
    for name, learner in learners.items():
        for parameter in inspect.signature(learner).parameters:
            if parameter not in NOT_OPTIONS:
                owners.setdefault(parameter, {})[name] = learner
    return [_option(parameter, of) for parameter, of in owners.items()]


def _option(name: str, learners: dict[str, Any]) -> ExtraOption:
    first = next(iter(learners.values()))
    hint = _hints(first)[name]
    default = inspect.signature(first).parameters[name].default
    panel = f"Options of {_group(learners)}"
    if hint is bool and default is True:  # it can only be switched off
        help = _help(name, learners, r"^Whether to (\w)", lambda match: "Do not " + match[1])
        return ExtraOption(f"no_{name}", bool, help, panel, (flag(f"no_{name}"),), default=False)
    if hint is bool:
        help = _help(name, learners, r"^Whether to (\w)", lambda match: match[1].upper())
        return ExtraOption(name, bool, help, panel, (flag(name),), default=False)
    kind = next((t for t in (int, float) if hint in (t, t | None)), str)
    flags, shown = (flag(name), *OTHER_FLAGS.get(name, ())), _shown_default(name, learners)
    type_text = _descriptions(first).get(name, ("", ""))[0].partition(", default=")[0]
    words = re.findall(r'"(\w+)"', type_text)
    words += [_METAVARS_OF_TYPES[word] for word in re.findall(r"\b(?:dict|float)\b", type_text)]
    metavar = "|".join(words) if len(words) > 1 else _METAVARS[kind]
    return ExtraOption(name, kind | None, _help(name, learners), panel, flags, metavar, shown_default=shown)


def _help(name: str, learners: dict[str, Any], pattern: str = "", replacement: Any = "") -> str:
    """Return the description of a parameter, for each group of learners if they differ."""
    groups: dict[str, list[str]] = {}
    for learner, cls in learners.items():
        groups.setdefault(re.sub(pattern, replacement, _descriptions(cls).get(name, ("", ""))[1]), []).append(learner)
    if len(groups) == 1:
        return next(iter(groups))
    return " ".join(f"{text.rstrip('.')} ({_group(names)})." for text, names in groups.items() if text)


def _shown_default(name: str, learners: dict[str, Any]) -> str | None:
    """Return the default of a parameter, for each group of learners if they differ."""
    groups: dict[Any, list[str]] = {}
    for learner, cls in learners.items():
        groups.setdefault(inspect.signature(cls).parameters[name].default, []).append(learner)
    if len(groups) == 1:
        default = next(iter(groups))
        return None if default is None else str(default)
    return "; ".join(f"{default} for {_group(names)}" for default, names in groups.items())


def _group(learners: Iterable[str]) -> str:
    """Return the name of a group of learners, for a heading."""
    names = list(learners)
    missing = [name for name in LEARNERS if name not in names]
    if set(names) == set(ONLINE):
        return "online learners"
    if len(missing) <= 2:
        return "all learners" + (f" except {', '.join(missing)}" if missing else "")
    return ", ".join(names)


def _hints(learner: Any) -> dict[str, Any]:
    """Return the types of the parameters; those of a dataclass are evaluated where each field is defined."""
    return typing.get_type_hints(learner if dataclasses.is_dataclass(learner) else learner.__init__)


@functools.cache
def _descriptions(learner: Any) -> dict[str, tuple[str, str]]:
    """Return the type of each parameter in a numpydoc docstring, and the first sentence of its description."""
    doc = inspect.getdoc(learner) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", doc, re.DOTALL | re.MULTILINE)
    entry = re.compile(r"^(\w[\w, ]*) : (.*)\n((?:[ \t]+.*\n|\n)*)", re.MULTILINE)
    found: dict[str, tuple[str, str]] = {}
    for names, type_text, text in entry.findall(section[1] if section else ""):
        words = " ".join(text.split("\n\n")[0].split()).replace("``", "")
        sentence = re.match(r".*?\.(?= [A-Z]|$)", words)
        found |= dict.fromkeys(names.split(", "), (type_text, sentence[0] if sentence else words))
    return found


def build(name: str, learners: dict[str, Any], options: dict[str, Any]) -> Any:
    """Return the learner of this name with the parameters that were given; those of other learners are refused."""
    if name not in learners:
        raise input_error("--learner", f"there is no learner {quote(name)}. Known: {', '.join(learners)}.")
    accepted = inspect.signature(learners[name]).parameters
    given = {option.removeprefix("no_"): (option, value) for option, value in options.items() if is_given(value)}
    for parameter, (option, _) in given.items():
        if parameter not in accepted:
            flags = (f"no_{p}" if accepted[p].default is True else p for p in accepted if p not in NOT_OPTIONS)
            known = ", ".join(map(flag, flags))
            raise input_error(flag(option), f"{name} does not have this option. It has {known}.")
    if "C" in given and "lam" in given:
        raise input_error("--lam", "give --C or --lam, not both.")
    hints = _hints(learners[name])
    plain = (str, str | None)
    values = {p: value if option == p else False for p, (option, value) in given.items()}
    return learners[name](**{p: v if hints[p] in plain else _literal(v) for p, v in values.items()})


def is_given(value: Any) -> bool:
    """Return whether an option of a learner was on the command line."""
    return value is not None and value is not False


def _literal(value: Any) -> Any:
    """Return a value that may be a word, a number, or a JSON object such as {"spam": 2}."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value
