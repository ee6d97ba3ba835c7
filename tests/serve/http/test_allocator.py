import platform
import sys

from novikoff.serve.http.allocator import keep_memory


def test_glibc_takes_the_settings_and_others_are_left_alone(monkeypatch):
    assert keep_memory() == (platform.libc_ver()[0] == "glibc")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert not keep_memory()
