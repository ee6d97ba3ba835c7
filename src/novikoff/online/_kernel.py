"""The arguments of the compiled online learner."""

from __future__ import annotations

from typing import Any

from novikoff.theory.rules import Rule


def configuration_of(rule: Rule, buckets: int) -> tuple[Any, ...]:
    """Return the arguments of ``_core.OnlineLearner``; a rule without a compiled kernel is called for every example."""
    geometry, implementation = rule.geometry, rule.implementation()
    return (
        implementation.kernel or rule.name,
        float(rule.parameter),
        bool(geometry.fit_intercept),
        bool(geometry.normalize),
        float(geometry.slack_feature),
        rule.tie,
        rule.keep,
        buckets,
        implementation if implementation.kernel is None else None,
    )
