"""The independent checker decides model files as the package's exact verification does. See also tests/adversary/."""

import ast
import dataclasses
import gzip
import json
import struct
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import novikoff as nk
import novikoff_check
from mixed import Mixed
from novikoff.theory import CERTIFICATES, Geometry, Mixing
from novikoff.theory.certificate import Duals
from novikoff.theory.crammer_singer import JointModel
from novikoff.theory.evidence import Evidence
from novikoff.theory.joint_duals import JointDuals
from novikoff.theory.svm_model import SvmModel
from oracle import rows_of, statuses
from saved import rewritten

pytestmark = pytest.mark.filterwarnings("ignore::novikoff.NotHaltedWarning")  # not what these tests are about

INNER = [JointModel, JointDuals, SvmModel, Duals, Evidence, Geometry, Mixing]  # of which certificates are made

SOURCE = Path(novikoff_check.__file__)
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 3))
APART, MIXED = np.where(X[:, 0] > 0, "b", "a"), np.where(X[:, 0] + RANDOM.normal(size=30) > 0, "b", "a")
THREE = np.where(X[:, 1] > 0.5, "c", MIXED)
WEIGHTS = np.where(np.arange(30) % 4 == 0, 2.5, 0.75)
WEIGHTS[7] = 0.0
LEARNERS = {
    "hinge": (nk.LinearSVM(loss="hinge"), MIXED),
    "squared hinge": (nk.LinearSVM(), MIXED),
    "penalized": (nk.LinearSVM(loss="hinge", C=3.0, penalized_intercept=True), MIXED),
    "without intercept": (nk.LinearSVM(fit_intercept=False), MIXED),
    "pairs": (nk.LinearSVM(multi_class="ovo"), THREE),
    "one-vs-rest": (nk.LinearSVM(multi_class="ovr", loss="hinge"), THREE),
    "joint": (nk.LinearSVM(multi_class="crammer_singer", loss="hinge"), THREE),
    "hard margin": (nk.HardMarginSVM(), APART),
    "hard margin without intercept": (nk.HardMarginSVM(fit_intercept=False), APART),
    "perceptron": (nk.Perceptron(max_iter=50), MIXED),
    "mixed perceptron": (Mixed(nk.Perceptron(max_iter=9), 3), APART),
    "mixed perceptron, unit length": (Mixed(nk.Perceptron(max_iter=9, normalize=True)), MIXED),
    "mixed passive-aggressive II": (Mixed(nk.PassiveAggressiveII(C=0.1)), MIXED),
    "private features": (nk.Perceptron(slack_feature=0.5), MIXED),
    "averaged": (nk.AveragedPerceptron(), THREE),
    "voted": (nk.VotedPerceptron(), THREE),
    "forgetting": (nk.Perceptron(forget=0.1, half_life=5.0), MIXED),
    "margin perceptron": (nk.MarginPerceptron(), APART),
    "unit length": (nk.MarginPerceptron(normalize=True), APART),
    "passive-aggressive": (nk.PassiveAggressive(), APART),
    "passive-aggressive I": (nk.PassiveAggressiveI(C=0.1), MIXED),
    "passive-aggressive II": (nk.PassiveAggressiveII(C=0.1), APART),
    "AROW": (nk.AROW(), MIXED),
    "normalized adaptive": (nk.NormalizedAdaptive(), THREE),
    "soft confidence": (nk.SoftConfidenceWeighted(variant="II", fit_intercept=False), APART),
    "multiclass perceptron": (nk.MulticlassPerceptron(max_iter=50), THREE),
    "multiclass AROW": (nk.MulticlassAROW(floor=0.1), THREE),
    "multiclass passive-aggressive I": (nk.MulticlassPassiveAggressiveI(C=0.1), MIXED),
}


