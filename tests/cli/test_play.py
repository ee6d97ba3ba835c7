"""novikoff play: the playground, in the browser."""

import webbrowser
from pathlib import Path

import pytest
from command import assert_refused, done, novikoff

from novikoff._play import playground


def test_the_page_is_written_and_nothing_is_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail(f"{address} was opened"))
    run = done("play", "-o", tmp_path / "play.html")
    assert run.out == f"playground  {tmp_path / 'play.html'}\n"
    assert (tmp_path / "play.html").read_text(encoding="utf-8") == playground()


def test_the_page_is_opened_from_a_temporary_folder(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    run = done("play", "--json").json
    assert run["opened"] is True
    assert opened == [Path(run["playground"]).as_uri()]
    assert Path(run["playground"]).read_text(encoding="utf-8") == playground()
    assert tmp_path in Path(run["playground"]).parents


@pytest.mark.parametrize("failure", [lambda address: False, None])
def test_without_a_browser_the_path_is_printed(tmp_path, monkeypatch, failure):
    def refuse(address):
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", failure or refuse)
    run = done("play")
    path = next(tmp_path.rglob("playground.html"))
    assert run.out == f"playground  {path}\nbrowser     none was found; open the file in a browser\n"


def test_a_folder_that_does_not_exist_is_refused(tmp_path):
    assert_refused(novikoff("play", "-o", tmp_path / "missing" / "play.html"), "missing")
