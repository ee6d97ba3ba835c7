"""The command line: one module per subcommand. It calls the library and prints; it decides nothing itself."""

try:
    from ._app import main as main
except ImportError as error:
    error.add_note("The command line needs more than the library: pip install 'novikoff[cli]'.")
    raise
