"""The multiclass strategy of a support vector machine: named by ``multi_class``, or chosen by the size of the data."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from novikoff._multiclass import (
    AUTO,
    BATCH_STRATEGIES,
    STRATEGIES,
    MulticlassStrategy,
    auto_strategy,
    strategy_of_classes,
)
from novikoff._validation import check_choice
from novikoff.errors import input_error
from novikoff.solvers.training_set import TrainingSet


def check_multi_class(where: str, estimator: Any) -> str:
    """Validate ``multi_class``, and that the loss is one that it can minimise."""
    name = check_choice(where, "multi_class", estimator.multi_class, (AUTO, *BATCH_STRATEGIES))
    if name == "crammer_singer" and estimator.loss != "hinge":
        raise input_error(
            where,
            f'multi_class="crammer_singer" minimises the hinge loss only. Use loss="hinge" instead of '
            f'loss="{estimator.loss}", or multi_class="ovo".',
        )
    return name


def choose_strategy(name: str, data: TrainingSet) -> MulticlassStrategy:
    """Return the strategy of this name for the classes of a data set."""
    if name == AUTO:
        rows, columns = data.X.shape
        name = auto_strategy(len(data.classes), rows, columns, sp.issparse(data.X))
    return STRATEGIES[strategy_of_classes(name, len(data.classes))](data.classes, data.counts)
