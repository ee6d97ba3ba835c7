"""The table of settings: conversion, limits, and what the messages say."""

import pytest

from novikoff.errors import InvalidInputError
from novikoff.serve.settings import SETTINGS, Settings, check_model_name, check_together, shown


@pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)
def test_a_default_is_allowed_and_is_read_from_its_own_text(setting):
    assert setting.help.endswith(".")
    assert getattr(Settings(), setting.name) == setting.default
    if setting.default is not None:
        assert setting.convert(shown(setting.default, setting.kind), "here") == setting.default
        assert setting.convert(setting.default, "here") == setting.default


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("port", "0", 0),
        ("port", 65535, 65535),
        ("max_body", "1 MiB", 1 << 20),
        ("max_body", "2048", 2048),
        ("max_body", "1GiB", 1 << 30),
        ("idle_seconds", "2.5", 2.5),
        ("idle_seconds", 3, 3.0),
        ("durability", "off", "off"),
        ("state", "a b", "a b"),
    ],
)
def test_values_are_converted(name, value, expected):
    found = SETTINGS[name].convert(value, "here")
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "-1"),
        ("port", "65536"),
        ("port", "1e3"),
        ("port", True),
        ("port", 1.0),
        ("port", "٣"),
        ("queue", "0"),
        ("max_body", "1MB"),
        ("max_body", "1.5MiB"),
        ("max_body", "1"),
        ("idle_seconds", "nan"),
        ("idle_seconds", float("inf")),
        ("idle_seconds", "0"),
        ("durability", "FULL"),
        ("durability", ""),
        ("state", ""),
        ("state", 1),
        ("state", "a\x1b"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_what_is(name, value):
    with pytest.raises(InvalidInputError) as caught:
        SETTINGS[name].convert(value, "--here")
    assert str(caught.value).startswith("--here: ")
    assert SETTINGS[name].allowed in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {"tls_key": "k"},
        {"tls_certificate": "c"},
    ],
)
def test_settings_that_do_not_fit_each_other_are_refused(values):
    with pytest.raises(InvalidInputError):
        check_together(Settings(**values))


def test_settings_that_fit_are_taken():
    check_together(Settings(tls_key="k", tls_certificate="c"))


@pytest.mark.parametrize("name", ["", "-a", ".a", "a/b", "a" * 101, "ä", "a\n", ".."])
def test_names_of_models_are_no_paths(name):
    with pytest.raises(InvalidInputError):
        check_model_name(name)
    check_model_name("A1._-")
