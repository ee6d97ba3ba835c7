"""novikoff serve: models over HTTP that predict while they learn."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from novikoff.errors import input_error, missing_package
from novikoff.serve.http.addresses import check_address, warnings_about
from novikoff.serve.http.roles import role_of
from novikoff.serve.http.tls import tls_context
from novikoff.serve.http.tokens import Tokens, add_token
from novikoff.serve.settings import SETTINGS, Setting, Settings, shown
from novikoff.serve.settings_sources import read_settings

from ._options import ExtraOption, Json
from ._output import Line, print_lines, print_message, print_result


class SettingOptions:
    """The settings of the server as options."""

    def all(self) -> list[ExtraOption]:
        """Return one option per setting."""
        return [_option(setting) for setting in SETTINGS.values()]

    def needed(self, function: Callable[..., None], words: Sequence[str]) -> list[ExtraOption]:
        """Return all options: none of them imports anything."""
        return self.all()


def _option(setting: Setting) -> ExtraOption:
    metavar = "|".join(setting.choices) or setting.metavar
    default = None if setting.default is None else shown(setting.default, setting.kind)
    return ExtraOption(setting.name, str | None, setting.help, setting.group, (), metavar, shown_default=default)


OPTIONS = SettingOptions()


def serve(
    settings: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Settings file in TOML, which may also list models. The environment variables NOVIKOFF_SERVE_* and "
            "the options below take precedence over it.",
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", metavar="", help="Print the settings in force and where they come from.")
    ] = False,
    new_token: Annotated[
        str | None,
        typer.Option(
            metavar="ROLE",
            help="Make a token with the role predict, learn or admin, print it, add its hash to the file of --tokens, "
            "and exit.",
        ),
    ] = None,
    json: Json = False,
    **options: Any,
) -> None:
    """Serve models over HTTP that predict while they learn, with a log of every example.

    The server listens on loopback, port 8765, unless told otherwise; its page is at / and its manual at /docs.
    SIGTERM and Ctrl-C stop it after all that was accepted has been written. docs/server.md describes the calls, and
    docs/settings.md the settings.
    """
    found = read_settings(options, os.environ, settings)
    if new_token is not None:
        _print_new_token(found, new_token, json)
        return
    if found.state is None:
        raise input_error("serve", "state= is needed, the directory of the log and the snapshots.")
    if os.path.exists(found.state) and not os.path.isdir(found.state):
        raise input_error("serve", f"state={found.state} is a file. Give a directory, or a name that is not in use.")
    _check_models(found)
    if check:
        _print_settings(found, json)
        return
    _serve(found)


def _check_models(settings: Settings) -> None:
    """Refuse learners and parameters that the server could not make models of."""
    try:
        from novikoff.serve.engine.specification import Specification
        from novikoff.serve.errors import ServeError
    except ModuleNotFoundError:  # the server itself needs more than --check does
        return
    given = [(settings.source("learner"), {"learner": settings.learner})]
    for name, model in settings.models.items():
        given.append((f"[models.{name}]", model.specification))
        given += [(f"[models.{name}.shadows.{shadow}]", own) for shadow, own in model.shadows.items()]
    for where, specification in given:
        try:
            Specification.of(specification)
        except ServeError as error:
            raise input_error(where, error.message) from None


def _print_new_token(settings: Settings, word: str, json: bool) -> None:
    role = role_of(word, "--new-token")
    if settings.tokens is None:
        raise input_error("--new-token", "tokens= is needed, the file that the hash of the token is added to.")
    token = add_token(settings.tokens, role)
    result = {"token": token, "role": role.word, "tokens": settings.tokens}
    print_result(result, json, [("token", token), ("role", role.word), ("tokens", settings.tokens)])


def _print_settings(settings: Settings, json: bool) -> None:
    """Print the settings as the server would use them, after all checks that need no other package."""
    check_address(settings)
    tls_context(settings)
    if settings.tokens is not None:
        Tokens(settings.tokens)
    lines: list[Line] = []
    result: dict[str, Any] = {}
    for name, setting in SETTINGS.items():
        value, source = getattr(settings, name), settings.source(name)
        result[name] = {"value": value, "source": source}
        lines.append((name, f"{shown(value, setting.kind)}  ({source})"))
    result["models"] = {name: model.specification for name, model in settings.models.items()}
    lines += [(f"models.{name}", model.specification["learner"]) for name, model in settings.models.items()]
    print_result(result, json, lines)


def _serve(settings: Settings) -> None:
    try:
        from novikoff.serve.app import create_app
        from novikoff.serve.http.server import serve as run
    except ModuleNotFoundError as error:
        raise missing_package("serve", error.name, "serve") from None
    app = create_app(settings)
    for sentence in warnings_about(settings):
        print_message(f"warning: {sentence}")

    def announce(address: str) -> None:
        print_lines(f"novikoff serves {settings.state} on {address}")
        sys.stdout.flush()

    run(app, settings, announce)
