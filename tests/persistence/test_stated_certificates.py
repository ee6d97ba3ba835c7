"""Certificates in the header of a model file."""

import numpy as np
import pytest

import novikoff as nk
from learners import JOINT
from novikoff.persistence.frame import unpack
from novikoff.persistence.sparse_tensors import expand
from novikoff.persistence.stated_certificates import encode_certificates, names_of_tensors
from oracle import fields_of
from saved import ALL, THREE, TWO, fitted, rewritten


def stated(data):
    """The certificates that a file states, with their arrays."""
    tree, tensors = unpack("it", data)
    expand(tree["sparse"], tensors)

    def filled(entry, key=""):
        if isinstance(entry, dict):
            return {name: filled(inner, name) for name, inner in entry.items()}
        if isinstance(entry, list):
            return [filled(inner) for inner in entry]
        if isinstance(entry, str) and key not in ("positive", "negative"):
            entry = tensors[entry].tolist() if entry in tensors else entry
            return float(entry) if entry in ("inf", "-inf") else entry
        return entry

    return filled(tree["certificates"]), tensors


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", ALL)
def test_a_file_states_all_fields_of_all_certificates_and_no_array_twice(name, y):
    model = fitted(name, y)
    trees, tensors = stated(nk.dumps(model))
    expected = [{"certificate kind": type(one).__name__, **fields_of(one)} for one in model.record_.certificates]
    assert trees == expected
    own = {tensor for tensor in tensors if tensor.startswith("certificates.")}
    joint = {"certificates.0.counts", "certificates.0.model.biases", "certificates.0.model.weights"}
    if "forgetting" in name:  # the state has the weights divided by a scale, from which a stream goes on bit for bit
        assert all(tensor.endswith(".evidence.weights") for tensor in own)
    elif name.startswith("normalized adaptive"):  # the squares of the scales of the columns, which all classes share
        assert own == {"certificates.0.variances"}
    elif name.startswith("multiclass AROW"):  # of all classes; arrays that are the same as others are stored once
        sums = {f"certificates.0.sum.{part}" for part in ("weights", "biases", "variances", "bias_variances")}
        assert joint | {"certificates.0.sum.weights", "certificates.0.sum.variances"} <= own <= joint | sums
    else:
        assert own == (joint if name in JOINT else set())  # of all classes, where the state has those of each class


def test_arrays_that_the_state_lacks_are_stored_with_the_certificates():
    certificate = nk.LinearSVM().fit([[0.0], [1.0]], ["certificates.0.model.weights", "b"]).certificate_
    tensors = {"other": np.zeros(9)}
    trees = encode_certificates([certificate, certificate], tensors)
    assert trees[0] == trees[1]
    assert trees[0]["model"]["positive"] == "certificates.0.model.weights"
    assert names_of_tensors(trees) - {"certificates.0.model.weights"} <= tensors.keys()
    assert names_of_tensors(trees) >= tensors.keys() - {"other"}


# ---- a file whose two copies of the certificates differ ------------------------------------------------------------


def refused(model, change):
    """Refuse the file of a model after a change of its header."""
    with pytest.raises(nk.InvalidInputError, match="damaged: certificates: the certificates that it states are not"):
        nk.loads(rewritten(nk.dumps(model), change))


def swap(entries):
    entries[0], entries[1] = entries[1], entries[0]


def scale(certificate, factor):
    """Multiply the first bound of a certificate."""
    name = next(name for name in ("primal", "margin_upper_bound", "energy") if isinstance(certificate.get(name), float))
    certificate[name] *= factor


def plane(tree, place):
    certificate = tree["certificates"][place]
    return certificate["model" if "model" in certificate else "evidence"]


CONTRADICTIONS = {
    "empty": lambda tree: tree.update(certificates=[]),
    "doubled": lambda tree: tree.update(certificates=2 * tree["certificates"]),
    "swapped": lambda tree: swap(tree["certificates"]),
    "bound": lambda tree: scale(tree["certificates"][0], 1 + 1e-7),
    "kind": lambda tree: tree["certificates"][1].update({"certificate kind": "Separability"}),
    "count": lambda tree: tree["certificates"][0].update(examples=tree["certificates"][0]["examples"] + 1),
    "label": lambda tree: plane(tree, 0).update(positive="others"),
    "array": lambda tree: plane(tree, 0).update(weights=plane(tree, 1)["weights"]),
    "no array": lambda tree: plane(tree, 0).update(weights="certificates.0.weights"),
    "field": lambda tree: tree["certificates"][0].update(note="this is a good model"),
    "no field": lambda tree: tree["certificates"][0].pop("examples"),
}


@pytest.mark.parametrize("change", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
@pytest.mark.parametrize("name", ["svm", "svm, rest", "path", "hard margin", "perceptron", "margin auto"])
def test_certificates_that_are_not_those_of_the_model_are_refused(name, change):
    refused(fitted(name, THREE), change)


def test_a_state_with_other_certificates_than_the_header_is_refused():
    refused(fitted("svm", TWO), lambda tree: scale(tree["state"]["certificates"][0], 0.5))
    stream = nk.Perceptron().partial_fit([[1.0], [-1.0], [2.0]], ["yes", "no", "yes"])
    refused(stream, lambda tree: tree["state"]["questions"][1].update(energy=99.0))


@pytest.mark.parametrize("name", ["perceptron", "margin auto"])
def test_bounds_may_differ_by_the_rounding_of_another_machine(name):
    """The claims are those of the bounds that the file states."""
    model = fitted(name, THREE)
    data = rewritten(nk.dumps(model), lambda tree: scale(tree["certificates"][0], 1 + 1e-15))
    assert str(nk.loads(data).certificate_) == str(model.certificate_)


def test_labels_are_compared_exactly():
    booleans = fitted("svm", TWO == "yes", multi_class="ovr")
    refused(booleans, lambda tree: tree["certificates"][0]["model"].update(positive=1))
    numbers = nk.LinearSVM().fit([[0.0], [1.0]], [1.0, 2.0])
    refused(numbers, lambda tree: tree["certificates"][0]["model"].update(positive=2.0 + 1e-12))
