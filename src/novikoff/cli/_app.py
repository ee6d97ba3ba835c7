"""The verbs as one application."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Collection
from importlib import import_module
from typing import Annotated, Any

import typer

HELP = """Linear classifiers that keep their promises: fit, check, and look at them.

DATA is a file of svmlight, CSV, TSV, NDJSON, Parquet or Arrow, compressed or not, a pattern such as 'clicks/*.parquet',
SQL such as "SELECT ... FROM 'clicks.parquet'", or - for standard input.

Exit codes: 0, done or proved; 1, a negative verdict; 2, bad use or bad data; 70, a fault of novikoff; 130, interrupted.
"""
VERBS = {  # the first lines of what they say of themselves
    "fit": "Learn a model from DATA, and prove what it is worth.",
    "predict": "Predict the labels of DATA, a line for each row.",
    "score": "Predict DATA, and say how good that was.",
    "stream": "Predict each row of DATA, then learn from it, and count the mistakes, in one pass.",
    "certify": "Check what MODEL claims against the DATA it learned from, without the code that made it.",
    "separable": "Say whether a plane separates the two classes of DATA, with proof.",
    "inspect": "Show what MODEL is: learner, parameters, classes, certificate, largest weights.",
    "report": "Write one HTML page about MODEL, with pictures and the check of its certificate.",
    "convert": "Convert data between formats, and models to and from those of other programs.",
}


def application(wanted: Collection[str] = VERBS) -> typer.Typer:
    """The application. Only the verbs that are wanted are imported; of the others there is just the name."""
    app = typer.Typer(
        name="novikoff",
        help=HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, line in VERBS.items():
        app.command(name, short_help=line)(_imported(name) if name in wanted else _nothing)
    return app


def _print_version(asked: bool) -> None:
    if asked:
        from novikoff import __version__

        typer.echo(f"novikoff {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What all verbs share: nothing but the version."""


def _nothing() -> None:
    """Stand in for a verb that is not called."""


def _imported(name: str) -> Callable[..., Any]:
    from ._start import import_quickly

    import_quickly()
    from ._output import verb

    return verb(getattr(import_module(f"{__package__}.{name}"), name))


def main() -> None:
    """Run the verb that the command line names."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # what reads our output may have seen enough
    completing = any(name.endswith("NOVIKOFF_COMPLETE") for name in os.environ)
    verb = next((word for word in sys.argv[1:] if word in VERBS), None)
    gc.disable()  # of what is imported nothing is garbage, now or later
    try:
        app = application(VERBS if completing else () if verb is None else (verb,))
        gc.freeze()
        gc.enable()
        app()
    except KeyboardInterrupt:  # while a verb was still being imported
        sys.exit(130)
