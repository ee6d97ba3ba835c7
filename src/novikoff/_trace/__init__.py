"""The run of a perceptron as a table of its updates, beside the inequalities of the mistake bound."""

from .follow import trace as trace
from .steps import Trace as Trace
