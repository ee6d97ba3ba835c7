"""The step of all methods: each problem has its own command, and all advance in the same round."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from ..block import Block
from ..rounds import Rounds
from .cocoa import CocoaCommand, cocoa_step
from .disaggregation import AdoptCommand, GroupCommand, adopt_step, group_step
from .duals import DualsCommand, MeasureCommand, duals_step, measure_step
from .newton import NewtonCommand, newton_step
from .rows import SampleCommand, sample_step
from .setup import LocalProblem, State

STEPS: dict[type, Callable[[LocalProblem, Any, Any], tuple[Any, Any]]] = {
    SampleCommand: sample_step,
    NewtonCommand: newton_step,
    GroupCommand: group_step,
    AdoptCommand: adopt_step,
    CocoaCommand: cocoa_step,
    DualsCommand: duals_step,
    MeasureCommand: measure_step,
}


def advance(block: Block, state: State, commands: dict[int, Any]) -> tuple[State, dict[int, Any]]:
    """Advance some problems on one partition: a step, whose command has one entry per problem."""
    problems, replies = dict(state.problems), {}
    for place, command in commands.items():
        problem = LocalProblem(block, state, place)
        problems[place], replies[place] = STEPS[type(command)](problem, problems.get(place), command)
    return State(state.setup, state.first, state.codes, state.costs, problems), replies


def run_together(
    rounds: Rounds, solvers: list[Generator[Any, Any, Any]], count: Callable[[int], None], most: int
) -> list[Any]:
    """Run the solvers of all problems, one round for all that have begun and are not done.

    Parameters
    ----------
    rounds : Rounds
        The data.
    solvers : list of generator
        Each yields commands, is sent the sums of their replies, and returns its result.
    count : callable
        Is called with the place of each problem that takes part in a round.
    most : int
        The number of problems that advance at the same time. The next one begins when one is done.
    """
    waiting = iter(range(len(solvers)))
    results: list[Any] = [None] * len(solvers)
    commands: dict[int, Any] = {}

    def ask(place: int, reply: Any) -> None:
        try:
            commands[place] = solvers[place].send(reply)
        except StopIteration as end:
            results[place] = end.value
            commands.pop(place, None)

    def begin_others() -> None:
        while len(commands) < most and (place := next(waiting, None)) is not None:
            ask(place, None)

    begin_others()
    while commands:
        for place in commands:
            count(place)
        replies = rounds.run(advance, dict(commands))
        for place in list(commands):
            ask(place, replies[place])
        begin_others()
    return results
