"""What is wrong with data or models is one line on standard error, and exit code 2, from every subcommand."""

import gzip
import json
import struct

import pytest
import sets
from command import assert_refused, done, fresh, novikoff

import novikoff as nk
from novikoff.cli._output import as_fit_options, as_options
from novikoff.online.named import named

GOOD = sets.svmlight(sets.X, sets.TWO)
LEARNING = ("fit", "stream", "separable")
READING = (*LEARNING, "predict", "score", "certify", "report", "convert")
SVMLIGHT = {  # what is wrong: the bytes, words of the sentence, and the subcommands that refuse it
    "NaN": (GOOD + b"1 1:nan\n", ("41", "1:nan"), READING),
    "infinity": (GOOD + b"1 1:-inf\n", ("41", "1:-inf"), READING),
    "too large a number": (GOOD + b"1 1:1e999\n", ("41", "1:1e999"), READING),
    "a norm that overflows": (GOOD + b"1 1:1e300 2:1e300\n", ("e+300", "inf"), ("fit", "stream")),
    "no data": (b"", (), READING),
    "comments only": (b"# nothing\n\n", (), READING),
    "one class": (b"1 1:2\n1 1:3\n", ("one class",), ("fit", "separable")),
    "index 0": (GOOD + b"1 0:3\n", ("41", "0:3"), READING),
    "a cut gzip file": (gzip.compress(GOOD)[:-100], ("gzip",), READING),
    "the same index twice": (GOOD + b"1 2:1 2:1\n", ("41", "only once"), READING),
    "invalid UTF-8": (GOOD + b"1 1:\xff\xfe\n", ("41",), READING),
    "a label that is not a number": (GOOD + b"spam 1:1\n", ("41", "spam"), READING),
    "several labels": (GOOD + b"1,2 1:1\n", ("41", "1,2"), READING),
    "no label": (GOOD + b"1:1 2:1\n", ("41", "1:1"), READING),
    "an index that is not a number": (GOOD + b"1 x:1\n", ("41", "x:1"), READING),
}
CASES = [(what, subcommand) for what, (_, _, subcommands) in SVMLIGHT.items() for subcommand in subcommands]
UNLIKE = {"a norm that overflows": {"fit": ("e+300",), "stream": ("inf",)}}


def arguments(subcommand, model, data, folder):
    """A call of a subcommand that reads this data, with all that it writes in a folder."""
    if subcommand == "convert":
        return [subcommand, data, folder / "converted.csv"]
    if subcommand in LEARNING:
        return [subcommand, data, *(["-o", folder / "learned.nvk"] if subcommand != "separable" else [])]
    return [subcommand, model, data, *(["-o", folder / "written"] if subcommand in ("predict", "report") else [])]


@pytest.mark.parametrize(("what", "subcommand"), CASES)
def test_bad_svmlight_is_refused_in_one_sentence(model, tmp_path, what, subcommand):
    content, words, _ = SVMLIGHT[what]
    data = tmp_path / "bad.svm"
    data.write_bytes(content)
    run = novikoff(*arguments(subcommand, model, data, tmp_path))
    words = UNLIKE.get(what, {}).get(subcommand, words)
    if subcommand == "stream" and what == "a cut gzip file":
        assert run.err.startswith("note: ")  # of what was learned before: test_stream.py
        assert run.code == 2
        return
    assert_refused(run, *words)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.svm"]


def csv(*lines):
    return "".join(line + "\n" for line in ("a,b,label", "1,2,x", "3,1,y", *lines)).encode()


TABLES = {
    "too few fields": ("t.csv", csv("1,2"), ("4",)),
    "too many fields": ("t.csv", csv("1,2,x,9"), ("4",)),
    "empty": ("t.csv", b"", ()),
    "no rows": ("t.csv", b"a,b,label\n", ()),
    "no label": ("t.csv", b"a,b\n1,2\n", ("label",)),
    "two labels": ("t.csv", b"a,y,label\n1,2,3\n", ("label", "y")),
    "zero bytes": ("t.csv", csv() + b"1,\0,x\n", ("encoding",)),
    "JSON that breaks off": ("t.ndjson", b'{"a": 1, "label": "x"}\n{"a": 1, "la', ("t.ndjson",)),
    "no Parquet": ("t.parquet", b"PAR1 of another kind", ("t.parquet",)),
    "no Arrow": ("t.arrow", b"ARROW", ("t.arrow",)),
    "a missing label": ("t.csv", csv("1,2,"), ("label",)),
    "labels of fractions": ("t.csv", b"a,label\n1,0.5\n2,0.25\n", ("label",)),
}


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("subcommand", ["fit", "stream", "convert"])
def test_bad_tables_are_refused_in_one_sentence(tmp_path, what, subcommand):
    name, content, words = TABLES[what]
    (tmp_path / name).write_bytes(content)
    run = novikoff(*arguments(subcommand, None, tmp_path / name, tmp_path))
    if subcommand == "stream" and what == "JSON that breaks off":
        assert run.err.startswith("note: ")  # of what was learned before
        assert (run.code, name in run.err) == (2, True)
        return
    assert_refused(run, *words)
    assert [path.name for path in tmp_path.iterdir()] == [name]


