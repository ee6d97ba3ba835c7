"""Each verb in a process of its own, between pipes: what it prints, and how it ends."""

import json
import os
import signal
import subprocess
import sys

import pytest
from command import assert_refused, feed, fresh, novikoff, start

import novikoff as nk
from novikoff.cli._app import VERBS

NEGATIVE = {"certify": 1, "separable": 1}


def call(verb, model, folder, negative=False):
    """A call of a verb that goes well, or whose verdict is negative; the last argument is where it writes."""
    data = "three.svm" if negative and verb == "certify" else "two.svm"
    return {
        "fit": ["fit", data, "--test", data, "-o", folder / "fit.nvk"],
        "stream": ["stream", data, "-o", folder / "stream.nvk"],
        "separable": ["separable", folder / "overlap.svm" if negative else data],
        "inspect": ["inspect", model],
        "convert": ["convert", data, folder / "converted.csv"],
        "report": ["report", model, data, "-o", folder / "report.html"],
    }.get(verb, [verb, model, data])


@pytest.fixture
def place(tmp_path):
    (tmp_path / "overlap.svm").write_bytes(b"1 1:1\n-1 1:2\n1 1:3\n-1 1:0\n")
    return tmp_path


def assert_plain(run):
    """Nothing that only a terminal understands."""
    assert "\x1b" not in run.out + run.err
    assert "\r" not in run.out + run.err


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_between_pipes_prints_its_result_and_nothing_else(model, folder, place, verb):
    run = fresh(*call(verb, model, place), folder=folder)
    assert (run.code, run.err) == (0, "")
    assert run.out.endswith("\n")
    assert_plain(run)


@pytest.mark.parametrize("verb", VERBS)
def test_json_is_one_object_and_nothing_else(model, folder, place, verb):
    run = fresh(*call(verb, model, place), "--json", folder=folder)
    assert (run.code, run.err) == (0, "")
    assert isinstance(run.json, dict)
    assert run.out.count("\n") == 1


@pytest.mark.parametrize("verb", NEGATIVE)
def test_a_negative_verdict_is_exit_code_1_with_json_all_the_same(model, folder, place, verb):
    run = fresh(*call(verb, model, place, negative=True), "--json", folder=folder)
    assert (run.code, run.err) == (1, "")
    assert isinstance(run.json, dict)
    assert_plain(run)


@pytest.mark.parametrize("verb", VERBS)
def test_json_has_no_numbers_that_json_does_not_know(model, folder, place, verb):
    def refuse(constant):
        raise AssertionError(constant)

    json.loads(novikoff(*call(verb, model, place), "--json", folder=folder).out, parse_constant=refuse)


def test_what_verbs_tell_is_what_the_library_says(model, folder, place):
    """score, inspect and fit, against the model itself."""
    loaded, (X, y) = nk.load(model), nk.read(str(folder / "two.svm"))
    score = novikoff("score", model, "two.svm", "--json", folder=folder).json
    assert score["accuracy"] == loaded.score(X, y)
    assert score["rows"] == 40
    assert sum(map(sum, score["confusion"])) == 40
    inspect = novikoff("inspect", model, "--json", "--top", "2", folder=folder).json
    assert inspect["intercepts"] == loaded.intercept_.tolist()
    largest = inspect["weights"][0]["largest"]
    assert len(largest) == 2
    assert abs(largest[0]["weight"]) == abs(loaded.coef_).max()
    fit = novikoff("fit", "two.svm", "--json", folder=folder).json
    assert (fit["rows"], fit["columns"], fit["training_accuracy"]) == (40, 4, loaded.score(X, y))
    assert fit["classes"] == [{"label": -1, "rows": int((y == -1).sum())}, {"label": 1, "rows": int((y == 1).sum())}]


@pytest.mark.parametrize(
    ("data", "code", "kind"),
    [
        (b"1 1:1\n-1 1:2\n", 0, "complete"),
        (b"1 1:1\n-1 1:1\n-1 1:2\n", 1, "quasi-complete"),
        (b"1 1:1\n-1 1:2\n1 1:3\n", 1, "overlap"),
    ],
)
@pytest.mark.parametrize("exact", [False, True])
def test_separable_says_what_is_so(data, code, kind, exact):
    run = novikoff("separable", "-", "--json", *(["--exact"] * exact), input=data)
    assert (run.code, run.err) == (code, "")
    assert (run.json["kind"], run.json["verified"], run.json["exact"]) == (kind, True, exact)


def test_separable_through_the_origin_is_another_question():
    data = b"1 1:1\n-1 1:2\n"
    assert novikoff("separable", "-", input=data).code == 0
    assert novikoff("separable", "-", "--no-fit-intercept", input=data).code == 1


