"""Tables for notebooks."""

from novikoff._html import Markup, badge, escaped, folded, table

HOSTILE = "<script>alert('x')</script>"


def test_all_text_is_escaped():
    for page in (table(HOSTILE, [(HOSTILE, HOSTILE), (HOSTILE,)], (HOSTILE, HOSTILE)), badge(HOSTILE, "#000")):
        assert "<script>" not in page
    assert "<script>" not in folded(HOSTILE, "")


def test_first_cell_is_the_heading_of_its_row_unless_cells_are_numbers():
    assert table("", [("a", "b")]).count('<th scope="row"') == 1
    assert table("", [("1", "2")], is_numeric=True).count("<th") == 0
    assert table("", [("a", "b")], ("x", "y")).count('<th scope="col"') == 2


def test_single_cell_takes_the_whole_width():
    assert '<td colspan="3"' in table("", [("a", "b", "c"), ("and more",)], ("x", "y", "z"))


def test_markup_is_kept():
    assert table("", [(Markup("<b>a</b>"), "b")]).count("<b>a</b>") == 1


def test_details_can_be_open():
    assert folded("a", "b").startswith("<details><summary>a")
    assert folded("a", "b", is_open=True).startswith("<details open>")


def test_control_characters_are_visible():
    assert escaped("<b>\x1b\u202e\n") == "&lt;b&gt;\\x1b\\u202e\n"
    assert r"a\x00" in table("a\0", [])
