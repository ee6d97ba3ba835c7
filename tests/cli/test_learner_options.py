"""Which learners a command line needs."""

import pytest

from novikoff.cli import fit, stream


@pytest.mark.parametrize(
    ("call", "imports_all"),
    [
        (["fit", "DATA", "--learner", "perceptron", "--passes", "3", "--json"], False),
        (["fit", "DATA", "--learner=perceptron", "-q", "--format", "svmlight", "--no-header"], False),
        (["stream", "DATA", "--epsilon", "0.5"], True),  # of another learner, which the message names
        (["stream", "DATA", "--learner", "linear-svm"], True),
        (["fit", "DATA", "--help"], False),
        (["fit", "DATA", "--help-all"], True),
        (["fit", "DATA", "-qomodel.nvk"], True),  # not taken apart
    ],
)
def test_learners_are_imported_if_the_command_line_may_need_them(call, imports_all):
    module = {"fit": fit, "stream": stream}[call[0]]
    needed = module.OPTIONS.needed(getattr(module, call[0]), call)
    assert {option.name for option in needed} <= {option.name for option in module.OPTIONS.all()}
    assert ({"margin", "epsilon"} <= {option.name for option in needed}) is imports_all
