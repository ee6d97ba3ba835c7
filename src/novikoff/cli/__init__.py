"""The command line: one file a verb."""

from ._app import main as main
