"""Pictures, in the manner of scikit-learn's displays; they need matplotlib, ``pip install 'novikoff[plot]'``."""

from .boundary import BoundaryDisplay as BoundaryDisplay
from .gap import GapDisplay as GapDisplay
from .margins import MarginDisplay as MarginDisplay
from .mistakes import MistakesDisplay as MistakesDisplay
from .weights import WeightsDisplay as WeightsDisplay
