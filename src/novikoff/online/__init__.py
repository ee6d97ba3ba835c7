"""Online learners: one algorithm per module."""

from ._classifier import OnlineClassifier as OnlineClassifier
from ._halting import NotHaltedWarning as NotHaltedWarning
from ._halting import impossible_margin as impossible_margin
from ._stopping import stopped_in_words as stopped_in_words
from .averaged_perceptron import AveragedPerceptron as AveragedPerceptron
from .margin_perceptron import MarginPerceptron as MarginPerceptron
from .passive_aggressive import PassiveAggressive as PassiveAggressive
from .passive_aggressive import PassiveAggressiveI as PassiveAggressiveI
from .passive_aggressive import PassiveAggressiveII as PassiveAggressiveII
from .perceptron import Perceptron as Perceptron
from .voted_perceptron import VotedPerceptron as VotedPerceptron
