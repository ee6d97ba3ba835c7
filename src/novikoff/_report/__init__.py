"""The HTML report of a fitted classifier. Importing it imports neither jinja2 nor plotly."""

from .document import report as report
