"""The clients, programs and peers of the suite `serve`."""
