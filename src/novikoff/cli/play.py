"""novikoff play: the playground, in the browser."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from novikoff._atomic import replacing
from novikoff._play import playground

from ._options import Json
from ._output import Line, check_output, print_result


def play(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the page here, and open nothing."),
    ] = None,
    json: Json = False,
) -> None:
    """Open the playground in the browser: learners step by step, with the theorems that hold for them.

    The page is one file, which needs no network. Without --output it is written to a temporary folder, where it stays
    until the system cleans up, because the browser reads it after this command has ended.
    """
    check_output("play", output)
    path = output if output is not None else str(Path(tempfile.mkdtemp(prefix="novikoff-")) / "playground.html")
    with replacing(path) as file:
        file.write(playground().encode())
    is_open = output is None and _open(Path(path).absolute().as_uri())
    lines: list[Line] = [("playground", path)]
    if output is None:
        lines.append(("browser", "opened" if is_open else "none was found; open the file in a browser"))
    print_result({"playground": path, "opened": is_open}, json, lines)


def _open(address: str) -> bool:
    """Open an address in the browser of the user, and return whether there is one."""
    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False
