"""Saving and loading models."""

from .frame import is_model_start as is_model_start
from .learners import LEARNERS as LEARNERS
from .learners import Learner as Learner
from .model_file import dumps as dumps
from .model_file import is_model as is_model
from .model_file import load as load
from .model_file import loads as loads
from .model_file import save as save
from .stored_record import save_record as save_record
