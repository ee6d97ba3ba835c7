"""A model and its certificate as one HTML file that needs no network."""

from .document import report as report
