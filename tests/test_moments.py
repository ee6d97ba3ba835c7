"""Estimators that several threads read and change: what is published, and when."""

import gc
import os
import pickle
import threading
import time

import pytest

from novikoff import _moments
from novikoff._moments import Draft, changing, changing_now, unchanging, view_of


class Model:
    def __init__(self):
        self.coef_ = 1


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_change_that_fails_leaves_the_attributes_as_they_were(error):
    model = Model()

    def fit():
        with changing(model) as draft:
            draft.model.coef_ = 2
            draft.model.classes_ = 3
            raise error

    with pytest.raises(error):
        fit()
    assert vars(model) == {"coef_": 1}


def test_a_change_is_seen_as_a_whole_when_it_is_complete():
    model = Model()
    with changing(model) as draft:
        draft.model.coef_, draft.model.classes_ = 2, 3
        assert vars(model) == {"coef_": 1}
    assert vars(model) == {"coef_": 2, "classes_": 3}


def test_attributes_that_were_removed_are_removed():
    model = Model()
    with changing(model) as draft:
        del draft.model.coef_
    assert vars(model) == {}


def test_what_others_set_meanwhile_remains():
    model = Model()
    draft = Draft(model)
    draft.model.classes_ = 3
    model.verbose = 1
    draft.publish()
    draft.model.n_iter_ = 4
    model.classes_ = 5
    draft.publish()
    assert vars(model) == {"coef_": 1, "classes_": 5, "verbose": 1, "n_iter_": 4}


def test_a_view_keeps_the_attributes_of_its_moment():
    model = Model()
    view = view_of(model)
    model.coef_, view.other = 2, 3
    assert (view.coef_, vars(model)) == (1, {"coef_": 2})
    assert type(view) is Model


def test_changes_follow_one_another():
    model = Model()

    def count():
        for _ in range(200):
            with changing(model) as draft:
                draft.model.coef_ += 1

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert model.coef_ == 801


def test_nothing_is_changed_now_while_another_thread_changes_or_copies():
    model, found = Model(), []

    def ask():
        with changing_now(model) as draft:
            found.append(draft is not None)

    for context in (changing(model), unchanging(model)):
        with context:
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join(10)
    ask()
    assert found == [False, False, True]


def test_a_snapshot_need_not_wait_for_a_change_that_is_not_made_in_place():
    model, found = Model(), []

    def copy():
        with unchanging(model):
            found.append(view_of(model).coef_)

    with changing(model) as draft:
        draft.model.coef_ = 2
        thread = threading.Thread(target=copy)
        thread.start()
        thread.join(10)
    assert found == [1]


def test_a_snapshot_waits_for_a_change_in_place_and_comes_before_the_next():
    model, found = Model(), []
    model.data = []

    def copy():
        with unchanging(model):
            found.append(len(model.data))

    with changing(model) as draft, draft.in_place():
        model.data.append(1)
        thread = threading.Thread(target=copy)
        thread.start()
        while _moments._locks_of(model).state._last.ahead is None:
            time.sleep(0.001)
        model.data.append(2)
        assert found == []
    with changing(model) as draft, draft.in_place():
        assert found == [2]
    thread.join(10)


def test_locks_are_no_part_of_an_estimator_and_die_with_it():
    model = Model()
    with changing(model):
        pass
    assert vars(model) == {"coef_": 1}
    assert vars(pickle.loads(pickle.dumps(model))) == {"coef_": 1}
    key = id(model)
    assert key in _moments._known
    del model
    gc.collect()
    assert key not in _moments._known


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork (run the tests on Linux)")
def test_a_child_does_not_wait_for_threads_that_it_does_not_have():
    model, entered, leave = Model(), threading.Event(), threading.Event()

    def hold():
        with changing(model) as draft, draft.in_place():
            entered.set()
            leave.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(30)
    child = os.fork()
    if child == 0:
        with changing(model) as draft:
            draft.model.coef_ = 7
        os._exit(model.coef_)
    _, status = os.waitpid(child, 0)
    leave.set()
    thread.join(30)
    assert os.waitstatus_to_exitcode(status) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork (run the tests on Linux)")
def test_a_fork_waits_for_the_end_of_a_change_that_must_not_be_halved():
    entered, done = threading.Event(), []

    def hold():
        with _moments.no_fork:
            entered.set()
            time.sleep(0.05)
            done.append(1)

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait(30)
    child = os.fork()
    if child == 0:
        with _moments.no_fork:
            os._exit(10 + len(done))
    _, status = os.waitpid(child, 0)
    thread.join(30)
    assert os.waitstatus_to_exitcode(status) == 11
    thread = threading.Thread(target=hold)
    thread.start()
    thread.join(30)
    assert len(done) == 2
