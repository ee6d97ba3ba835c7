"""DATA in every format is the same data, and a model knows how its own became rows."""

import bz2
import gzip
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import sets
from command import assert_refused, done, fresh, novikoff

import novikoff as nk

PACKED = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
MAILS = ("--text", "subject", "--hash-bits", "11", "--weight", "cost")


@pytest.fixture(scope="module")
def mails(folder, tmp_path_factory):
    """The mails in every format, by its name."""
    place, frame = tmp_path_factory.mktemp("mails"), pa.Table.from_pylist(sets.ROWS)
    pyarrow.parquet.write_table(frame, place / "mails.parquet")
    pyarrow.feather.write_feather(frame, place / "mails.arrow")
    (place / "mails.json").write_bytes(sets.ndjson(sets.ROWS))
    (place / "mails.csv.gz").write_bytes(gzip.compress((folder / "mails.csv").read_bytes()))
    named = {path.name.partition(".")[2]: path for path in place.iterdir()}
    named |= {name: folder / f"mails.{name}" for name in ("csv", "tsv", "ndjson")}
    return named | {"SQL": f"SELECT * FROM '{named['parquet']}'", "pattern": place / "mail?.parquet"}


FORMATS = ("csv", "csv.gz", "tsv", "ndjson", "json", "parquet", "arrow", "SQL", "pattern")


@pytest.fixture(scope="module")
def of_mails(fitted):
    return fitted("mails.csv", *MAILS)


@pytest.mark.parametrize("format", FORMATS)
def test_a_model_of_csv_predicts_the_same_from_every_format(of_mails, mails, format):
    expected = done("predict", of_mails, mails["csv"], "--scores").out
    assert len(set(expected.split())) > 10
    assert done("predict", of_mails, mails[format], "--scores").out == expected


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_makes_the_same_model(of_mails, mails, tmp_path, format):
    done("fit", mails[format], *MAILS, "-q", "-o", tmp_path / "m.nvk")
    assert nk.load(tmp_path / "m.nvk").coef_.tobytes() == nk.load(of_mails).coef_.tobytes()
    assert done("certify", of_mails, mails[format]).code == 0
    one, other = (done("score", of_mails, data, "--json").json for data in (mails[format], mails["csv"]))
    assert one == other


@pytest.mark.parametrize("format", ["csv", "tsv", "ndjson"])
def test_standard_input_has_the_format_that_is_named(of_mails, mails, format):
    content = mails[format].read_bytes()
    run = novikoff("predict", of_mails, "-", "--format", format, "--scores", input=content)
    assert (run.code, run.err) == (0, "")
    assert run.out == done("predict", of_mails, mails["csv"], "--scores").out


@pytest.mark.slow  # test_stream.py reads from a pipe, too
def test_standard_input_of_a_process_is_the_same(of_mails, mails):
    words, content = ["predict", of_mails, "-", "--format", "csv", "--scores"], mails["csv"].read_bytes()
    assert fresh(*words, input=content) == novikoff(*words, input=content)


@pytest.mark.parametrize("packed", PACKED)
def test_compressed_svmlight_is_svmlight(model, folder, tmp_path, packed):
    data = tmp_path / f"two.svm.{packed}"
    data.write_bytes(PACKED[packed]((folder / "two.svm").read_bytes()))
    assert done("predict", model, data).out == done("predict", model, "two.svm", folder=folder).out
    assert done("certify", model, data).code == 0


def test_columns_may_stand_in_another_order_and_beside_others(of_mails, mails, tmp_path):
    records = [{"id": f"n{i}", **dict(reversed(record.items()))} for i, record in enumerate(sets.ROWS)]
    (tmp_path / "turned.csv").write_bytes(sets.separated(records, ","))
    (tmp_path / "turned.ndjson").write_bytes(sets.ndjson(records))
    expected = done("predict", of_mails, mails["csv"], "--scores").out
    assert done("predict", of_mails, tmp_path / "turned.csv", "--scores").out == expected
    assert done("predict", of_mails, tmp_path / "turned.ndjson", "--scores").out == expected


