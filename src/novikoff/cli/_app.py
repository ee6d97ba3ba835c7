"""The subcommands as one typer application."""

from __future__ import annotations

import gc
import inspect
import os
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Annotated, Any, get_args

import typer
import typer.core

from novikoff._printable import printable

from ._ending import replace_exit_code

UsageError: Any = typer.BadParameter.__base__  # of click, which typer contains or needs, by its version
PLAIN_FORMS: dict[type, str] = {
    str: r"(?s:.*)",
    int: r"[+-]?[0-9]{1,18}",
    float: r"[+-]?[0-9]{1,18}(\.[0-9]{0,18})?([eE][+-]?[0-9]{1,3})?",
}  # of words that Python converts as typer does
MAX_COMMON_HELP = 60  # characters about an option in the help that shows the common ones
HELP = """Fit linear classifiers, and check the certificates that come with them.

DATA is a file of svmlight, CSV, TSV, NDJSON, JSON, Parquet or Arrow, compressed or not; a pattern such as
'clicks/*.parquet'; an SQL query such as "SELECT ... FROM 'clicks.parquet'"; or - for standard input.

Exit codes: 0 success, or the claims hold; 1 negative verdict, and nothing else; 2 usage error, invalid input, output
that cannot be written, or out of memory; 70 internal error; 130 interrupted.
"""


@dataclass(frozen=True)
class Subcommand:
    """What the help of ``novikoff`` itself says of a subcommand, whose module need not be imported for that.

    Parameters
    ----------
    summary : str
        One line.
    examples : tuple of str
        Command lines without the leading ``novikoff``. A test runs them all, in the order of ``SUBCOMMANDS``.
    common : str, default=""
        The options that ``--help`` shows, in this order, if only ``--help-all`` shows all of them.
    """

    summary: str
    examples: tuple[str, ...]
    common: str = ""


SUBCOMMANDS = {
    "fit": Subcommand(
        "Fit a model to DATA, and print its accuracy on held-out rows and what its certificate claims.",
        (
            "fit tumours.csv -o model.nvk",
            "fit tumours.csv --cv 5 --C-max 0.001 -o chosen.nvk",
            "fit tumours.csv --learner averaged-perceptron --passes 50",
        ),
        "--output --target --exclude --missing --scale --learner --C --class-weight --cv --holdout --quiet --json",
    ),
    "predict": Subcommand(
        "Predict the labels of DATA, one per line.",
        ("predict model.nvk tumours.csv -o predictions.txt", "predict model.nvk tumours.csv --scores -o scores.txt"),
    ),
    "score": Subcommand(
        "Compare the predictions of MODEL with the labels of DATA.",
        ("score model.nvk tumours.csv", "score model.nvk tumours.csv --json"),
    ),
    "stream": Subcommand(
        "Learn from DATA in one pass: predict each row, then learn from it.",
        ("stream tumours.csv -o online.nvk", "stream tumours.csv -o online.nvk --resume"),
        "--output --input --resume --target --exclude --hash-bits --scale --learner --follow --every --window "
        "--alarm --save-every --on-bad --quiet --json",
    ),
    "certify": Subcommand(
        "Check what MODEL claims against the DATA it was fitted to, without the code that fitted it.",
        ("certify model.nvk tumours.csv", "certify model.nvk tumours.csv --exact"),
    ),
    "separable": Subcommand(
        "Decide whether the maximum likelihood estimate of a logistic regression of DATA exists, with proof.",
        ("separable tumours.csv", "separable tumours.csv --positive malignant --exact"),
        "--positive --exact --no-fit-intercept --counts --target --features --exclude --weight --missing --json",
    ),
    "inspect": Subcommand(
        "Show the learner, parameters, classes, certificate and largest weights of MODEL.",
        ("inspect model.nvk", "inspect model.nvk --top 3"),
    ),
    "report": Subcommand(
        "Write an HTML page about MODEL, with figures and the check of its certificate.",
        ("report model.nvk tumours.csv -o report.html",),
    ),
    "play": Subcommand(
        "Open the playground in the browser: learners step by step, with the theorems that hold for them.",
        ("play -o playground.html",),
    ),
    "convert": Subcommand(
        "Convert data between formats, and models to and from those of other programs.",
        ("convert tumours.csv tumours.parquet", "convert model.nvk model.json"),
        "--to --format --target --features --exclude --weight --text --delimiter --header --names --index-base --json",
    ),
    "serve": Subcommand(
        "Serve models over HTTP that predict while they learn, with a log of every example.",
        (
            "serve --tokens tokens.txt --new-token admin",
            "serve --state models --check",
            "serve --state models --tokens tokens.txt --port 9000 --check",
        ),
        "--state --host --port --tokens --new-token --settings --check --learner --json",
    ),
    "log": Subcommand(
        "Check, show, replay, export or compact the log of a server, which has every example that it learned.",
        (
            "log verify models",
            "log show models --last 3",
            "log replay models --learner arow --parameter r=0.5 -o arow.nvk",
            "log export models -o examples.ndjson",
            "log compact models",
        ),
    ),
}


