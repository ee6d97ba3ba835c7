"""The data of the suites."""
