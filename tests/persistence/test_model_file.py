"""A model and its file: what is loaded equals what was saved, and goes on as it would have."""

import dataclasses
import datetime
import os
import struct
import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

import novikoff as nk
from model_kinds import MODELS, POSITIONS, ROWS_OF, UNLEARNED, model_files, told
from novikoff._verify.classes import counted_weights
from novikoff.persistence import frame, model_file, stored_record
from oracle import decided, statuses
from saved import ALL, LABELS, MACHINES, READING, THREE, TWO, WEIGHTS, X, again, fitted, rewritten, separable, sparse
from snapshots import learned, plain, snapshot

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

ONE_PER_MEMORY = (nk.Perceptron, nk.AveragedPerceptron, nk.VotedPerceptron)  # what is kept: last, average, votes


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.nvk"


def public(model):
    """All that a model tells of itself, but what it says of rows."""
    names = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}
    return plain({name: getattr(model, name) for name in names if hasattr(model, name)})


def certificates(model):
    found = model.certificates_ if hasattr(model, "certificates_") else model.certificate_
    listed = found if isinstance(found, list) else [found]
    return [one for row in listed for one in (row if isinstance(row, list) else [row])]


def check_equal(model, copy, rows, y, weights=None):
    assert type(copy) is type(model)
    assert plain(copy.get_params()) == plain(model.get_params())
    assert public(copy) == public(model)
    for ask in ("predict", "decision_function", "predict_sign", "predict_proba"):
        if hasattr(model, ask):
            assert plain(getattr(copy, ask)(rows)) == plain(getattr(model, ask)(rows)), ask
    for theirs, ours in zip(certificates(model), certificates(copy), strict=True):
        assert ours.to_json() == theirs.to_json()
        assert str(ours) == str(theirs)
        assert plain(ours.generalization) == plain(theirs.generalization)
        assert str(ours.verify(rows, y, weights)) == str(theirs.verify(rows, y, weights))


# ---- what comes back -----------------------------------------------------------------------------------------------


ONE_PER_STATE = {"perceptron", "averaged", "voted", "svm", "svm, probability", "cross-validated", "path", "hard margin"}
CASES = [(name, TWO if place % 2 else THREE) for place, name in enumerate(ALL)]
CASES += [(name, THREE if place % 2 else TWO) for place, name in enumerate(ALL) if name in ONE_PER_STATE]


@pytest.mark.parametrize(("name", "y"), CASES, ids=[f"{name}, {len(set(y))} classes" for name, y in CASES])
def test_a_loaded_model_equals_the_saved_one(path, name, y):
    model, rows = fitted(name, y), separable(y)
    copy = again(model, path)
    check_equal(model, copy, rows, y)
    if name in MACHINES:
        assert all(certificate.verify(rows, y) for certificate in certificates(copy))
    assert snapshot(copy) == snapshot(model)


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize(("name", "y"), [("perceptron", THREE), ("svm", TWO), ("path", THREE)])
def test_labels_of_every_kind_come_back_as_they_were(path, name, kind, y):
    labels = LABELS[kind](y)
    model = fitted(name, labels, separable(labels))
    copy = again(model, path)
    assert plain(copy.classes_) == plain(model.classes_)
    assert [type(label) for label in copy.classes_.tolist()] == [type(label) for label in model.classes_.tolist()]
    check_equal(model, copy, separable(labels), labels)


@pytest.mark.parametrize("name", ["averaged", "voted", "PA-I", "svm", "cross-validated", "path", "hard margin"])
def test_names_of_columns_and_weights_of_rows_come_back(path, name):
    frame = pd.DataFrame(separable(TWO), columns=["a", "b", "ü \n"])
    model = fitted(name, TWO, frame, WEIGHTS)
    copy = again(model, path)
    assert copy.feature_names_in_.dtype == object
    check_equal(model, copy, frame, TWO, WEIGHTS)


@pytest.mark.parametrize("name", ["perceptron", "voted", "svm", "svm, probability", "cross-validated"])
def test_models_of_sparse_rows_come_back(path, name):
    rows = sparse(separable(THREE))
    check_equal(model := fitted(name, THREE, rows), again(model, path), rows, THREE)


@pytest.mark.parametrize("name", ["perceptron", "svm", "path"])
def test_how_files_became_rows_comes_back(path, name):
    model = fitted(name, TWO)
    assert not hasattr(again(model, path), "reading_")
    model.reading_ = READING
    assert again(model, path).reading_ == READING