def test_labels_and_weights_need_not_be_there_to_predict(of_mails, mails, tmp_path):
    records = [{k: v for k, v in record.items() if k not in ("label", "cost")} for record in sets.ROWS]
    (tmp_path / "new.csv").write_bytes(sets.separated(records, ","))
    expected = done("predict", of_mails, mails["csv"]).out
    assert done("predict", of_mails, tmp_path / "new.csv").out == expected
    assert_refused(novikoff("score", of_mails, tmp_path / "new.csv"), "label")
    assert_refused(novikoff("certify", of_mails, tmp_path / "new.csv"), "label")


def test_a_category_that_is_new_has_no_weight(of_mails, tmp_path):
    (tmp_path / "new.ndjson").write_bytes(sets.ndjson([sets.ROWS[0] | {"sender": "nobody ever"}]))
    score = float(done("predict", of_mails, tmp_path / "new.ndjson", "--scores").out)
    batch = nk.read(str(tmp_path / "new.ndjson"), text="subject", weight="cost", target="label",
                    hashing=nk.Hashing(n_bits=11))  # fmt: skip
    assert score == nk.load(of_mails).decision_function(batch.X)[0]


def test_columns_of_numbers_are_dense_and_found_by_their_names(tmp_path):
    records = [{"b": float(x), "a": float(y), "y": int(z)} for (x, y, *_), z in zip(sets.X, sets.TWO, strict=True)]
    (tmp_path / "t.csv").write_bytes(sets.separated(records, ","))
    done("fit", tmp_path / "t.csv", "-q", "-o", tmp_path / "m.nvk")
    (tmp_path / "t.tsv").write_bytes(sets.separated(records, "\t", ["y", "a", "b"]))
    expected = done("predict", tmp_path / "m.nvk", tmp_path / "t.csv", "--scores").out
    assert done("predict", tmp_path / "m.nvk", tmp_path / "t.tsv", "--scores").out == expected
    model = nk.load(tmp_path / "m.nvk")
    X = np.array([[record["b"], record["a"]] for record in records])
    assert np.array_equal(np.array(expected.split(), float), model.decision_function(X))
    shown = done("inspect", tmp_path / "m.nvk", "--json").json["weights"][0]["largest"]
    assert {entry["feature"] for entry in shown} == {"a", "b"}


def test_the_target_is_kept_with_the_model(folder, tmp_path):
    done("fit", "mails.csv", "--target", "sender", "--features", "size", "--features", "cost", "-q", "-o",
         tmp_path / "m.nvk", folder=folder)  # fmt: skip
    run = done("score", tmp_path / "m.nvk", "mails.ndjson", "--json", folder=folder)
    assert run.json["labels"] == ["boss", "friend", "shop"]
    assert done("certify", tmp_path / "m.nvk", "mails.tsv", folder=folder).code == 0


def test_missing_values_mean_what_they_meant(tmp_path):
    records = [record | ({"size": None} if i % 5 == 0 else {}) for i, record in enumerate(sets.ROWS)]
    (tmp_path / "holes.csv").write_bytes(sets.separated(records, ","))
    (tmp_path / "holes.ndjson").write_bytes(sets.ndjson(records))
    assert_refused(novikoff("fit", tmp_path / "holes.csv", "--missing", "error"), "size")
    for missing in ("mean", "median", "zero", "-1.5"):
        model = tmp_path / f"{missing}.nvk"
        done("fit", tmp_path / "holes.csv", "--missing", missing, "-q", "-o", model)
        for data in ("holes.csv", "holes.ndjson"):
            assert done("certify", model, tmp_path / data).code == 0