def application(wanted: Collection[str] = SUBCOMMANDS, words: Sequence[str] | None = None) -> typer.Typer:
    """Return the application.

    Parameters
    ----------
    wanted : collection of str, default=SUBCOMMANDS
        The subcommands to import. The others have a name and a summary.
    words : sequence of str or None, default=None
        The command line, if options of learners that it does not name are not needed.
    """
    app = typer.Typer(
        name="novikoff",
        help=_paragraphs(HELP),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        cls=_Group,
    )
    app.callback()(_options)
    for name, subcommand in SUBCOMMANDS.items():
        # typer joins the lines of a paragraph, so each example is a paragraph
        epilog = "\n\n".join(["Examples:", *(f"  novikoff {example}" for example in subcommand.examples)])
        function = _imported(name, words) if name in wanted else _not_imported
        help = _paragraphs(inspect.getdoc(function) or "")
        texts: dict[str, Any] = {"help": help, "short_help": subcommand.summary, "epilog": epilog}
        names = ["-h", "--help", *["--help-all"] * bool(subcommand.common)]
        app.command(name, cls=_Command, context_settings={"help_option_names": names}, **texts)(function)
    return app


class _QuickValues:
    """A command that converts words and plain numbers itself, and takes options that are not given as they are.

    typer has them converted by pydantic, which takes as long to import as NumPy. What is not a plain number is left to
    it, and so are its messages.
    """

    callback: Callable[..., Any] | None
    get_params: Callable[[Any], list[Any]]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        signature = inspect.signature(self.callback or _not_imported, eval_str=True)
        kinds = {name: parameter.annotation for name, parameter in signature.parameters.items()}
        for parameter in self.get_params(ctx):
            parameter.process_value = partial(_value, parameter.process_value, parameter, kinds.get(parameter.name))
        parsed: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]  # a class of typer follows
        return parsed


def plain_value(annotation: Any, word: str) -> Any:
    """Return a word as the type of an option; None if typer must convert it, because of its form, type or limits."""
    kind, *details = get_args(annotation) or (None,)
    if any(getattr(detail, end, None) is not None for detail in details for end in ("min", "max")):
        return None
    plain = next((plain for plain in PLAIN_FORMS if kind in (plain, plain | None)), None)
    return plain(word) if plain is not None and re.fullmatch(PLAIN_FORMS[plain], word) else None


def _value(convert: Callable[[Any, Any], Any], parameter: Any, annotation: Any, ctx: Any, given: Any) -> Any:
    """Return the value of a parameter, converted only if it needs to be. Values of other types are defaults."""
    if given is None and not parameter.required:
        value: Any = () if getattr(parameter, "multiple", False) else None
    elif isinstance(given, bool | int | float):
        value = given
    else:
        value = plain_value(annotation, given) if isinstance(given, str) else None
        if value is None:
            return convert(ctx, given)
    return value if parameter.callback is None else parameter.callback(ctx, parameter, value)


class _Command(_QuickValues, typer.core.TyperCommand):
    """A subcommand. If it has common options, ``--help`` shows only these, and only the summary of what it does."""

    shows_all = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        self.shows_all = "--help-all" in args
        return super().parse_args(ctx, args)

    def get_help_option_names(self, ctx: Any) -> list[str]:
        return list(ctx.help_option_names)  # in order

    def format_help(self, ctx: Any, formatter: Any) -> None:
        shown: Any = self
        common = SUBCOMMANDS[self.name or ""].common.split()
        if common and not self.shows_all:
            shown = copy(self)
            shown.add_help_option = False
            shown.help = (self.help or "").partition("\n\n")[0]
            shown.epilog = f"{self.epilog}\n\n{ctx.command_path} --help-all shows all options."
            options = {p.opts[0]: p for p in self.params}
            arguments = [p for p in self.params if p.param_type_name == "argument"]
            shown.params = [copy(p) for p in [*arguments, *(options[name] for name in common if name in options)]]
            for parameter in shown.params:
                parameter.rich_help_panel = None
                text = parameter.help or ""
                parameter.help = textwrap.shorten(text, MAX_COMMON_HELP, placeholder=" ...", break_on_hyphens=False)
        super(_Command, shown).format_help(ctx, formatter)


class _Group(_QuickValues, typer.core.TyperGroup):
    """The subcommands. What errors of usage quote of the command line is escaped, since shells expand file names."""

    def make_context(self, *arguments: Any, **values: Any) -> Any:
        with _visible_usage_errors():
            return super().make_context(*arguments, **values)

    def invoke(self, ctx: Any) -> Any:
        with _visible_usage_errors():
            return super().invoke(ctx)


@contextmanager
def _visible_usage_errors() -> Iterator[None]:
    try:
        yield
    except UsageError as error:
        error.message = printable(error.message)
        raise


def _paragraphs(text: str) -> str:
    """Remove line breaks within paragraphs, which typer would keep."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _print_version(asked: bool) -> None:
    if asked:
        from novikoff import __version__

        typer.echo(f"novikoff {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, metavar="", help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Options of ``novikoff`` itself."""


def _not_imported() -> None:
    """Stand for a subcommand that is not called."""


def _imported(name: str, words: Sequence[str] | None) -> Callable[..., Any]:
    from ._start import start_quickly

    start_quickly()
    from ._output import subcommand

    module = import_module(f"{__package__}.{name}")
    function = getattr(module, name)
    if hasattr(module, "OPTIONS"):
        from ._options import with_options

        needed = module.OPTIONS.all() if words is None else module.OPTIONS.needed(function, words)
        function = with_options(needed, others=module.OPTIONS.all)(function)
    return subcommand(function)


def start() -> Callable[..., Any]:
    """Return the application with the subcommand that the command line names."""
    completing = any(name.endswith("NOVIKOFF_COMPLETE") for name in os.environ)
    called = next((word for word in sys.argv[1:] if word in SUBCOMMANDS), None)
    gc.disable()  # imports create many objects and no garbage
    words = None if completing else sys.argv[1:]
    app = application(SUBCOMMANDS if completing else () if called is None else (called,), words)
    if called is not None:
        replace_exit_code()
    gc.freeze()
    gc.enable()
    return app
