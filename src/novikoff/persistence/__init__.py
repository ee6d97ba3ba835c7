"""Saving and loading models."""

from .learners import LEARNERS as LEARNERS
from .learners import Learner as Learner
from .model_file import is_model as is_model
from .model_file import load as load
from .model_file import save as save