def test_a_warm_start_goes_on_from_a_file_as_from_memory(path):
    model = fitted("svm, warm", TWO, X)
    copy = again(model, path)
    for machine in (model, copy):
        machine.set_params(C=2.0).fit(X, TWO)
    assert plain(copy.coef_) == plain(model.coef_)
    assert copy.n_iter_ == model.n_iter_


def test_the_same_model_has_the_same_bytes(path):
    model = fitted("svm", THREE)
    model.save(path)
    first = path.read_bytes()
    nk.save(nk.load(path), path)
    assert path.read_bytes() == first


def test_parameters_of_every_kind_come_back(path):
    given = {"class_weight": {"yes": 2, "no": np.float64(0.5)}, "random_state": None, "n_jobs": np.int64(1)}
    copy = again(fitted("perceptron", TWO, **given), path)
    assert copy.get_params() == {**nk.Perceptron().get_params(), **given}
    assert type(copy.n_jobs) is int
    assert clone(copy).get_params() == copy.get_params()


@pytest.mark.parametrize("make", ONE_PER_MEMORY, ids=repr)
def test_streams_of_sparse_rows_and_of_tables_go_on(make, path):
    """Rows that grow wider, and columns with names: what a scan gives, the model keeps."""
    first, second = b"0 1:1 3:2\n1 2:1\n2 1:-1\n", b"1 7:2 1:1\n0 5:1\n"
    table, more = b"a,b,label\n1,2,x\n3,-1,y\n", b"a,b,label\n0.5,1,y\n-1,2,x\n"
    for before, after, kind in ((first, second, "svmlight"), (table, more, "csv")):
        model = make().partial_fit(nk.scan(before, format=kind))
        copy = again(model, path)
        assert snapshot(copy) == snapshot(model)
        for one in (model, copy):
            one.partial_fit(nk.scan(after, format=kind))
        assert snapshot(copy) == snapshot(model)
        assert snapshot(again(copy, path)) == snapshot(model)


def test_parameters_that_are_arrays_come_back_as_lists(path):
    assert again(fitted("path", TWO, Cs=np.array([0.25, 0.5])), path).Cs == [0.25, 0.5]


def test_folds_given_as_lists_come_back(path):
    folds = list(StratifiedKFold(2).split(X, TWO))
    copy = again(fitted("cross-validated", TWO, X, cv=folds), path)
    assert plain(copy.fit(X, TWO).scores_) == plain(fitted("cross-validated", TWO, X, cv=folds).scores_)


# ---- bytes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["perceptron", "voted", "svm", "path", "hard margin"])
def test_the_bytes_of_a_model_are_those_of_its_file(path, name):
    model = fitted(name, THREE)
    nk.save(model, path)
    assert nk.dumps(model) == path.read_bytes()
    for data in (nk.dumps(model), bytearray(nk.dumps(model)), memoryview(nk.dumps(model))):
        assert nk.dumps(nk.loads(data)) == path.read_bytes()
    check_equal(model, nk.loads(nk.dumps(model)), separable(THREE), THREE)


def test_a_fingerprint_is_part_of_the_bytes(path):
    model, mark = fitted("svm", TWO), nk.fingerprint(separable(TWO), TWO)
    nk.save(model, path, fingerprint=mark)
    assert nk.dumps(model, fingerprint=mark) == path.read_bytes()
    assert nk.loads(path.read_bytes()).record_.fingerprint == mark
    with pytest.raises(nk.InvalidInputError, match=r"the model cannot be saved. fingerprint: 'mine' is not a SHA"):
        nk.dumps(model, fingerprint="mine")


@pytest.mark.parametrize("wrong", ["model.nvk", None, 3, [b"a"]])
def test_only_bytes_are_loaded_as_bytes(wrong):
    with pytest.raises(nk.InvalidInputError, match=r"^loads: data must be bytes, but it is "):
        nk.loads(wrong)


def test_a_model_is_read_from_a_pipe(tmp_path):
    model = fitted("svm", TWO)
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_bytes(nk.dumps(model)))
    writer.start()
    assert nk.load(tmp_path / "pipe").coef_.tolist() == model.coef_.tolist()
    writer.join()


@pytest.mark.parametrize("name", [name for name in ALL if name != "svm, joint"])
def test_checks_of_a_record_are_those_of_restoring(name):
    """``save`` checks records by ``check_record``, and does not restore the model."""
    model = fitted(name, TWO)
    type(model).check_record(model.record_)
    wrong = dataclasses.replace(model.record_, n_features=4)
    messages = set()
    for check in (type(model).check_record, type(model).from_record):
        with pytest.raises(nk.InvalidInputError) as caught:
            check(wrong)
        messages.add(str(caught.value))
    assert len(messages) == 1


