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

from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.encoding.encoder import TableEncoder
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
HeldOut = Annotated[
    float | None,
    typer.Option(
        "--holdout",
        metavar="FRACTION",
        help="Measure the accuracy on this fraction of the rows, by a second fit to the others; 0 for none.",
        show_default="0.2, unless other rows are given",
    ),
]


def check_fraction(fraction: float | None) -> None:
    """Refuse a value of ``--holdout`` that leaves no row to learn from."""
    if fraction is not None and not 0 <= fraction < 1:
        raise input_error("--holdout", f"a number from 0 to below 1 is needed, not {fraction:g}.")


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

_TABLES, _TEXT, _SVMLIGHT = "Options of tables", "Options of texts", "Options of svmlight"
_DELIMITED = "Options of delimited text (judged by the text itself by default)"
SCALING = (
    ExtraOption(
        "scale",
        str | None,
        "Units of numbers: standard, none, maxabs, minmax or robust.",
        _TABLES,
        metavar="HOW",
        shown_default="standard",
    ),
)
READING = (
    ExtraOption(
        "target",
        str | None,
        "Column of the labels: its name, its number, first or last.",
        _TABLES,
        metavar="COLUMN",
        shown_default="y, label, target or class",
    ),
    ExtraOption("features", list[str] | None, "Feature column. Repeatable.", _TABLES, (), "COLUMN", None, "all others"),
    ExtraOption("exclude", list[str] | None, "Column that is not read. Repeatable.", _TABLES, (), "COLUMN"),
    ExtraOption("weight", str | None, "Column of the sample weights.", _TABLES, (), "COLUMN"),
    ExtraOption(
        "missing",
        str | None,
        "What a missing number is taken for: mean, median, zero, a number, or error.",
        _TABLES,
        metavar="HOW",
        shown_default="mean",
    ),
    ExtraOption(
        "no_indicator",
        bool,
        "Add no columns that tell where numbers are missing.",
        _TABLES,
        ("--no-indicator",),
        default=False,
    ),
    ExtraOption(
        "max_categories", int | None, "Most categories of a column that have names.", _TABLES, (), "N", None, "10000"
    ),
    ExtraOption(
        "keep", bool, "Keep columns that are constant, empty or identifiers.", _TABLES, ("--keep",), default=False
    ),
    ExtraOption("hash_bits", int | None, "Hash names and words into 2^BITS columns instead.", _TABLES, metavar="BITS"),
    ExtraOption("text", list[str] | None, "Column of texts, to be split into words. Repeatable.", _TEXT, (), "COLUMN"),
    ExtraOption(
        "ngrams", str, "Use sequences of A to B words; 1-2 for words and pairs.", _TEXT, (), "A-B", default="1-1"
    ),
    ExtraOption("binary", bool, "Count each word at most once per text.", _TEXT, ("--binary",), default=False),
    ExtraOption(
        "sublinear_tf", bool, "Replace a word count k by 1 + log k.", _TEXT, ("--sublinear-tf",), default=False
    ),
    ExtraOption(
        "idf", bool, "Multiply word counts by the inverse document frequency.", _TEXT, ("--idf",), default=False
    ),
    ExtraOption("norm", str | None, "Scale the words of each text to length 1: l2.", _TEXT, (), "NORM"),
    ExtraOption(
        "delimiter", str | None, "Character between fields, or tab, space, comma, ...", _DELIMITED, (), "CHARACTER"
    ),
    ExtraOption(
        "header", bool | None, "Whether the first line names the columns.", _DELIMITED, ("--header/--no-header",)
    ),
    ExtraOption("names", str | None, "Names of the columns, separated by commas.", _DELIMITED, (), "NAMES"),
    ExtraOption("encoding", str | None, "Encoding of the text, such as latin-1.", _DELIMITED, (), "NAME"),
    ExtraOption("na", list[str] | None, "Word that means a missing value. Repeatable.", _DELIMITED, (), "WORD"),
    ExtraOption("decimal", str | None, "Decimal point: . or ,", _DELIMITED, (), "CHARACTER"),
    ExtraOption("quote", str | None, 'Character around fields; "" for none.', _DELIMITED, (), "CHARACTER"),
    ExtraOption(
        "day_first",
        bool | None,
        "Whether dates have the day before the month.",
        _DELIMITED,
        ("--day-first/--month-first",),
    ),
    ExtraOption("index_base", int, "Index of the first feature: 0 or 1.", _SVMLIGHT, metavar="INDEX", default=1),
)