def test_it_imports_nothing_but_the_standard_library():
    nodes = list(ast.walk(ast.parse(SOURCE.read_text())))
    names = {alias.name.split(".")[0] for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module.split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names


def conflicts(path, results, X, y, weights=None):
    """Claims that one of the two checkers calls true and the other one false, or that are not decided."""
    theirs = {check.claim: check.status for check in nk.verify(nk.load(path), X, y, weights, exact=True).checks}
    ours = statuses(results)
    assert "holds" in ours.values()
    assert ours.keys() & theirs.keys()
    undecided = [claim for claim, status in ours.items() if status in ("fails", "open")]
    return undecided + [claim for claim, status in ours.items() if {status, theirs.get(claim)} == {"holds", "fails"}]


def run(*arguments):
    """The exit status, the lines of the output and the messages of the checker."""
    command = [sys.executable, "-I", str(SOURCE), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("name", LEARNERS)
def test_models_of_svmlight_files_are_decided_as_by_the_package(tmp_path, name, weights):
    model, y = LEARNERS[name]
    labels = np.unique(y, return_inverse=True)[1] * 2 - 1
    nk.write_svmlight(X, labels, tmp_path / "rows.svm")
    nk.save(model.fit(X, labels, weights), tmp_path / "m.nvk", fingerprint=nk.fingerprint(X, labels, weights))
    stored = novikoff_check.read_model(tmp_path / "m.nvk")
    rows, found, none = novikoff_check.read_data(tmp_path / "rows.svm", stored)
    assert none is None
    assert (rows, found) == (rows_of(X), labels.tolist())
    results = novikoff_check.check(stored, rows, found, None if weights is None else weights.tolist())
    assert results[0] == ("data", "holds", "these are the rows that the model was learned from")
    assert conflicts(tmp_path / "m.nvk", results, X, labels, weights) == []


CLASS_WEIGHTS = ["balanced", {"a": 2.5, "c": 0.3}]


@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS, ids=["balanced", "dict"])
@pytest.mark.parametrize("name", ["pairs", "one-vs-rest", "joint", "averaged", "perceptron", "stream"])
def test_class_weights_are_those_of_the_model(tmp_path, name, class_weight):
    model = nk.Perceptron(class_weight=class_weight)
    if name == "stream":
        model.partial_fit(X, THREE, sample_weight=WEIGHTS)
    else:
        model = clone(LEARNERS[name][0]).set_params(class_weight=class_weight).fit(X, THREE, WEIGHTS)
    model.save(tmp_path / "m.nvk")
    results = novikoff_check.check(
        novikoff_check.read_model(tmp_path / "m.nvk"), rows_of(X), THREE.tolist(), WEIGHTS.tolist()
    )
    assert conflicts(tmp_path / "m.nvk", results, X, THREE, WEIGHTS) == []


JOBS, NOTES = (
    ["clerk", "smith", "cook", ""],
    ["free lunch at noon", "no free offer", "the offer", "\u0130stanbul OFFER no no"],
)


def table(rows=60, delimiter=",", decimal="."):
    """A table with numbers, missing values, categories, truth values, words and weights."""
    random = np.random.default_rng(3)
    lines = [delimiter.join(["age", "job", "member", "note", "cost", "y"])]
    for i in range(rows):
        age = "" if i % 7 == 3 else f"{random.normal(40, 12):.4g}".replace(".", decimal)
        label = "yes" if random.random() < 0.3 + 0.4 * (i % 2) else "no"
        cells = [age, JOBS[i % 4], ["true", "false"][i % 2], NOTES[i % 4], str(1 + i % 3), label]
        lines.append(delimiter.join(cells))
    return "\n".join(lines) + "\n"


ENCODERS = {
    "default": {},
    "texts": {"text": ["note"], "idf": True, "norm": "l2", "ngram_range": (1, 2)},
    "counts": {"text": ["note"], "sublinear_tf": True, "scale": "minmax", "missing": "median"},
    "binary": {"text": ["note"], "binary": True, "lowercase": False, "scale": "none", "missing": "zero"},
}


@pytest.mark.parametrize("settings", ENCODERS)
@pytest.mark.parametrize("form", [{}, {"delimiter": ";", "decimal": ","}, {"delimiter": "\t"}])
def test_raw_tables_are_encoded_bit_for_bit(tmp_path, settings, form):
    path, model = tmp_path / "table.csv", tmp_path / "m.nvk"
    path.write_text(table(**form), encoding="utf-8")
    pipeline = nk.fit(str(path), weight="cost", encoder=nk.TableEncoder(**ENCODERS[settings]))
    batch = pipeline[-1].reading_.read("test", str(path))
    nk.save(pipeline, model, fingerprint=nk.fingerprint(batch.X, batch.y, batch.weights))
    stored = novikoff_check.read_model(model)
    rows, labels, weights = novikoff_check.read_data(path, stored)
    assert rows == rows_of(batch.X)
    assert (labels, weights) == (batch.y.tolist(), batch.weights.tolist())
    code, lines, _ = run(model, path)
    assert code == 0, lines
    assert lines[0] == "   holds  data: these are the rows that the model was learned from"


@pytest.mark.parametrize("quote", [None, "'"])
def test_single_quotes_surround_cells(tmp_path, quote):
    lines = [f"'{i % 5}-{i % 3}','{['a, b', 'c'][i % 2]}','{'yn'[i % 2]}'" for i in range(40)]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    pipeline = nk.fit(str(tmp_path / "table.csv"), target="last", quote=quote)
    nk.save(pipeline, tmp_path / "m.nvk")
    code, out, err = run(tmp_path / "m.nvk", tmp_path / "table.csv")
    assert (code, err) == (0, ""), out


def test_columns_that_are_missing_and_tables_without_rows_are_named(tmp_path):
    (tmp_path / "table.csv").write_text(table())
    nk.save(nk.fit(str(tmp_path / "table.csv")), tmp_path / "m.nvk")
    path = tmp_path / "other.csv"
    for text, message in {
        table().replace("age", "years", 1): f"{path} has no column 'age', which the model needs.",
        table().split("\n")[0]: f"{path} has no rows.",
        "": f"{path} has no rows.",
        table() + "1,2\n": f"{path}, row 61: 2 cells, but there are 6 columns.",
    }.items():
        path.write_text(text)
        assert run(tmp_path / "m.nvk", path) == (2, [], f"novikoff-check: {message}\n")


def test_models_of_streamed_tables_are_left_to_the_package(signed, tmp_path):
    for reading, how in (({"running": {"rows": 1}}, "as a stream"), ({"kinds": ["n"]}, "with hashed columns")):
        other = altered(signed[0], tmp_path / "m.nvk", lambda header, reading=reading: header.update(reading=reading))
        code, _, err = run(other, signed[1])
        message = f"this model learned from a table that was encoded {how}; check it with 'novikoff certify'."
        assert (code, err) == (2, f"novikoff-check: {message}\n")


def test_an_interrupt_ends_it_without_a_traceback(signed, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(novikoff_check, "check", interrupt)
    assert novikoff_check.main(list(map(str, signed))) == 130
    assert capsys.readouterr().err == "novikoff-check: interrupted\n"


def test_columns_of_numbers_need_no_encoder(tmp_path):
    lines = ["p,q,r,class", *(",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), MIXED, strict=True))]
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "weights.txt").write_text("\n".join(map(repr, WEIGHTS.tolist())))
    nk.LinearSVM().fit(X, MIXED, WEIGHTS).save(tmp_path / "m.nvk")
    assert run(tmp_path / "m.nvk", tmp_path / "rows.csv.gz", "--weights", tmp_path / "weights.txt")[0] == 0
    code, out, _ = run(tmp_path / "m.nvk", tmp_path / "rows.csv.gz", "--label", "class")
    assert (code, out[-2].startswith("   fails  class frequencies: ")) == (1, True)


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A model file and its data."""
    folder = tmp_path_factory.mktemp("signed")
    labels = (MIXED == "b").astype(int)
    nk.write_svmlight(X, labels, folder / "rows.svm")
    nk.save(nk.LinearSVM().fit(X, labels), folder / "m.nvk", fingerprint=nk.fingerprint(X, labels))
    return folder / "m.nvk", folder / "rows.svm"


def altered(path, target, change):
    """Write a model file with another header."""
    target.write_bytes(rewritten(path.read_bytes(), change))
    return target


def test_other_data_are_told_from_false_claims(signed, tmp_path):
    model, data = signed
    lines = data.read_text().splitlines()
    (tmp_path / "other.svm").write_text("\n".join([*lines[1:], lines[0]]))
    code, out, _ = run(model, tmp_path / "other.svm")
    assert (code, out[1:]) == (1, ["refuted: 1 of 1 claims fail (0 on trust)"])
    assert out[0].startswith("   fails  data: other data")
    better = altered(model, tmp_path / "better.nvk", lambda header: header["certificates"][0].update(dual=1e9))
    code, out, _ = run(better, data)
    assert code == 1
    assert "   fails  dual: claimed 1000000000, found" in "\n".join(out)


def test_the_weights_that_predict_must_be_those_of_the_certificate(signed, tmp_path):
    def other(header):
        header["state"]["certificates"][0]["model"]["bias"] += 1.0

    code, out, _ = run(altered(signed[0], tmp_path / "m.nvk", other), signed[1])
    assert (code, any(line.startswith("   fails  model") for line in out)) == (1, True)


def test_the_state_holds_the_same_certificates(signed, tmp_path):
    def other(header):
        header["state"]["certificates"][0]["primal"] /= 2

    code, out, _ = run(altered(signed[0], tmp_path / "m.nvk", other), signed[1])
    assert (code, "   fails  certificates: the state holds other ones" in out) == (1, True)


@pytest.mark.parametrize("change", [{"C": 5.0}, {"tol": 0.5}, {"loss": "hinge"}, {"fit_intercept": False}])
def test_parameters_are_those_of_the_certificates(signed, tmp_path, change):
    changed = altered(signed[0], tmp_path / "m.nvk", lambda header: header["parameters"].update(change))
    code, out, _ = run(changed, signed[1])
    assert (code, out[-1].startswith("refuted: 1 of ")) == (1, True)
    assert f"   fails  parameters: the certificates state other values of {next(iter(change))}" in out


def test_what_is_on_trust_is_named_and_the_last_line_is_the_verdict(signed):
    code, out, _ = run(*signed)
    trusted = [line for line in out if line.startswith("on trust")]
    assert {"learner", "other parameters", "other fields"} <= {line[10:].split(":")[0] for line in trusted}
    assert any("state.support" in line for line in trusted)
    held = sum(line.startswith("   holds") for line in out)
    assert (code, out[-1]) == (0, f"proved: all {held} claims hold ({len(trusted)} on trust)")


def test_claims_of_many_problems_are_summed_up(tmp_path):
    labels = np.arange(30) % 6
    nk.write_svmlight(X, labels, tmp_path / "rows.svm")
    nk.LinearSVM(multi_class="ovo").fit(X, labels).save(tmp_path / "m.nvk")
    code, out, _ = run(tmp_path / "m.nvk", tmp_path / "rows.svm")
    assert (code, "   holds  dual: in 15 problems, which --all lists" in out) == (0, True)
    _, every, _ = run(tmp_path / "m.nvk", tmp_path / "rows.svm", "--all")
    assert (len(every) > 100, every[-1]) == (True, out[-1])

    def worse(header):
        header["certificates"][3]["primal"] = header["state"]["certificates"][3]["primal"] = 0.0

    code, out, _ = run(altered(tmp_path / "m.nvk", tmp_path / "worse.nvk", worse), tmp_path / "rows.svm")
    assert code == 1
    assert [line for line in out if line.startswith("   fails  4 against 0: primal: ")]
    assert "   holds  primal: in 14 problems, which --all lists" in out


def test_swapped_certificates_are_refuted(tmp_path):
    nk.LinearSVM(multi_class="ovr").fit(X, THREE).save(tmp_path / "m.nvk")
    stored = novikoff_check.read_model(tmp_path / "m.nvk")
    stored["certificates"].reverse()
    assert statuses(novikoff_check.check(stored, rows_of(X), THREE.tolist()))["classes"] == "fails"


@pytest.mark.parametrize("damage", ["empty", "cut", "longer", "text", "missing", "old", "tensors", "header", "shape"])
def test_what_is_not_a_model_is_refused_in_one_sentence(signed, tmp_path, damage):
    model, data = signed
    content, bad = model.read_bytes(), tmp_path / "bad.nvk"
    changes = {
        "old": lambda header: header.update(version=3),
        "header": lambda header: header.pop("state"),
        "shape": lambda header: header.update(sparse={"a": [2**40]}),
    }
    if damage in changes:
        altered(model, bad, changes[damage])
    elif damage != "missing":
        short = {"empty": b"", "cut": content[:-9], "text": b"1 1:2\n" * 9, "tensors": content[:3000]}
        bad.write_bytes(short.get(damage, content + b"\0"))
    code, out, err = run(bad, data)
    assert (code, out) == (2, [])
    assert err.startswith("novikoff-check: ")
    assert err.count("\n") == 1


def wide_model(path, width):
    rows = sp.csr_array((np.ones(4), [0, 7, 7, width - 1], [0, 2, 4]), shape=(2, width))
    nk.LinearSVM(loss="hinge").fit(rows, ["a", "b"]).save(path)
    return str(path)


def test_models_of_a_million_columns_are_read(tmp_path):
    arrays = novikoff_check.read_model(wide_model(tmp_path / "model.nvk", 10**6))["arrays"]
    assert 10**6 in map(len, arrays.values())


def test_models_of_too_many_columns_are_left_to_the_package(tmp_path):
    """Zeros take memory in the checker, so a small file cannot ask for much of it."""
    path = wide_model(tmp_path / "model.nvk", 10**8)
    tracemalloc.start()
    try:
        with pytest.raises(novikoff_check.Unreadable, match=r"too many columns .* check it with 'novikoff certify'\.$"):
            novikoff_check.read_model(path)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("shape", [[2**40, 0], [2**24, 0], [2**30]])
def test_shapes_that_need_more_memory_than_the_file_has_are_refused(tmp_path, shape):
    header = {"format": "novikoff model", "version": 1, "sparse": {}}
    entry = {"dtype": "F64", "shape": shape, "data_offsets": [0, 0]}
    text = json.dumps({"__metadata__": {"novikoff": json.dumps(header)}, "a": entry}).encode()
    (path := tmp_path / "model.nvk").write_bytes(struct.pack("<Q", len(text)) + text)
    with pytest.raises(novikoff_check.Unreadable, match="too many columns"):
        novikoff_check.read_model(str(path))


@pytest.mark.parametrize("text", ["", "a,b\n1\n", "\0\0", "1 x:1\n"])
def test_what_is_not_data_is_refused_in_one_sentence(signed, tmp_path, text):
    (tmp_path / "bad").write_text(text)
    code, out, err = run(signed[0], tmp_path / "bad")
    assert code in (1, 2)
    assert len(out) + err.count("\n") <= 2


def test_every_cut_and_every_altered_byte_of_a_small_file_is_answered_without_a_traceback(signed, tmp_path, capsys):
    model, data = signed
    content = model.read_bytes()
    random = np.random.default_rng(5)
    for place in random.integers(0, len(content), 150).tolist():
        (tmp_path / "m.nvk").write_bytes(content[:place])
        assert novikoff_check.main([str(tmp_path / "m.nvk"), str(data)]) == 2
        altered = bytearray(content)
        altered[place] ^= 1 << int(random.integers(8))
        (tmp_path / "m.nvk").write_bytes(bytes(altered))
        assert novikoff_check.main([str(tmp_path / "m.nvk"), str(data)]) in (0, 1, 2)
    capsys.readouterr()


def test_every_field_of_every_certificate_is_documented():
    text = (Path(__file__).parents[1] / "docs" / "certificate-format.md").read_text(encoding="utf-8")

    def names(cls):
        for field in dataclasses.fields(cls):
            yield field.name
            for inner in INNER:
                if inner.__name__ in str(field.type):
                    yield from names(inner)

    for kind in CERTIFICATES:
        assert kind in text
        assert [name for name in names(CERTIFICATES[kind]) if f"`{name}`" not in text and f".{name}`" not in text] == []


def test_roots_have_denominators_that_are_powers_of_two():
    """Others could not be written as integers times one power of two, which sums of rows of unit length need."""
    for square in (Fraction(1, 9), Fraction(4, 25), Fraction(1, 4), Fraction(2), Fraction(1, 3)):
        low, high = novikoff_check.root(square)
        assert low * low <= square <= high * high
        assert not any(end.denominator & (end.denominator - 1) for end in (low, high))


@pytest.mark.parametrize("label", [0, 1, -1, "a"])
def test_a_stream_of_one_label_is_proven(tmp_path, label):
    y = [label] * len(X)
    nk.Perceptron().partial_fit(X, y).save(tmp_path / "one.nvk")
    found = statuses(novikoff_check.check(novikoff_check.read_model(tmp_path / "one.nvk"), rows_of(X), y))
    assert "fails" not in found.values()
    assert found["positives"] == "holds"