REFUSED_IF_ASKED = {"missing": ("1,,x", "b"), "infinity": ("1,inf,x", "inf"), "a word": ("1,many,x", "many")}


@pytest.mark.parametrize("what", REFUSED_IF_ASKED)
@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_values_that_are_not_numbers_are_refused_in_one_sentence_if_that_is_asked_for(tmp_path, what, subcommand):
    line, word = REFUSED_IF_ASKED[what]
    data = tmp_path / "t.csv"
    data.write_bytes(csv(*["1,2,x"] * 60, line, *["1,2,x"] * 60))
    assert_refused(novikoff(subcommand, data, "--missing", "error", "-q"), "line 64", word)


@pytest.mark.parametrize("weight", ["-1", "inf", "1e999", "heavy", ""])
@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_bad_weights_are_refused_in_one_sentence(tmp_path, subcommand, weight):
    data = tmp_path / "t.csv"
    data.write_text(f"a,cost,label\n1,1,x\n2,{weight},y\n3,1,x\n")
    assert_refused(novikoff(subcommand, data, "--weight", "cost"), "cost")


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_weights_that_are_all_zero_are_refused_in_one_sentence(tmp_path, subcommand):
    (tmp_path / "t.csv").write_text("a,cost,label\n1,0,x\n2,0,y\n3,0,x\n")
    assert_refused(
        novikoff(subcommand, tmp_path / "t.csv", "--weight", "cost", "-q", "-o", tmp_path / "m.nvk"), "weight"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.parametrize("subcommand", ["predict", "score", "certify", "report"])
def test_columns_that_vanished_or_changed_are_refused_in_one_sentence(fitted, folder, tmp_path, subcommand):
    model = fitted("mails.csv", "--text", "subject", "--hash-bits", "10")
    for what, records in {
        "sender": [{k: v for k, v in record.items() if k != "sender"} for record in sets.ROWS],
        "size": [record | {"size": "large"} for record in sets.ROWS],
        "cost": [record | {"cost": None} for record in sets.ROWS],
    }.items():
        data = tmp_path / "t.ndjson"
        data.write_bytes(sets.ndjson(records))
        assert_refused(
            novikoff(subcommand, model, data, *(["-o", tmp_path / "o"] if subcommand == "report" else [])), what
        )


def test_numbers_where_the_model_learned_strings_are_refused(fitted, tmp_path):
    model = fitted("mails.csv", "--text", "subject", "--hash-bits", "10")
    for suffix, content in (
        ("csv", sets.separated([record | {"sender": 7} for record in sets.ROWS], ",")),
        ("ndjson", sets.ndjson([record | {"sender": 7} for record in sets.ROWS])),
    ):
        (tmp_path / f"t.{suffix}").write_bytes(content)
        assert_refused(novikoff("predict", model, tmp_path / f"t.{suffix}"), "sender", "number")


def test_svmlight_for_a_model_that_encodes_tables_is_refused(fitted, folder):
    encoded = fitted("mails.csv", "--features", "size", "--features", "cost")
    assert_refused(novikoff("predict", encoded, "two.svm", folder=folder), "table")


def test_svmlight_for_a_model_of_named_columns_is_taken_by_number_with_a_note(fitted, folder):
    dense = fitted("mails.csv", "--features", "size", "--features", "cost", "--hash-bits", "10")
    run = novikoff("predict", dense, "two.svm", folder=folder)
    assert (run.code, run.out.count("\n")) == (0, 40)
    assert "matched by number" in run.err


def test_svmlight_for_a_model_whose_names_are_numbers_in_another_order_is_refused(tmp_path):
    learner = nk.Perceptron().partial_fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    named(learner, ["7", "2"]).save(tmp_path / "model.nvk")
    (tmp_path / "rows.svm").write_text("0 2:1\n0 7:1\n")
    assert_refused(novikoff("predict", tmp_path / "model.nvk", tmp_path / "rows.svm"), "another order", "predict_one")


def test_a_table_for_a_model_of_svmlight_is_refused(model, folder, tmp_path):
    assert_refused(novikoff("predict", model, "mails.csv", folder=folder))
    (tmp_path / "wide.csv").write_text("a,b,c,d,e,f,label\n1,2,3,4,5,6,1\n6,5,4,3,2,1,-1\n")
    assert_refused(novikoff("predict", model, tmp_path / "wide.csv"), "(columns a, b, c, d, e, ...)")


@pytest.mark.parametrize("subcommand", ["score", "certify"])
def test_labels_of_another_kind_are_no_match(model, folder, tmp_path, subcommand):
    """A model of the labels -1 and 1, and data whose labels are words."""
    done("convert", "two.svm", tmp_path / "two.csv", folder=folder)
    content = (tmp_path / "two.csv").read_text().replace("\n-1,", "\nno,").replace("\n1,", "\nyes,")
    (tmp_path / "words.csv").write_text(content)
    assert_refused(novikoff(subcommand, model, tmp_path / "words.csv"))


DAMAGES = ("empty", "cut in the length", "cut in the header", "cut in the tensors", "longer", "newer", "liblinear")
DAMAGES += ("svmlight", "zeros", "pickle")


def damaged(content):
    """Model files that are none: cut short at some places, of a newer version, and of other kinds."""
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    ours = json.loads(header["__metadata__"]["novikoff"])
    ours["version"] = 99
    header["__metadata__"]["novikoff"] = json.dumps(ours)
    newer = json.dumps(header).encode()
    return {
        "empty": b"",
        "cut in the length": content[:5],
        "cut in the header": content[: 8 + length // 2],
        "cut in the tensors": content[:-8],
        "longer": content + b"12345678",
        "newer": struct.pack("<Q", len(newer)) + newer + content[8 + length :],
        "liblinear": b"solver_type L2R_LR\nnr_class 2\n",
        "svmlight": GOOD,
        "zeros": bytes(100),
        "pickle": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94.",
    }


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.parametrize("subcommand", ["predict", "score", "certify", "inspect", "report", "stream"])
def test_bad_model_files_are_refused_in_one_sentence(model, folder, tmp_path, what, subcommand):
    bad = tmp_path / "bad.nvk"
    bad.write_bytes(damaged(model.read_bytes())[what])
    call = {"inspect": [subcommand, bad], "stream": [subcommand, "two.svm", "-i", bad, "-o", tmp_path / "o.nvk"]}
    call |= {"report": [subcommand, bad, "two.svm", "-o", tmp_path / "o.html"]}
    run = novikoff(*call.get(subcommand, [subcommand, bad, "two.svm"]), folder=folder)
    assert_refused(run, "bad.nvk", *(["version 99", "upgrade"] if what == "newer" else []))
    assert [path.name for path in tmp_path.iterdir()] == ["bad.nvk"]


def test_a_damaged_model_is_not_converted(model, tmp_path):
    """It is neither a model nor data; nothing is written."""
    for what in ("cut in the header", "cut in the tensors", "newer"):
        (tmp_path / "bad.nvk").write_bytes(damaged(model.read_bytes())[what])
        assert_refused(novikoff("convert", tmp_path / "bad.nvk", tmp_path / "o.json"), "bad.nvk")
        assert [path.name for path in tmp_path.iterdir()] == ["bad.nvk"]


@pytest.mark.parametrize("subcommand", ["predict", "stream", "convert"])
def test_a_very_long_line_is_refused_in_one_sentence(model, tmp_path, subcommand):
    data = tmp_path / "long.svm"
    data.write_bytes(b"1 " + b" " * ((1 << 26) + 10) + b"1:2\n")
    assert_refused(novikoff(*arguments(subcommand, model, data, tmp_path)), "long.svm")
    data.unlink()


@pytest.mark.slow  # test_app.py has a process of its own, too
@pytest.mark.parametrize("subcommand", READING)
def test_a_fresh_process_says_it_in_the_same_words(model, tmp_path, subcommand):
    data = tmp_path / "bad.svm"
    data.write_bytes(GOOD + b"1 1:nan\n")
    run = fresh(*arguments(subcommand, model, data, tmp_path))
    assert_refused(run, "bad.svm", "41")
    assert run == novikoff(*arguments(subcommand, model, data, tmp_path))


@pytest.mark.slow
def test_inspect_says_it_in_a_fresh_process(tmp_path):
    (tmp_path / "bad.nvk").write_bytes(b"nothing")
    assert_refused(fresh("inspect", tmp_path / "bad.nvk"), "bad.nvk")


@pytest.mark.parametrize("subcommand", ["predict", "score", "certify", "report", "inspect"])
def test_a_file_without_one_model_that_predicts_is_refused(several_models, unlearned, folder, tmp_path, subcommand):
    for path in (several_models, unlearned):
        words = [subcommand, path, *([] if subcommand == "inspect" else [folder / "two.svm"])]
        assert_refused(novikoff(*words, *(["-o", tmp_path / "r.html"] if subcommand == "report" else [])), path.name)


@pytest.fixture(scope="module")
def several_models(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("path") / "path.nvk"
    nk.LinearSVMPath(Cs=[0.1, 1.0]).fit(*nk.read(str(folder / "two.svm"))[:2]).save(path)
    return path


@pytest.fixture(scope="module")
def unlearned(tmp_path_factory):
    path, model = tmp_path_factory.mktemp("unlearned") / "unlearned.nvk", nk.Perceptron()
    model.learn_one({}, "a", 0.0)
    model.save(path)
    return path


def test_characters_that_the_output_cannot_encode_are_one_sentence(tmp_path):
    (tmp_path / "rows.csv").write_text("x,label\n1,gr\u00f6\u00dfe\n2,b\n", encoding="utf-8")
    assert novikoff("fit", tmp_path / "rows.csv", "-o", tmp_path / "m.nvk").code == 0
    assert_refused(novikoff("predict", tmp_path / "m.nvk", tmp_path / "rows.csv", charset="ascii"), "utf-8")
    run = novikoff("score", tmp_path / "m.nvk", tmp_path / "rows.csv", charset="ascii")
    assert run.code == 0
    assert r"gr\xf6\xdfe" in run.out


OPTIONS = ["missing", "C", "no_fit_intercept", "hash_bits", "max_iter", "probability", "format", "header", "quote"]


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ('t.csv, line 7: no value. Use missing="zero".', "t.csv, line 7: no value. Use --missing zero."),
        ("Use missing='zero' or missing='indicator'.", "Use --missing zero or --missing indicator."),
        ("LinearSVM: C must be positive, but it is -1.", "LinearSVM: --C must be positive, but it is -1."),
        ("Hashing: n_bits must be below 30.", "Hashing: --hash-bits must be below 30."),
        ("Use fit_intercept=False.", "Use --no-fit-intercept."),
        ("Use fit_intercept=True.", "Use fit_intercept=True."),
        ("Use probability=True, max_iter=1000.", "Use --probability, --max-iter 1000."),
        ("there is no column 'x', which missing= names.", "there is no column 'x', which --missing names."),
        ("there is no column 'x', which target= names.", "there is no column 'x', which the model needs."),
        ("Use header=False or header=True.", "Use --no-header or --header."),
        ('Use quote="" if quotes are values.', 'Use --quote "" if quotes are values.'),
        ("increase max_iter= or C=, or scale", "increase --max-iter or --C, or scale"),
        ("decrease C=.", "decrease --C."),
        ("Use index_base=0.", "Use index_base=0."),  # not an option of this subcommand
        ("x.svm: the format must match.", "x.svm: the format must match."),
    ],
)
def test_parameters_in_messages_become_options(message, shown):
    assert as_options(message, OPTIONS) == shown


def test_a_strategy_that_needs_another_loss_names_options_only(folder):
    run = novikoff("fit", "three.svm", "--multi-class", "crammer_singer", folder=folder)
    assert_refused(run, "Use --loss hinge instead of --loss squared_hinge, or --multi-class ovo.")


def test_too_little_memory_is_one_sentence_with_a_remedy(folder, monkeypatch):
    monkeypatch.setattr(nk.LinearSVM, "fit", lambda *given: (_ for _ in ()).throw(MemoryError()))
    run = novikoff("fit", "two.svm", "--holdout", "0", folder=folder)
    assert_refused(run, "Out of memory. Use 'novikoff stream', which needs a constant amount.")


def test_the_remedies_in_warnings_become_options():
    warnings = ["not converged: increase max_iter= or tol=, decrease C=, or scale", "column 'C=1' or 'C=' alone"]
    assert as_fit_options(warnings) == [
        "not converged: increase --max-iter or --tol, decrease --C, or scale",
        warnings[1],
    ]
