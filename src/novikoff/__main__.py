"""The command line as ``python -m novikoff``."""

from novikoff.cli import main

main()
