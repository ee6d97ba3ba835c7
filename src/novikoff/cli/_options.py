"""Options that several subcommands share."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from novikoff.data.bad_lines import SKIP, STOP
from novikoff.data.delimited.dialect import DialectOptions
from novikoff.data.encoding.encoder import TableEncoder
from novikoff.data.formats import file_formats, find_format
from novikoff.data.reading import HashingSettings, Reading
from novikoff.errors import input_error, quote

from ._output import flag

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
OnBad = Annotated[str, typer.Option(metavar="HOW", help="What to do about a malformed line of text: stop or skip.")]
Exact = Annotated[
    bool, typer.Option("--exact", metavar="", help="Use exact arithmetic where rounding would leave a claim open.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", metavar="", help="Show no progress and no notes.")]
MissingColumns = Annotated[
    str,
    typer.Option(
        metavar="error|impute",
        help="What to do if DATA lacks columns of the model, or has columns of numbers with other values.",
    ),
]
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


def with_options(
    options: Iterable[ExtraOption], others: Callable[[], Iterable[ExtraOption]] = tuple
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add options to a subcommand whose last parameter is ``**options``; messages may mention ``others``, too."""

    def extended(function: Callable[..., None]) -> Callable[..., None]:
        named = list(inspect.signature(function, eval_str=True).parameters.values())[:-1]
        added = [option.parameter() for option in options]

        @functools.wraps(function)
        def called(*arguments: Any, **values: Any) -> None:
            function(*arguments, **values)

        called.__signature__ = inspect.Signature([*named, *added])  # type: ignore[attr-defined]  # inspect looks for it
        called.__annotations__ = {p.name: p.annotation for p in [*named, *added]} | {"return": None}
        called.other_options = others  # type: ignore[attr-defined]  # for the messages of _output.py
        return called

    return extended


# ---- how files become rows -----------------------------------------------------------------------------------------

_TABLES, _TEXT, _SVMLIGHT = "Options of tables", "Options of texts", "Options of svmlight"
_DELIMITED = "Options of delimited text (judged by the text itself by default)"
SCALES_OF_LEARNERS = ("running", "centred")
SCALING = (
    ExtraOption(
        "scale",
        str | None,
        "Units of numbers: standard, none, maxabs, minmax or robust; or running, or centred in a stream: an online "
        "learner scales all columns, also those of svmlight, while it learns.",
        _TABLES,
        metavar="HOW",
        shown_default="standard",
    ),
)
READING = (
    ExtraOption(
        "target",
        str | None,
        "Column of the labels: its name, its number (from 1, or from -1 at the end), first or last.",
        _TABLES,
        metavar="COLUMN",
        shown_default="y, label, target or class",
    ),
    ExtraOption(
        "features",
        list[str] | None,
        "Feature columns: a,b or 3-7. Repeatable.",
        _TABLES,
        (),
        "COLUMN",
        None,
        "all others",
    ),
    ExtraOption(
        "exclude", list[str] | None, "Columns that are not read: a,b or 3-7. Repeatable.", _TABLES, (), "COLUMN"
    ),
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
    ExtraOption("text", list[str] | None, "Columns of texts, to be split into words. Repeatable.", _TEXT, (), "COLUMN"),
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
    are hashed. Options that do not fit DATA are refused. A scale of the learner remains among the options, and the
    encoder then leaves the numbers as they are.
    """
    given = {option.name: options.pop(option.name, option.default) for option in (*READING, *SCALING)}
    scales_in_learner = given["scale"] in SCALES_OF_LEARNERS
    if scales_in_learner:
        options["scale"], given["scale"] = given["scale"], None
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
        scale="none" if scales_in_learner else given["scale"] or "standard",
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


def opening_from(format: str | None, attach: list[str] | None, on_bad: str = STOP, data: str = "") -> dict[str, Any]:
    """Return the arguments of ``read`` and ``scan`` that say what DATA is, and what its malformed lines mean."""
    pairs = [pair.partition("=") for pair in attach or ()]
    for name, equals, path in pairs:
        if not (name and equals and path):
            raise input_error("--attach", f"NAME=PATH is needed, not {quote(name + equals + path)}.")
    opening = {"format": format, "attach": {name: path for name, _, path in pairs} or None}
    if on_bad == STOP:
        return opening
    if on_bad != SKIP:
        raise input_error("--on-bad", f"skip or stop is needed, not {quote(on_bad)}.")
    found = find_format("scan", data, format)
    if "on_bad" not in found.options:
        message = f"lines can be skipped in svmlight, CSV, TSV and NDJSON, but DATA is {found.name}."
        raise input_error("--on-bad", message)
    return opening | {"on_bad": on_bad}