def reading_from(options: dict[str, Any], source: str, format: str | None) -> tuple[Reading, TableEncoder | None]:
    """Take the options of ``READING`` and ``SCALING`` out of those of a subcommand.

    Returns how DATA is read, and the encoder that is to be fitted to it; None if DATA is not a table, or if its rows
    are hashed. Options that do not fit DATA are refused.
    """
    given = {option.name: options.pop(option.name, option.default) for option in (*READING, *SCALING)}
    is_table = find_format("scan", source, format).is_table
    for option in (*READING, *SCALING):
        if given[option.name] not in (option.default, []) and (option.panel != _SVMLIGHT) != is_table:
            needs = (
                "svmlight, but DATA is a table."
                if is_table
                else "a table, but DATA is not one. Use --format csv if it is."
            )
            raise input_error(source, f"{flag(option.name)} is an option of {needs}")
    words = _word_settings(given)
    reading = Reading(
        target=given["target"],
        features=tuple(given["features"]) if given["features"] else None,
        weight=given["weight"],
        text=tuple(given["text"] or ()),
        index_base=given["index_base"],
        exclude=tuple(given["exclude"] or ()),
        dialect=_dialect(given),
    )
    if not is_table:
        return reading, None
    if given["hash_bits"] is not None:
        for name in ("scale", "idf", "keep", "no_indicator", "max_categories"):
            if given[name]:
                raise input_error(flag(name), "this cannot be combined with --hash-bits. Leave one of them out.")
        hashing = HashingSettings(n_bits=given["hash_bits"], **words)
        return dataclasses.replace(reading, hashing=hashing, missing=given["missing"] or "error"), None
    encoder = TableEncoder(
        scale=given["scale"] or "standard",
        missing=_number_or_word(given["missing"] or "mean"),
        indicator=not given["no_indicator"],
        max_categories=10_000 if given["max_categories"] is None else given["max_categories"],
        keep=given["keep"],
        idf=given["idf"],
        **words,
    )
    return reading, encoder


def _word_settings(given: dict[str, Any]) -> dict[str, Any]:
    if given["norm"] not in (None, "l2"):
        raise input_error("--norm", f"the only norm is l2, not {quote(given['norm'])}.")
    words = re.fullmatch(r"(\d+)(?:-(\d+))?", given["ngrams"])
    if words is None:
        raise input_error("--ngrams", f"two numbers such as 1-2 are needed, not {quote(given['ngrams'])}.")
    ngram_range = int(words[1]), int(words[2] or words[1])
    return {"ngram_range": ngram_range} | {name: given[name] for name in ("binary", "sublinear_tf", "norm")}


def _dialect(given: dict[str, Any]) -> DialectOptions | None:
    """Return what was said about delimited text; None if nothing was."""
    names = None if given["names"] is None else tuple(name.strip() for name in given["names"].split(","))
    options = {name: given[name] for name in ("delimiter", "header", "encoding", "decimal", "quote", "day_first")}
    dialect = DialectOptions(**options, names=names, na=tuple(given["na"]) if given["na"] else None)
    return None if dialect == DialectOptions() else dialect


def _number_or_word(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def opening_from(format: str | None, attach: list[str] | None) -> dict[str, Any]:
    """Return the arguments of ``read`` and ``scan`` that say what DATA is."""
    pairs = [pair.partition("=") for pair in attach or ()]
    for name, equals, path in pairs:
        if not (name and equals and path):
            raise input_error("--attach", f"NAME=PATH is needed, not {quote(name + equals + path)}.")
    return {"format": format, "attach": {name: path for name, _, path in pairs} or None}


# ---- the parameters of learners ------------------------------------------------------------------------------------

_WITHOUT_NONE = {  # None cannot be given on the command line, where it means that the option is missing
    "; None for never": "; 1000000000 for never",
    "None means 1 and -1 all cores": "-1 means all cores",
}
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
        text = re.sub(pattern, replacement, _descriptions(cls).get(name, ("", ""))[1])
        for words, others in _WITHOUT_NONE.items():
            text = text.replace(words, others)
        groups.setdefault(text, []).append(learner)
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
    except (ValueError, RecursionError):
        return value
