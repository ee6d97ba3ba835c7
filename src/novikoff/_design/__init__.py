"""The design of a logistic regression: rows, signs and names, from arrays, data frames, formulas and counts."""

from .design import Design as Design
from .design import design_of as design_of
