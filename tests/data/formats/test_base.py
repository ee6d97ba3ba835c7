"""The registry of formats: how the format of a source is found, and a format that is added from outside the package."""

import io

import numpy as np
import pytest
from command import novikoff

import novikoff as nk
from novikoff.data.batch import Batch
from novikoff.data.formats import FORMATS, Batches, DataFormat, file_formats, find_format, format_named
from novikoff.data.source import line_blocks, opened


class FixedWidth(DataFormat):
    """Lines of a label and numbers in columns of equal width."""

    name = "fixed"
    suffixes = (".fixed",)
    options = ("field",)
    can_write = True

    def recognizes(self, beginning):
        return beginning.startswith(b"#fixed")

    def open(self, where, sources, options, batch_size, follow):
        size = options.get("field", 8)

        def batches():
            rows = []
            with opened(where, sources[0], follow=follow) as fill:
                for block in line_blocks(fill):
                    for line in bytes(block).decode().splitlines():
                        if not line.startswith("#"):
                            rows.append([float(line[k : k + size]) for k in range(0, len(line), size)])
                        if len(rows) == batch_size:
                            yield self.batch(rows)
                            rows = []
            if rows:
                yield self.batch(rows)

        return Batches(batches)

    def batch(self, rows):
        table = np.array(rows)
        return Batch(table[:, 1:], table[:, 0].astype(np.int64), index_base=1)

    def write_rows(self, where, file, rows):
        for part in rows:
            for label, numbers in zip(part.y, part.X, strict=True):
                file.write(("".join(f"{number:8g}" for number in [label, *numbers]) + "\n").encode())


@pytest.fixture
def fixed():
    FORMATS.register("fixed", FixedWidth())
    yield
    FORMATS.unregister("fixed")


X, Y = np.array([[1.0, 2.0], [-3.0, 0.5], [2.0, 1.0], [-1.0, -1.5]]), np.array([1, 0, 1, 0])


@pytest.fixture
def path(fixed, tmp_path):
    nk.write((X, Y), tmp_path / "rows.fixed")
    return tmp_path / "rows.fixed"


def test_a_format_from_outside_is_written_and_read(path):
    assert path.read_text().splitlines()[:2] == ["       1       1       2", "       0      -3     0.5"]
    batch = nk.read(path)
    np.testing.assert_array_equal(batch.X, X)
    np.testing.assert_array_equal(batch.y, Y)


def test_a_format_from_outside_is_a_stream(path):
    stream = nk.scan(path, batch_size=3)
    assert [y.tolist() for _, y in stream] == [[1, 0, 1], [0]]
    expected = nk.Perceptron().partial_fit(X, Y)
    np.testing.assert_array_equal(nk.Perceptron().partial_fit(stream).coef_, expected.coef_)


def test_a_format_from_outside_is_named_recognised_and_compressed(path):
    text = path.read_bytes()
    assert nk.read(text, format="fixed").X.tolist() == X.tolist()
    assert nk.read(io.BytesIO(text), format="fixed").X.tolist() == X.tolist()
    (path.parent / "unnamed").write_bytes(b"#fixed\n" + text)
    assert nk.read(path.parent / "unnamed").X.tolist() == X.tolist()
    nk.write(path, path.with_name("rows.fixed.gz"))
    assert nk.read(path.with_name("rows.fixed.gz")).X.tolist() == X.tolist()


def test_a_format_from_outside_has_options_of_its_own(path):
    assert nk.read(b"   1   2\n   0  -1\n", format="fixed", field=4).X.tolist() == [[2.0], [-1.0]]
    with pytest.raises(nk.InvalidInputError, match=r"^read: field=4 is an option of fixed, but the source is svmlight"):
        nk.read(b"1 1:1\n", field=4)
    with pytest.raises(
        nk.InvalidInputError, match=r"^scan: target='y' is an option of csv, .* but the source is fixed"
    ):
        nk.scan(path, target="y")


def test_the_command_line_takes_a_format_from_outside(path):
    model = path.with_name("model.nvk")
    for arguments in (("fit", path, "--format", "fixed"), ("stream", path)):
        done = novikoff(*arguments, "-o", model, "--quiet")
        assert done.code == 0, done
        assert nk.load(model).predict(X).shape == (4,)
    done = novikoff("convert", path, path.with_name("rows.csv"))
    assert done.code == 0, done
    assert path.with_name("rows.csv").read_text().startswith("label,x1,x2\n1,1,2\n")


def test_after_it_is_removed_a_format_is_unknown(tmp_path):
    with pytest.raises(nk.InvalidInputError, match="format must be one of svmlight"):
        nk.read(b"1", format="fixed")
    assert format_named("rows.fixed") is None


def test_every_format_is_registered_under_its_name():
    assert all(FORMATS[name].name == name for name in FORMATS)
    suffixes = [suffix for known in FORMATS.values() for suffix in known.suffixes]
    assert len(set(suffixes)) == len(suffixes)


def test_the_file_name_determines_the_format_unless_it_is_given(tmp_path):
    assert format_named("a.b/X.CSV.GZ") is format_named("x.csv") is FORMATS["csv"]
    assert format_named("x.gz") is format_named("x.svm") is format_named("csv") is None
    (tmp_path / "data.txt").write_text("x,label\n1,2\n")
    assert nk.read(tmp_path / "data.txt", format="csv").y.tolist() == [2]
    assert find_format("scan", tmp_path / "data.txt") is FORMATS["csv"]
    assert find_format("scan", tmp_path / "data.txt", "svmlight") is FORMATS["svmlight"]


def test_queries_and_frames_are_not_formats_of_files():
    assert set(FORMATS) - set(file_formats()) == {"sql", "frame"}
    assert set(file_formats()) - set(file_formats(writable=True)) == {"excel", "numpy"}
