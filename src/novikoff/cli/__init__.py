"""The command line: one module per subcommand. It calls the library and prints; it decides nothing itself."""

import contextlib


def main() -> None:
    """Run the subcommand that the command line names. All else is imported in here, where a failure is a sentence."""
    from ._ending import INVALID_INPUT, check_memory_limit, end, interruptible_at_once, protected, release_interrupts
    from ._streams import prepare_streams

    prepare_streams()
    with contextlib.ExitStack() as last, protected():
        last.callback(release_interrupts)
        with interruptible_at_once():
            check_memory_limit()
            try:
                from ._app import start
            except ModuleNotFoundError as error:
                wanted = "Install it with: pip install 'novikoff[cli]'"
                end(f"the package {error.name} is not installed. {wanted}.", INVALID_INPUT)
            app = start()
        app(prog_name="novikoff")
