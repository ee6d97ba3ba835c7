"""Displays of fitted classifiers, in the manner of scikit-learn.

They need matplotlib, ``pip install 'novikoff[plot]'``, which is imported when a display is drawn.
"""

from .boundary import BoundaryDisplay as BoundaryDisplay
from .gap import GapDisplay as GapDisplay
from .losses import LossDisplay as LossDisplay
from .margins import MarginDisplay as MarginDisplay
from .mistakes import MistakesDisplay as MistakesDisplay
from .steps import StepsDisplay as StepsDisplay
from .trace import TraceDisplay as TraceDisplay
from .weights import WeightsDisplay as WeightsDisplay
