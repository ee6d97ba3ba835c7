"""Online learners on partitioned data by iterative parameter mixing (McDonald, Hall and Mann 2010).

In each round every partition runs the learner over its own rows, from the common weights, and the next common weights
are the mean of what the partitions end with, with shares in proportion to their mistakes. docs/theory.md I has the
bounds on the mistakes, and ``MixingCertificate`` states them.
"""

from __future__ import annotations

from novikoff._counts import counted
from novikoff.online.mixed_fit import MixedFit

from .mixing_pass import Pass, Task, end_rounds, mix_round
from .plan import Fit


def fit_mixing(fit: Fit) -> Warning | None:
    """Fit an online learner in rounds, until a round makes no mistake in any partition or ``max_iter`` were made.

    Parameters
    ----------
    fit : Fit
        The learner and its data.
    """
    labels, counts = fit.survey.classes(fit.where)
    mixed = MixedFit(fit.model, labels, counts, fit.survey.columns, fit.survey.rows)
    task = Task(mixed.rule, mixed.labels, mixed.class_weights, fit.survey.columns, mixed.problems, mixed.seed)
    totals: dict[int, tuple[float, int]] = {}
    while mixed.running:
        starts = {q: mixed.start(q) for q in mixed.running}
        outcomes = fit.rounds.run(mix_round, Pass(task, mixed.rounds, starts, totals))
        totals = {q: (outcome.mistakes, outcome.updates) for q, outcome in outcomes.items()}
        mistakes = mixed.after_round(outcomes)
        fraction = mixed.rounds / fit.model.max_iter
        fit.say(f"round {mixed.rounds}: {counted(mistakes, 'mistake')}", fraction if mixed.running else 1.0)
    every = {q: mixed.start(q) for q in range(mixed.problems)}
    finals = fit.rounds.run(end_rounds, Pass(task, mixed.rounds, every, totals))
    return mixed.finish([finals[q] for q in range(mixed.problems)])
