"""Delimiters and quotes, by content."""

import pytest

from novikoff.data.delimited.sniffing import find_split, split_records


def split(text, delimiter=None, quote=None, preferred=None):
    return find_split([f"{line}\n" for line in text.split("\n")], delimiter, quote, preferred)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n3,4", ","),
        ("a;b\n1,5;2,5\n3,5;4,5", ";"),
        ("a\tb\nx, y, z\t1\nx; y\t2", "\t"),
        ("a|b|c\n1|x y|3\n4|z|6", "|"),
        ("1 2 3\n4 5 6", " "),
        ("  1   2.5  3\n 41   5  6 ", " "),
        ("a b c\n1\t2 3\n4 5  6", " "),
        ("39, State-gov, 7\n50, Self emp not inc, 1", ","),
        ('a,b\n"x;y;z",1\n"u;v;w",2', ","),
        ("name\nJohn Smith\nJane Doe", ""),
        ("word\nword\nother", ""),
        ("I came, I saw\nYes\nWell, no, or yes\nNo", ""),
        ("1\n2\n3", ""),
        ("2024-01-01 10:00\n2024-01-01 11:00\n2024-01-01 12:00", ""),
        ("1,a;b,x\n2,c;d,y\n3,e;f,z", ","),
        ("5,1 3,5\n4,9 3,0\n4,7 3,2", " "),
        ("sepal length,class label\n5.1,Iris setosa\n7.0,Iris versicolor", ","),
    ],
)
def test_the_delimiter_is_the_one_on_which_the_lines_agree(text, delimiter):
    assert split(text).delimiter == delimiter


def test_the_name_of_a_file_decides_between_equals():
    assert split("a,b\tc\n1,2\t3", preferred="\t").delimiter == "\t"
    assert split("a,b\n1,2", preferred="\t").delimiter == ","


@pytest.mark.parametrize(
    ("text", "quote", "second"),
    [
        ("a,b\n1,2", '"', ["1", "2"]),
        ("a\tb\n1\t2", "", ["1", "2"]),
        ('a,b\n"x, y",2\n1,2', '"', ["x, y", "2"]),
        ('a,b\n"x\ny",2\n1,2', '"', ["x\ny", "2"]),
        ('a, b\n1, "x, y"\n1, 2', '"', ["1", "x, y"]),
        ('a\tb\n"x\ty"\t2\n1\t2', '"', ["x\ty", "2"]),
        ('a\tb\n"he said\t2\n5" pipe\t2', "", ['"he said', "2"]),
        ('a,b\n"he" said,2\n5" pipe,2', "", ['"he" said', "2"]),
        ('b\ta\n1\t"win\n2\tx\n3\tnow"\n4\ty', "", ["1", '"win']),
        ('a\tb\n1\t"x\ny"\n2\tz', '"', ["1", "x\ny"]),
        ('a,b\n"x, y",1\n"u, v",2\n"he" said,3', '"', ["x, y", "1"]),
        ('size,b\n5" pipe,2\n6" pipe,3', '"', ['5" pipe', "2"]),
        ("a,b\n'x',2\n'y',3", "'", ["x", "2"]),
        ("a,b\n'tis,2\nthat's,3", '"', ["'tis", "2"]),
        ('"a" "b"\n"1" "x y" 2\n"2" "z" 3', '"', ["1", "x y", "2"]),
    ],
)
def test_quotes_are_found_where_they_surround_fields(text, quote, second):
    found = split(text)
    assert (found.quote, found.records[1]) == (quote, second)


def test_given_delimiters_and_quotes_are_used():
    assert split("a,b;c\n1,2;3", delimiter=";").records == [["a,b", "c"], ["1,2", "3"]]
    assert split('"a,b"\n"c,d"', delimiter=",", quote="").records == [['"a', 'b"'], ['"c', 'd"']]


def test_lines_may_end_inside_a_quoted_field():
    found = split('a,b\n1,"x"\n2,"y"\n3,"z\nand')
    assert (found.quote, found.records) == ('"', [["a", "b"], ["1", "x"], ["2", "y"]])


def test_blank_lines_are_not_records():
    assert split("a,b\n\n  \n1,2\n").records == [["a", "b"], ["1", "2"]]


def test_a_quote_that_is_never_closed_is_noticed():
    assert split_records(['"a,b\n', "c\n", "d\n"], ",", '"') is None


def test_the_width_is_that_of_most_records():
    found = split_records(["a,b\n", "1,2,3\n", "4,5,6\n", "7,8,9\n"], ",", "")
    assert (found.width, found.consistency) == (3, 1.0)
    assert split_records(["a,b,c\n", "1,2\n"], ",", "").width == 2
