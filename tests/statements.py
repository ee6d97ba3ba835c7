"""What the tests of statements of docs/theory.md do with a learner of two classes."""

import numpy as np


def vector(model):
    """v = (w, b), or w where there is no intercept."""
    w = model.coef_.ravel()
    return np.append(w, model.intercept_) if model.fit_intercept else w


def one_pass(model, X, y):
    return model.set_params(shuffle=False, max_iter=1).fit(X, y)


def started(model, X, y):
    """The model after the first example, the classes declared."""
    return model.partial_fit(X[:1], y[:1], classes=[-1.0, 1.0])


def halted(model, data, most):
    model.set_params(max_iter=int(most) + 2, fit_intercept=data.intercept).fit(data.X, data.y)
    assert model.certificate_.halted
    return model
