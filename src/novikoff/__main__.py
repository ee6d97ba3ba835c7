"""The command line as ``python -m novikoff``."""

from .cli import main

main()
