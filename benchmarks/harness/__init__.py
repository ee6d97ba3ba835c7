"""What all suites share: the contract, timing, the machine, results."""

from .race import Limit, Timed, interleave
from .session import Session
from .suite import Suite
from .worker import Worker

__all__ = ["Limit", "Session", "Suite", "Timed", "Worker", "interleave"]
