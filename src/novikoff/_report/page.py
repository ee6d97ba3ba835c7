"""The HTML page: template, scripts and content security policy. Imports jinja2 and plotly."""

from __future__ import annotations

import base64
import hashlib
import re
from importlib import resources
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from novikoff._counts import count
from novikoff._html import escaped
from novikoff._printable import printable
from novikoff._version import __version__
from novikoff.errors import input_error

from .figures.figure import Figures
from .subject import WHERE


def render(figures: Figures, **context: Any) -> str:
    """Fill in the template, which escapes all values.

    Parameters
    ----------
    figures : Figures
        The figures.
    **context : object
        The other variables of ``templates/page.html``.
    """
    try:
        numbers = htmlsafe_json_dumps(
            {f"figure-{figure.name}": {"data": figure.data, "layout": figure.layout} for figure in figures},
            allow_nan=False,
            separators=(",", ":"),
        )
    except ValueError:
        raise input_error(WHERE, "some scores are too large to be drawn. Scale the columns of X.") from None
    plotly, script = _inline(get_plotlyjs()), _inline(_source("page.js"))
    allowed = " ".join(f"'sha256-{_digest(text)}'" for text in (plotly, script))
    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        finalize=_visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count"] = count
    environment.filters["breakable"] = _breakable
    return environment.get_template("page.html").render(
        figures=figures,
        numbers=numbers,
        plotly=Markup(plotly),
        policy=f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'",
        script=Markup(script),
        version=__version__,
        **context,
    )


def _visible(value: Any) -> Any:
    """Return text with control characters as visible escapes; the template escapes it as HTML afterwards."""
    return printable(value, keep="\n") if isinstance(value, str) and not isinstance(value, Markup) else value


def _breakable(name: str) -> Markup:
    """Return a name as text that may be broken into lines after punctuation."""
    return Markup(re.sub(r"(?<=[._/:-])(?=\w)", "<wbr>", escaped(name)))


def _source(name: str) -> str:
    return resources.files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _inline(script: str) -> str:
    """Return a script that can stand in a page: with normal line ends, and without ``</script``."""
    return re.sub(r"</(?=script)", r"<\\/", script.replace("\r\n", "\n").replace("\r", "\n"), flags=re.IGNORECASE)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
