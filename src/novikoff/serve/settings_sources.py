"""Where settings come from: defaults, a settings file, the environment and the command line, in this order."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from typing import Any

from novikoff.errors import file_error, input_error, quote, quote_first

from .settings import (
    SETTINGS,
    SHADOW_KEYS,
    SPECIFICATION_KEYS,
    ModelSettings,
    Settings,
    check_model_name,
    check_together,
)

PREFIX = "NOVIKOFF_SERVE_"
MODEL_KEYS = (*SPECIFICATION_KEYS, "shadows")
ALL = "'novikoff serve --help-all' lists all settings."
MAX_FILE_LENGTH = 1 << 24  # bytes of a settings file


def read_settings(given: Mapping[str, Any], environment: Mapping[str, str], file: str | None = None) -> Settings:
    """Return the settings in force.

    Parameters
    ----------
    given : mapping of str to object
        Settings of the command line, by name. None stands for one that is not given.
    environment : mapping of str to str
        The environment, of which variables that begin with ``NOVIKOFF_SERVE_`` are used.
    file : str, default=None
        A settings file in TOML; by default the one that ``NOVIKOFF_SERVE_SETTINGS`` names, if any.

    Raises
    ------
    InvalidInputError
        A setting is unknown or has a value that is not allowed.
    """
    variables = _variables(environment)
    file = file or variables.pop("settings", None)
    contents = {} if file is None else _contents(file)
    models = {} if file is None else _models(file, contents.pop("models", {}))
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, value in contents.items():
        if name not in SETTINGS:
            raise input_error(str(file), f"there is no setting named {quote(name)}. {ALL}")
        values[name] = SETTINGS[name].convert(value, f"{file}, {name}")
        sources[name] = str(file)
    for name, value in variables.items():
        if name not in SETTINGS:
            raise input_error(PREFIX + name.upper(), f"there is no setting of this name. {ALL}")
        values[name] = SETTINGS[name].convert(value, PREFIX + name.upper())
        sources[name] = PREFIX + name.upper()
    for name, value in given.items():
        if value is not None:
            option = "--" + name.replace("_", "-")
            values[name] = SETTINGS[name].convert(value, option)
            sources[name] = option
    settings = Settings(**values, models=models, sources=sources)
    check_together(settings)
    return settings


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the environment that are settings, by name. An empty one is not given."""
    found = {name: value for name, value in environment.items() if name.startswith(PREFIX) and value}
    return {name.removeprefix(PREFIX).lower(): value for name, value in found.items()}


def _contents(file: str) -> dict[str, Any]:
    try:
        with open(file, "rb") as opened:
            text = opened.read(MAX_FILE_LENGTH + 1)
        if len(text) > MAX_FILE_LENGTH:
            raise input_error(file, "the settings file is longer than 16 MiB. Give another file.")
        return tomllib.loads(text.decode("utf-8"))
    except OSError as error:
        raise file_error(file, error) from None
    except UnicodeDecodeError:
        raise input_error(file, "the settings file is not UTF-8 text. Save it as UTF-8.") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise input_error(file, f"the settings file is not valid TOML: {str(error).rstrip('.')}.") from None


def _models(file: str, tables: Any) -> dict[str, ModelSettings]:
    """Return the models of the tables ``[models.NAME]``."""
    if not isinstance(tables, dict):
        raise input_error(file, "models must be tables such as [models.NAME].")
    models = {}
    for name, table in tables.items():
        check_model_name(name)
        where = f"{file}, [models.{name}]"
        specification = _specification(where, table, MODEL_KEYS)
        shadows = specification.pop("shadows", {})
        if not isinstance(shadows, dict):
            raise input_error(where, f"shadows must be tables such as [models.{name}.shadows.NAME].")
        for shadow in shadows:
            check_model_name(shadow)
        models[name] = ModelSettings(
            specification, {s: _specification(f"{where}, {s}", t, SHADOW_KEYS) for s, t in shadows.items()}
        )
    return models


def _specification(where: str, table: Any, keys: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise input_error(where, "a table with the key learner is needed.")
    unknown = [key for key in table if key not in keys]
    if unknown:
        raise input_error(where, f"unknown keys: {quote_first(unknown)}. Known are {', '.join(keys)}.")
    if not isinstance(table.get("learner"), str):
        raise input_error(where, 'the key learner is missing. Write, for example, learner = "tracker".')
    return dict(table)