# ---- going on ------------------------------------------------------------------------------------------------------


def streams(classes, rows=24):
    values = st.lists(st.integers(-3, 3), min_size=3, max_size=3)
    labels = st.integers(0, classes - 1)
    return st.lists(st.tuples(values, labels), min_size=2, max_size=rows)


@settings(max_examples=5)
@given(data=st.data(), classes=st.sampled_from([2, 4]), by_name=st.booleans(), bounded=st.booleans())
def test_learning_goes_on_bit_for_bit_one_by_one(make, tmp_path_factory, data, classes, by_name, bounded):
    stream = data.draw(streams(classes))
    place = data.draw(st.integers(1, len(stream) - 1))
    parameters = {"class_weight": data.draw(st.sampled_from([None, "balanced", {1: 0.5}]))}
    model = make(**parameters, max_features=3 if bounded else None)
    examples = [
        ({f"n{j}": v for j, v in enumerate(x) if v} if by_name else [float(v) for v in x], y) for x, y in stream
    ]
    for x, y in examples[:place]:
        model.learn_one(x, y)
    copy = again(model, tmp_path_factory.getbasetemp() / "model.nvk")
    for x, y in examples[place:]:
        assert plain(copy.score_one(x)) == plain(model.score_one(x))
        assert copy.predict_one(x) == model.predict_one(x)
        copy.learn_one(x, y)
        model.learn_one(x, y)
    assert learned(copy) == learned(model)
    assert copy._learner.names == model._learner.names
    assert plain(copy._learner.__getstate__()[4]) == plain(model._learner.__getstate__()[4])  # totals of the classes


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "met"])
@pytest.mark.parametrize("make", [*ONE_PER_MEMORY, nk.MarginPerceptron, nk.PassiveAggressiveI], ids=repr)
def test_learning_goes_on_bit_for_bit_in_batches(make, path, declared):
    model = make(class_weight="balanced")
    classes = ["one", "three", "two"] if declared else None
    model.partial_fit(X[:9], THREE[:9], classes=classes, sample_weight=WEIGHTS[:9])
    copy = again(model, path)
    assert snapshot(copy) == snapshot(model)
    for one in (model, copy):
        one.partial_fit(X[9:20], THREE[9:20], sample_weight=WEIGHTS[9:20])
    first, second = (one.predict_then_learn(sparse(X[20:]), THREE[20:]) for one in (model, copy))
    assert first.tolist() == second.tolist()
    assert snapshot(copy) == snapshot(model)


def test_a_warm_fit_goes_on_bit_for_bit(make, path):
    model = make(warm_start=True).fit(X, TWO)
    copy = again(model, path)
    assert snapshot(copy.fit(X[::-1], TWO[::-1])) == snapshot(model.fit(X[::-1], TWO[::-1]))


EARLY = {
    "before any example counts": lambda model: model.learn_one([1.0], "a", sample_weight=0),
    "after one class": lambda model: model.learn_one([1.0, 2.0], "a"),
    "after one class, by name": lambda model: model.learn_one({"f": 1.0}, "a"),
    "after one boolean": lambda model: model.learn_one({"f": 1.0}, True),
    "after a dict without features": lambda model: model.learn_one({}, "a"),
    "after two classes of one example": lambda model: model.learn_one([1.0], 1) or model.learn_one([2.0], 0),
}


@pytest.mark.parametrize("begin", EARLY.values(), ids=EARLY.keys())
@pytest.mark.parametrize("make", ONE_PER_MEMORY, ids=repr)
def test_a_stream_can_be_saved_from_its_first_example_on(make, path, begin):
    model = make()
    begin(model)
    copy = again(model, path)
    assert snapshot(copy) == snapshot(model)
    assert hasattr(copy, "classes_") == hasattr(model, "classes_")
    assert hasattr(copy, "n_features_in_") == hasattr(model, "n_features_in_")


def test_names_met_after_those_of_a_frame_come_back(path):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = nk.Perceptron().fit(frame, TWO)
    model.learn_one({"d": 1.0, "a": -3.0}, "no")
    copy = again(model, path)
    assert copy.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert copy.score_one({"d": 1.0, "a": 2.0}) == model.score_one({"d": 1.0, "a": 2.0})
    assert plain(copy.coef_) == plain(model.coef_)


def test_features_called_by_integers_come_back(path):
    model = nk.Perceptron()
    for x, y in [({7: 1.0, -3: 2.0}, 1), ({2**60: 1.0, "7": 1.0}, 0), ({7: 3.0}, 0)]:
        model.learn_one(x, y)
    copy = again(model, path)
    assert copy._learner.names == [7, -3, 2**60, "7"]
    assert copy.score_one({2**60: 1.5, 7: 1.0}) == model.score_one({2**60: 1.5, 7: 1.0})


