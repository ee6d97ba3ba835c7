"""``novikoff serve`` in a thread of the tests."""

import contextlib
import threading

from novikoff.serve.http.server import serve

SECONDS = 30  # for a start, and for a stop


@contextlib.contextmanager
def serving(app, settings):
    """Run the server of an application in another thread; yield its address, or raise why it does not start."""
    ready, addresses, errors = threading.Event(), [], []

    def announce(address):
        addresses.append(address)
        ready.set()

    def run():
        try:
            serve(app, settings, announce)
        except BaseException as error:
            errors.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert ready.wait(SECONDS)
        if not errors:
            yield addresses[0]
    finally:
        if app.state.service.stop_server is not None:
            app.state.service.stop_server()
        thread.join(SECONDS)
        assert not thread.is_alive()
    if errors:
        raise errors[0]
