"""A fit is published at once: other threads see the machine before it or the machine after it."""

import pickle
import threading

import numpy as np
import pytest

import novikoff as nk
from stress import Crew

RNG = np.random.default_rng(0)
SETS = []
for classes in (2, 3, 4):
    rows, labels = RNG.normal(size=(12 * classes, 4)), np.arange(12 * classes) % classes
    rows[np.arange(len(labels)), labels] += 6
    SETS.append((rows, labels))
MACHINES = {
    "one-vs-one": lambda: nk.LinearSVM(n_jobs=1),
    "one-vs-rest": lambda: nk.LinearSVM(multi_class="ovr", n_jobs=1),
    "hard margin": lambda: nk.HardMarginSVM(n_jobs=1),
}


@pytest.mark.parametrize("kind", MACHINES)
def test_what_is_read_during_fits_is_one_of_the_machines(kind):
    model = MACHINES[kind]().fit(*SETS[0])
    X, counter, seen = SETS[0][0][:5], iter(range(10**9)), set()
    expected = {}
    for rows, labels in SETS:
        whole = MACHINES[kind]().fit(rows, labels)
        # the history has the times of the run, which differ
        expected[len(whole.classes_)] = (whole.coef_.tobytes(), whole.predict(X).tolist(), len(whole.record_.problems))

    def check(held):
        found = (held.coef_.tobytes(), held.predict(X).tolist(), len(held.record_.problems))
        assert found == expected[len(held.classes_)]
        seen.add(len(held.classes_))

    def read():
        assert model.predict(X).tolist() in [labels for _, labels, _ in expected.values()]
        check(model.snapshot())
        check(pickle.loads(pickle.dumps(model)))
        check(nk.loads(nk.dumps(model)))

    Crew(lambda: model.fit(*SETS[next(counter) % 3]), read).run(0.2, lambda: len(seen) == 3)
    assert seen == {2, 3, 4}


def test_two_fits_follow_one_another():
    model = nk.LinearSVM(n_jobs=1)
    threads = [threading.Thread(target=model.fit, args=rows) for rows in SETS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    alone = nk.LinearSVM(n_jobs=1).fit(*SETS[len(model.classes_) - 2])
    assert model.coef_.tobytes() == alone.coef_.tobytes()


def test_parameters_that_are_set_together_are_seen_together():
    model = nk.LinearSVM()
    counter = iter(range(10**9))

    def change():
        k = next(counter) % 2
        model.set_params(tol=[1e-3, 1e-2][k], max_iter=[1000, 100][k], loss=["hinge", "squared_hinge"][k])

    def read():
        held = model.snapshot()
        assert (held.tol, held.max_iter, held.loss) in {
            (1e-3, 1000, "hinge"),
            (1e-2, 100, "squared_hinge"),
            (1e-4, 100_000, "squared_hinge"),
        }

    Crew(change, read).run(0.2)
