"""The HTML report of a fitted classifier. Importing it imports neither jinja2 nor plotly."""

from .document import page_of as page_of
from .document import report as report
from .subject import subject_of as subject_of
from .subject import with_held_out as with_held_out
from .verdict import verdict_of as verdict_of