def test_svmlight_that_counts_from_0_is_read_so_again(tmp_path):
    lines = [f"{y} " + " ".join(f"{j}:{v}" for j, v in enumerate(x)) for x, y in zip(sets.X, sets.TWO, strict=True)]
    (tmp_path / "zero.svm").write_text("\n".join(lines) + "\n")
    assert_refused(novikoff("fit", tmp_path / "zero.svm"), "0:")
    done("fit", tmp_path / "zero.svm", "--index-base", "0", "-q", "-o", tmp_path / "m.nvk")
    assert done("certify", tmp_path / "m.nvk", tmp_path / "zero.svm").code == 0
    assert done("inspect", tmp_path / "m.nvk", "--json").json["features"] == 4


BAD_LINES = {  # a file, two of whose lines are malformed, and another one of these
    "csv": (b"x,y\n" + b"1,a\n2,b\n5,b\n" * 8 + b"1,2,3\n" + b"4,b\n" + b"1\n", b"7\n"),
    "ndjson": (b'{"x": 1, "y": "a"}\n{"x": 2, "y": "b"}\n' * 12 + b'{"x"\n{"x": 4, "y": "b"}\n{\n', b"{\n"),
    "svm": (b"0 1:1\n1 1:2\n" * 12 + b"0 1:x\n" + b"1 1:4\n" + b"x\n", b"x\n"),
}


@pytest.mark.parametrize("kind", BAD_LINES)
def test_malformed_lines_are_skipped_if_asked_for(tmp_path, kind):
    text, one_more = BAD_LINES[kind]
    data, model, skip = tmp_path / f"bad.{kind}", tmp_path / "m.nvk", ("--on-bad", "skip")
    data.write_bytes(text)
    refused = novikoff("fit", data)
    assert "Use --on-bad skip to leave out malformed lines." in refused.err
    fit = novikoff("fit", data, "-o", model, *skip)
    assert "skipped 2 malformed lines" in fit.err
    assert "--on-bad skip" in fit.out
    assert novikoff("fit", data, "--json", *skip).json["bad_lines"] == 2
    rows = text.count(b"\n") - 2 - (kind == "csv")
    for subcommand in ("predict", "score", "report", "certify"):
        assert novikoff(subcommand, model, data, folder=tmp_path).code == 2
        run = novikoff(subcommand, model, data, *skip, folder=tmp_path)
        assert (run.code, "skipped 2 malformed lines" in run.err) == (0, True)
        assert novikoff(subcommand, model, data, "--json", *skip, folder=tmp_path).json["bad_lines"] == 2
        assert subcommand != "predict" or len(run.out.splitlines()) == rows
    data.write_bytes(text + one_more)
    assert_refused(
        novikoff("certify", model, data, "--json", *skip), "3 malformed lines of", "2 were when the model was fitted"
    )


def test_lines_are_skipped_in_text_by_a_known_word(folder, fitted):
    assert_refused(novikoff("fit", "SELECT 1 AS x, 2 AS y", "--on-bad", "skip"), "lines can be skipped in svmlight")
    assert_refused(novikoff("fit", folder / "mails.csv", "--on-bad", "jump"), "skip or stop is needed")
    assert_refused(novikoff("fit", folder / "mails.csv", "--on", "local", "--on-bad", "skip"), "--on-bad")


def test_arrays_of_numpy_are_read_and_amounts_refused(tmp_path):
    X, y = sets.X, np.arange(len(sets.X)) % 2
    np.savez(tmp_path / "rows.npz", X=X, y=y)
    np.save(tmp_path / "rows.npy", X)
    novikoff("fit", "rows.npz", "-o", "m.nvk", folder=tmp_path)
    assert novikoff("certify", "m.nvk", "rows.npz", folder=tmp_path).code == 0
    assert len(novikoff("predict", "m.nvk", "rows.npy", folder=tmp_path).out.splitlines()) == len(X)
    (tmp_path / "t.csv").write_text("a,price\n" + "".join(f"{i % 3},{i}\n" for i in range(60)))
    refused = novikoff("fit", "t.csv", "--target", "price", folder=tmp_path)
    assert_refused(refused, "a regression target", "--numbers-as-classes")
    run = novikoff("fit", "t.csv", "--target", "price", "--numbers-as-classes", "--holdout", "0", folder=tmp_path)
    assert run.code == 0
