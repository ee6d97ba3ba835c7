from novikoff.plot.labels import matplotlib_label, shortened


def test_long_names_are_cut_and_stay_on_one_line():
    assert shortened("a\n b", 10) == "a b"
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert shortened("abcdefghijk", 10) == "abcdefghi…"


def test_dollar_signs_are_escaped_for_matplotlib():
    assert matplotlib_label("$a$") == r"\$a\$"
