"""Texts and categories are told apart by how often strings repeat, and by their words."""

from novikoff.data.tables.text_columns import looks_like_text

MAILS = [f"mail {i} about a meeting" for i in range(20)]


def test_texts_differ_and_have_several_words():
    assert looks_like_text(MAILS, 20)
    assert looks_like_text(MAILS, 40)
    assert not looks_like_text(MAILS, 41)


def test_few_rows_or_single_words_are_not_texts():
    assert not looks_like_text(MAILS[:19], 19)
    assert not looks_like_text([f"city {i}" for i in range(1000)], 1000)
