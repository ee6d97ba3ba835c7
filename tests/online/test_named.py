import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import novikoff as nk
from novikoff._learner_names import ONLINE
from novikoff.errors import InvalidInputError
from novikoff.online.named import named

NAMES = ["free", "offer", "lunch"]
X = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 3.0, 1.0]])


def learned(name):
    return ONLINE[name]().partial_fit(sp.csr_array(X), ["spam", "ham", "spam"])


@pytest.mark.parametrize("name", ONLINE)
def test_dicts_of_named_features_are_predicted_as_the_rows_are(name):
    learner = learned(name)
    copy = nk.loads(nk.dumps(named(learner, NAMES)))
    dicts = [dict(zip(NAMES, row, strict=True)) for row in X.tolist()]
    assert [copy.predict_one(row) for row in dicts] == learner.predict(X).tolist()
    assert copy.predict(pd.DataFrame(X, columns=NAMES)).tolist() == learner.predict(X).tolist()


@pytest.mark.parametrize("name", ["perceptron", "tracker"])
def test_the_copy_learns_new_features_and_the_original_stays_without_names(name):
    learner = learned(name)
    copy = named(learner, NAMES)
    copy.learn_one({"free": 1.0, "prize": 5.0}, "ham")
    assert copy.n_features_in_ == 4
    assert learner.n_features_in_ == 3
    assert not hasattr(learner, "feature_names_in_")


def test_later_names_are_left_out_and_missing_ones_refused():
    assert named(learned("arow"), [*NAMES, "later"]).feature_names_in_.tolist() == NAMES
    assert not hasattr(named(learned("arow"), []), "feature_names_in_")
    with pytest.raises(InvalidInputError, match="3 names"):
        named(learned("arow"), NAMES[:2])
