"""Several sources as one table: codes that mean the same in all of them, roles, and notes."""

import io

import pytest

import novikoff as nk
from novikoff import TableEncoder
from novikoff.data.formats import FORMATS
from novikoff.data.tables.block import Invalid
from novikoff.data.tables.source_table import invalid_values


def table(*texts, folder=None, known=None, **options):
    """The table in some texts, as files if a folder is given."""
    sources = [text.encode() for text in texts]
    if folder is not None:
        sources = [folder / f"{i}.csv" for i in range(len(texts))]
        for path, text in zip(sources, texts, strict=True):
            path.write_text(text)
    return FORMATS["csv"].table("scan", sources, options, 10, known=known)


def rows_of(blocks, names):
    rows = []
    for block in blocks:
        columns = []
        for name in names:
            if name in block.number_names:
                columns.append(block.number_columns([name])[:, 0].tolist())
            else:
                codes, values = block.string_column(name)
                columns.append([values[code] if code >= 0 else None for code in codes])
        rows += zip(*columns, strict=True)
    return rows


def test_codes_mean_the_same_in_all_files_also_if_their_columns_are_in_another_order(tmp_path):
    first, second = "s,x,t,z,y\na,1,u,8,0\nb,2,v,8,1\n,3,u,8,1\n", "z,y,t,s,x\n9,0,w,b,5\n9,1,u,c,6\n"
    found = table(first, second, folder=tmp_path)
    blocks = list(found.blocks())
    expected = [("a", 1, "u", 8), ("b", 2, "v", 8), (None, 3, "u", 8), ("b", 5, "w", 9), ("c", 6, "u", 9)]
    assert rows_of(blocks, ["s", "x", "t", "z"]) == expected
    for name, values in {"s": ["a", "b", "c"], "t": ["u", "v", "w"]}.items():
        assert list(blocks[-1].string_column(name)[1]) == values
        assert all(list(block.string_column(name)[1])[:2] == values[:2] for block in blocks)
    encoder = TableEncoder(scale="none")
    encoder.fit_blocks(blocks, {"s": "string", "x": "number", "t": "string", "z": "number"})
    X = encoder.encoding_.rows(list(table(first, second, folder=tmp_path).blocks())).toarray()
    assert encoder.encoding_.names == ("s=a", "s=b", "s=c", "s=missing", "x", "t=u", "t=v", "t=w", "z")
    assert X.tolist() == [
        [1, 0, 0, 0, 1, 1, 0, 0, 8],
        [0, 1, 0, 0, 2, 0, 1, 0, 8],
        [0, 0, 0, 1, 3, 1, 0, 0, 8],
        [0, 1, 0, 0, 5, 0, 0, 1, 9],
        [0, 0, 1, 0, 6, 1, 0, 0, 9],
    ]


def test_a_pipe_is_not_opened_before_it_is_needed():
    class Never(io.BytesIO):
        def read(self, *_):
            raise AssertionError("opened")

        readinto = read1 = read

    found = FORMATS["csv"].table("scan", [Never()], {}, 10)
    assert not hasattr(found, "columns")
    assert not found.is_lasting


def test_invalid_values_of_all_files_are_counted(tmp_path):
    good = "x,y\n" + "1,0\n" * 300
    found = table(good, good + "many,0\n", good + "some,0\nmany,1\n", folder=tmp_path)
    list(found.blocks())
    assert found.invalid == {"x": Invalid(3, "many", f"{tmp_path}/1.csv, line 302", 2)}
    (note,) = invalid_values(found)
    assert "x" in note
    assert "'many'" in note
    list(found.blocks({"x": "string"}))
    assert found.invalid == {}


def test_a_source_that_cannot_be_opened_is_refused_at_once(tmp_path):
    with pytest.raises(nk.FileError, match=r"no\.csv"):
        FORMATS["csv"].table("scan", [tmp_path / "no.csv"], {}, 10)
