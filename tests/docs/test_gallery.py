"""examples/gallery: each example has a title, a description and a picture, and runs alone and without a warning."""

import ast
import re
import socket
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "gallery"
EXAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.py"))}
LOCAL = ("127.0.0.1", "::1", "localhost")
every_example = pytest.mark.parametrize("name", EXAMPLES)


def is_local(address):
    """Whether a connection to this address stays on this machine; the path of a Unix socket does."""
    return not isinstance(address, tuple) or address[0] in LOCAL


def run(name, monkeypatch):
    """Run an example as a script and return its figures. A port, or a connection to another machine, is an error."""
    connect = socket.socket.connect

    def connect_locally(self, address):
        assert is_local(address), f"{name} connects to {address}"
        return connect(self, address)

    def open_no_port(self, *backlog):
        raise AssertionError(f"{name} opens a port")

    monkeypatch.setattr(socket.socket, "connect", connect_locally)
    monkeypatch.setattr(socket.socket, "listen", open_no_port)
    monkeypatch.setattr(plt, "show", lambda: None)
    path = FOLDER / f"{name}.py"
    with mpl.rc_context():
        exec(compile(EXAMPLES[name], path, "exec"), {"__name__": "__main__", "__file__": str(path)})
        return [plt.figure(number) for number in plt.get_fignums()]


@pytest.fixture
def figures_closed():
    """No figure of another test is open, and none stays open."""
    plt.switch_backend("agg")
    plt.close("all")
    yield
    plt.close("all")


def is_labelled(axes):
    """Whether both axes have a label. The panels of one row share the vertical one, those of one column the other."""
    place = axes.get_subplotspec()
    words = any(re.search("[a-z]{3}", label.get_text()) for label in axes.get_yticklabels())
    x_label = axes.get_xlabel() or not place.is_last_row()
    y_label = axes.get_ylabel() or words or not place.is_first_col()
    return bool(x_label and y_label)


@pytest.mark.slow
@every_example
@pytest.mark.usefixtures("figures_closed")
def test_an_example_draws_labelled_axes_prints_and_leaves_no_file(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    figures = run(name, monkeypatch)
    assert figures
    for figure in figures:
        figure.canvas.draw()
        assert figure.axes
        assert all(map(is_labelled, figure.axes))
    assert capsys.readouterr().out.strip()
    assert list(tmp_path.iterdir()) == []


@every_example
def test_an_example_has_a_title_a_description_sections_and_a_picture(name):
    title, underline, *description = ast.get_docstring(ast.parse(EXAMPLES[name])).splitlines()
    assert underline == "=" * len(title)
    assert len(" ".join(description).split()) >= 50
    assert len(re.findall(r"^# %%$", EXAMPLES[name], re.M)) >= 2
    headings = re.findall(r"^# (.+)\n# (-{4,})$", EXAMPLES[name], re.M)
    assert headings
    assert all(len(underline) == len(heading) for heading, underline in headings)
    assert not re.search(r":math:|\$", EXAMPLES[name])  # LaTeX is not rendered
    assert "plt.show()" in EXAMPLES[name]


@every_example
def test_an_example_is_generated_from_fixed_seeds_or_bundled_data(name):
    assert not re.search(
        r"default_rng\(\)|np\.random\.(?!default_rng)|fetch_|https?:|urlopen|shared/data", EXAMPLES[name]
    )


@pytest.mark.usefixtures("figures_closed")
@pytest.mark.parametrize(
    ("call", "words"), [("connect(('192.0.2.1', 80))", "connects to"), ("listen()", "opens a port")]
)
def test_a_port_or_a_connection_to_another_machine_is_an_error(call, words, monkeypatch):
    code = f"import socket\nwith socket.socket() as other:\n    other.{call}"
    monkeypatch.setitem(EXAMPLES, "plot_other", code)
    with pytest.raises(AssertionError, match=words):
        run("plot_other", monkeypatch)