def test_standard_input_is_data(model, folder, tmp_path):
    content = (folder / "two.svm").read_bytes()
    expected = novikoff("predict", model, "two.svm", folder=folder).out
    assert fresh("predict", model, "-", input=content).out == expected
    run = fresh("fit", "-", "-o", tmp_path / "m.nvk", "-q", input=content)
    assert (run.code, run.err) == (0, "")
    assert nk.load(tmp_path / "m.nvk").coef_.tobytes() == nk.load(model).coef_.tobytes()


def test_a_model_that_did_not_converge_says_so_on_standard_error(folder):
    run = fresh("fit", "three.svm", "--max-iter", "1", "--tol", "1e-12", "--json", folder=folder)
    assert run.code == 0
    assert run.err.startswith("warning: ")
    assert "Traceback" not in run.err
    assert "/" not in run.err  # no file and line of the library
    assert run.json["rows"] == 40


def test_the_version_is_that_of_the_library():
    run = fresh("--version")
    assert (run.code, run.out, run.err) == (0, f"novikoff {nk.__version__}\n", "")


def test_interruption_is_exit_code_130_without_a_traceback(tmp_path):
    """SIGINT, as Ctrl-C sends it, while rows are waited for."""
    os.mkfifo(tmp_path / "pipe")
    process = start("fit", tmp_path / "pipe", "-o", tmp_path / "m.nvk")
    with feed(tmp_path / "pipe", b"1 1:1\n"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"novikoff: interrupted\n")
    assert os.listdir(tmp_path) == ["pipe"]


def test_separation_that_rounding_leaves_open_is_no_proof():
    data = b"-1 1:1\n1 1:1.0000000000000002\n"
    run = novikoff("separable", "-", "--json", input=data)
    assert (run.code, run.json["kind"], run.json["verified"]) == (1, "complete", False)
    assert novikoff("separable", "-", "--exact", input=data).code == 0


def test_a_model_of_weights_from_elsewhere_is_shown(tmp_path):
    nk.LinearClassifier.of([[1.0, -2.0]], [0.5], ["no", "yes"]).save(tmp_path / "m.nvk")
    assert novikoff("inspect", tmp_path / "m.nvk", "--json").json["certificates"] == []
    assert novikoff("inspect", tmp_path / "m.nvk").code == 0


@pytest.mark.parametrize("verb", ["predict", "score", "certify", "report", "inspect"])
def test_a_file_without_one_model_that_predicts_is_refused_in_one_sentence(folder, tmp_path, verb):
    X, y = nk.read(str(folder / "two.svm"))
    nk.LinearSVMPath(Cs=[0.1, 1.0]).fit(X, y).save(tmp_path / "path.nvk")
    unlearned = nk.Perceptron()
    unlearned.learn_one({}, "a", 0.0)
    unlearned.save(tmp_path / "unlearned.nvk")
    for name in ("path.nvk", "unlearned.nvk"):
        words = [verb, tmp_path / name, *([] if verb == "inspect" else [folder / "two.svm"])]
        assert_refused(novikoff(*words, *(["-o", tmp_path / "r.html"] if verb == "report" else [])), name)


def test_a_test_that_fails_does_not_lose_the_model(folder, tmp_path):
    (tmp_path / "weightless.csv").write_text("x,w,label\n1,0,a\n2,0,b\n")
    (tmp_path / "rows.csv").write_text("x,w,label\n1,1,a\n2,1,b\n")
    for test in ("nowhere.csv", "weightless.csv"):
        words = ["fit", tmp_path / "rows.csv", "--weight", "w", "--test", tmp_path / test, "-o", tmp_path / "m.nvk"]
        run = novikoff(*words)
        assert (run.code, run.out) == (2, "")
        assert nk.load(tmp_path / "m.nvk").classes_.tolist() == ["a", "b"]
        (tmp_path / "m.nvk").unlink()


def test_names_that_the_output_cannot_take_are_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "rows.csv").write_text("x,label\n1,gr\u00f6\u00dfe\n2,b\n", encoding="utf-8")
    assert novikoff("fit", tmp_path / "rows.csv", "-o", tmp_path / "m.nvk").code == 0
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    assert_refused(fresh("predict", tmp_path / "m.nvk", tmp_path / "rows.csv"), "UTF-8")


def test_a_library_without_the_command_line_says_how_to_install_it():
    code = "import sys\nsys.modules['typer'] = None\ntry:\n    import novikoff.cli\n"
    code += "except ImportError as error:\n    print(error.__notes__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "novikoff[cli]" in done.stdout