def test_labels_of_mixed_numbers_stay_what_they_were(path):
    model = nk.Perceptron()
    for x, y in [([1.0], 1.0), ([2.0], 3), ([-1.0], 2)]:
        model.learn_one(x, y)
    copy = again(model, path)
    assert [(type(y), y) for y in copy._classes.labels] == [(float, 1.0), (int, 3), (int, 2)]


# ---- what is refused at save ---------------------------------------------------------------------------------------


def test_a_model_that_was_never_fitted_is_refused(path):
    for make in ALL.values():
        model = make()
        with pytest.raises(nk.InvalidInputError, match=r"^\w+: the model has not been fitted"):
            model.save(path)
    assert not path.exists()


class Shuffled(nk.Perceptron):
    """A learner of somebody else's."""


REFUSED = {
    "a list": (lambda: [1, 2], r"^save: a list cannot be saved: novikoff saves its own learners, and classes that "),
    "a transformer": (lambda: nk.Hashing(), r"^save: a Hashing cannot be saved: "),
    "a subclass": (lambda: Shuffled().fit(X, TWO), r"^save: a Shuffled cannot be saved: "),
    "a generator": (
        lambda: fitted("perceptron", TWO, random_state=np.random.RandomState(3)),
        r"^Perceptron: the model cannot be saved\. parameters\.random_state: a file cannot hold RandomState",
    ),
    "a splitter": (
        lambda: fitted("cross-validated", TWO, cv=StratifiedKFold(3)),
        r"parameters\.cv: a file cannot hold StratifiedKFold",
    ),
    "a function": (
        lambda: fitted("cross-validated", TWO, scoring=lambda model, X, y: 0.5),
        r"parameters\.scoring: a file cannot hold <function",
    ),
    "labels that are dates": (
        lambda: fitted("perceptron", _dates(), X),
        r"classes\.values\.0: a label must be text, a finite number of 64 bits or a bool, but it is datetime",
    ),
    "labels that are bytes": (
        lambda: fitted("svm", TWO.astype("S")),
        r"classes: labels must be text, numbers or bools, but they have dtype",
    ),
    "weights that were changed": (lambda: _changed("svm", "coef_"), r"coef_: the values were changed after fit, "),
    "intercepts that were changed": (lambda: _changed("hard margin", "intercept_"), r"intercept_: the values were"),
    "a path that was changed": (lambda: _changed("path", "coefs_"), r"coefs_: the weights were changed after fit"),
    "a reading of another kind": (
        lambda: _read_by("csv"),
        r"reading: it must be a Reading, but it is 'csv'\.",
    ),
}


def _dates():
    return np.array([datetime.date(2000 + (y == "no"), 1, 1) for y in TWO], dtype=object)


def _changed(name, attribute):
    model = fitted(name, TWO)
    setattr(model, attribute, getattr(model, attribute) + 1)
    return model


def _read_by(words):
    model = fitted("svm", TWO)
    model.reading_ = words
    return model


@pytest.mark.parametrize(("make_one", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_kept_is_refused_by_name_and_leaves_the_old_file(path, make_one, words):
    model = make_one()
    path.write_bytes(b"old")
    with pytest.raises(nk.InvalidInputError, match=words):
        nk.save(model, path)
    assert path.read_bytes() == b"old"


def test_a_header_that_no_reader_takes_is_refused(path, monkeypatch):
    model = fitted("svm", TWO)
    model.save(path)
    monkeypatch.setattr(frame, "MAX_HEADER_BYTES", 500)
    with pytest.raises(nk.InvalidInputError, match=r"parameters and labels need \d+ bytes, the limit is 500"):
        model.save(path)


def test_a_model_is_told_from_other_files_by_its_beginning(path):
    assert not model_file.is_model(path)
    for other in (b"", b"a,b\n", bytes(9), struct.pack("<Q", 2) + b"{}"):
        path.write_bytes(other)
        assert not model_file.is_model(path)
    fitted("svm", TWO).save(path)
    assert model_file.is_model(path)


@pytest.mark.parametrize("wrong", [3, None, b"model.nvk"])
def test_a_path_is_a_text_or_a_path(wrong):
    model = fitted("perceptron", TWO)
    for call in (lambda: model.save(wrong), lambda: nk.save(model, wrong), lambda: nk.load(wrong)):
        with pytest.raises(nk.InvalidInputError, match=r"path must be a str or a path, but it is "):
            call()


# ---- the file ------------------------------------------------------------------------------------------------------


def test_the_header_tells_a_person_what_the_model_is():
    model = fitted("svm", TWO, pd.DataFrame(separable(TWO), columns=list("abc")))
    header, _ = frame.unpack("it", nk.dumps(model))
    assert {name: header[name] for name in ("format", "version", "library", "learner")} == {
        "format": "novikoff model",
        "version": frame.VERSION,
        "library": nk.__version__,
        "learner": "LinearSVM",
    }
    assert header["parameters"] == model.get_params()
    assert header["classes"] == {"dtype": "str", "values": ["no", "yes"]}
    assert header["features"] == {"count": 3, "names": "features.names"}
    assert header["claims"] == [[list(fact) for fact in model.certificate_.claims()]]


def test_other_readers_of_safetensors_can_open_it(path):
    from safetensors.numpy import load_file

    model = fitted("svm", TWO)
    model.save(path)
    tensors = load_file(path)
    assert plain(tensors["state.certificates.0.model.weights"]) == plain(model.coef_[0])


@pytest.fixture(params=MODELS)
def kind(request):
    """The name of a kind of model."""
    return request.param


def test_a_loaded_model_says_what_the_saved_one_says(kind):
    assert told(nk.loads(model_files()[kind])) == told(MODELS[kind]())


def test_a_loaded_model_is_written_again_as_it_was(kind):
    """But for positions of streams, which belong to a run and not to a model."""
    before, now = (
        frame.unpack("it", data)[0] for data in (model_files()[kind], nk.dumps(nk.loads(model_files()[kind])))
    )
    held = {"position": None, "unlearned": None}
    assert now | held == before | held


@pytest.mark.parametrize("name", ROWS_OF)
def test_every_claim_of_a_loaded_model_is_proven(name):
    model, data = nk.loads(model_files()[name]), ROWS_OF[name]
    assert nk.verify(model, *data, exact=True)
    weights = counted_weights(model.record_, np.asarray(data[1]), np.asarray(data[2]) if data[2:] else None)
    for certificate in [] if name.startswith("tracker") else model.record_.certificates:
        assert not {"fails", "open"} & set(statuses(decided(certificate, np.array(data[0]), data[1], weights)).values())


def test_a_file_knows_how_far_its_stream_had_come_and_the_rows_that_wait_for_their_labels(path, kind):
    path.write_bytes(model_files()[kind])
    stored, known = model_file.load_stream(path), UNLEARNED.get(kind)
    assert stored.position == POSITIONS.get(kind)
    assert (stored.unlearned is None) == (known is None)
    if known is not None:
        assert stored.unlearned.rows().tolist() == known.rows().tolist()
        assert stored.unlearned.label_array().tolist() == known.label_array().tolist()
        assert stored.unlearned.weights.tolist() == known.weights.tolist()


@pytest.mark.parametrize(
    "wrong",
    [3, {"rows": -1}, {"rows": 1.5}, {"files": [{"size": 1}]}, {"options": [1]}, {"may_cut_line": 1}, {"more": 1}],
)
def test_a_position_that_is_damaged_is_refused(path, wrong):
    def change(tree):
        tree["position"] = tree["position"] | wrong if isinstance(wrong, dict) else wrong

    path.write_bytes(rewritten(model_files()["table-stream-position"], change))
    with pytest.raises(nk.InvalidInputError, match="position"):
        model_file.load_stream(path)


def test_claims_in_words_are_for_people_and_are_not_read():
    def change(tree):
        tree["claims"][0][0][1] = "0.0001, the minimum is at least 0.0001"

    model = fitted("svm", TWO)
    assert nk.loads(rewritten(nk.dumps(model), change)).certificate_.claims() == model.certificate_.claims()


# ---- all or nothing ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["missing/model.nvk", "."])
def test_a_place_where_no_file_can_be_is_said_to_be_one(tmp_path, place):
    with pytest.raises(nk.FileError, match=r"No such file|Is a directory"):
        fitted("perceptron", TWO).save(tmp_path / place)


def test_a_file_that_could_not_be_read_is_never_written(path, monkeypatch):
    model = fitted("svm", TWO)
    model.save(path)
    before, make_pieces = path.read_bytes(), stored_record.pieces
    monkeypatch.setattr(stored_record, "pieces", lambda *given: [*make_pieces(*given)[:-1], b"cut"])
    with pytest.raises(nk.InvalidInputError, match="cut short"):
        model.save(path)
    assert path.read_bytes() == before
