"""Every parameter of every learner is an option, and no option is passed over."""

import inspect
import json

import pytest
from command import assert_refused, done, novikoff
from sets import ROWS, separated

import novikoff as nk
from novikoff._learner_names import LEARNERS, ONLINE

VALUES = {  # another value than the default, as the command line writes it
    "C": ("0.25", 0.25),
    "lam": ("2.5", 2.5),
    "loss": ("hinge", "hinge"),
    "max_iter": ("77", 77),
    "max_time": ("60.5", 60.5),
    "tol": ("0.01", 0.01),
    "tie": ("positive", "positive"),
    "scale": ("running", "running"),
    "forget": ("0.125", 0.125),
    "half_life": ("50", 50.0),
    "slack_feature": ("0.75", 0.75),
    "max_features": ("64", 64),
    "multi_class": ("ovr", "ovr"),
    "n_iter_no_change": ("7", 7),
    "margin": ("0.125", 0.125),
    "epsilon": ("0.25", 0.25),
    "n_jobs": ("2", 2),
    "random_state": ("7", 7),
    "decay": ("0.5", 0.5),
    "beta": ("0.25", 0.25),
    "share": ("0.01", 0.01),
    "a": ("2.5", 2.5),
    "r": ("2.5", 2.5),
    "floor": ("0.25", 0.25),
    "eta": ("0.75", 0.75),
    "variant": ("II", "II"),
    "learning_rate": ("0.25", 0.25),
    "b": ("0.25", 0.25),
    "budget": ("20", 20),
    "class_weight": ('{"-1": 2, "1": 0.5}', {-1: 2, 1: 0.5}),
}
WITHOUT = ("verbose", "warm_start", "learners", "classes")  # the classes come from the data
PAIRS = [
    (name, parameter)
    for name, learner in LEARNERS.items()
    for parameter in inspect.signature(learner).parameters
    if parameter not in WITHOUT
]


def refusal(name, parameter):
    """Why a learner refuses a parameter of all online learners that only other ones can use; None if it does not."""
    words = {}
    if name.startswith("multiclass-"):
        words = {"probability": "because there are no binary problems", "n_jobs": "because all classes"}
    return words.get(parameter)


def option(name, parameter):
    """The option that sets a parameter to another value, and that value."""
    default = inspect.signature(LEARNERS[name]).parameters[parameter].default
    flag = parameter.replace("_", "-")
    if isinstance(default, bool):
        return ([f"--no-{flag}"], False) if default else ([f"--{flag}"], True)
    text, value = VALUES[parameter]
    return [f"--{flag}", text], value


@pytest.mark.parametrize(("name", "parameter"), PAIRS)
def test_every_parameter_of_fit_has_its_option(folder, name, parameter):
    words, value = option(name, parameter)
    run = novikoff("fit", "two.svm", "--learner", name, *words, "--json", folder=folder)
    if words := refusal(name, parameter):
        assert_refused(run, words)
        return
    if parameter == "probability" and name in ONLINE:  # fit knows the labels of the rows that it scores
        assert_refused(run, "--probability is for streams", "novikoff stream")
        return
    if run.code:
        assert_refused(run)
        pytest.fail(run.err)
    found = run.json["parameters"][parameter]
    expected = json.loads(json.dumps(value)) if not isinstance(value, dict) else {str(k): v for k, v in value.items()}
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [pair for pair in PAIRS if pair[0] in ONLINE and pair[1] != "max_features"],  # svmlight has no names to fold
)
def test_every_parameter_of_stream_has_its_option(folder, tmp_path, name, parameter):
    words, value = option(name, parameter)
    command = ("stream", "two.svm", "--learner", name, *words, "-q", "-o", tmp_path / "m.nvk")
    if words := refusal(name, parameter):
        assert_refused(novikoff(*command, folder=folder), words)
        return
    done(*command, folder=folder)
    assert nk.load(tmp_path / "m.nvk").get_params()[parameter] == value


def test_the_short_options_are_those_of_other_programs(folder):
    assert done("fit", "two.svm", "-C", "0.5", "--json", folder=folder).json["parameters"]["C"] == 0.5
    run = done("fit", "two.svm", "-c", "0.5", "-e", "0.001", "--passes", "99", "--json", folder=folder)
    parameters = run.json["parameters"]
    assert (parameters["C"], parameters["tol"], parameters["max_iter"]) == (0.5, 0.001, 99)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        (name, parameter)
        for name in ("linear-svm", "hard-margin", "perceptron", "passive-aggressive")
        for parameter in sorted({p for _, p in PAIRS} - set(inspect.signature(LEARNERS[name]).parameters))
    ],
)
def test_an_option_of_another_learner_is_refused(folder, name, parameter):
    owner = next(other for other, owned in PAIRS if owned == parameter)
    words, _ = option(owner, parameter)
    run = novikoff("fit", "two.svm", "--learner", name, *words, folder=folder)
    assert_refused(run, words[0], f"{name} does not have this option")
    offered = [word.strip(",.") for word in run.err.partition("It has")[2].split()]
    assert offered
    assert set(offered) <= {option(name, owned)[0][0] for other, owned in PAIRS if other == name}


@pytest.mark.parametrize("subcommand", ["fit", "stream"])
def test_help_names_every_option(subcommand):
    shown = done(subcommand, "--help-all").out
    names = LEARNERS if subcommand == "fit" else ONLINE
    assert all(name in shown for name in names)
    for name, parameter in PAIRS:
        if name in names:
            assert option(name, parameter)[0][0] in shown


@pytest.mark.parametrize(
    "arguments",
    [
        ("fit",),
        ("fit", "two.svm", "--nonsense"),
        ("fit", "two.svm", "-c", "much"),
        ("nonsense", "two.svm"),
        ("predict", "two.svm"),
        ("stream", "two.svm", "--every", "0"),
        ("inspect", "m.nvk", "--top", "-1"),
    ],
)
def test_bad_use_is_told_on_standard_error_with_exit_code_2(folder, arguments):
    run = novikoff(*arguments, folder=folder)
    assert (run.code, run.out) == (2, "")
    assert run.err
    assert "Traceback" not in run.err


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("fit", "two.svm", "--learner", "magic"), "--learner"),
        (("fit", "two.svm", "-c", "-1"), "C"),
        (("fit", "two.svm", "-c", "nan"), "C"),
        (("fit", "two.svm", "-c", "1", "--lam", "1"), "lam"),
        (("fit", "two.svm", "--loss", "logistic"), "loss"),
        (("fit", "two.svm", "--tol", "0"), "tol"),
        (("fit", "two.svm", "--max-iter", "0"), "max_iter"),
        (("fit", "two.svm", "--n-jobs", "0"), "n_jobs"),
        (("fit", "two.svm", "--random-state", "soon"), "random_state"),
        (("fit", "two.svm", "--class-weight", "heavy"), "class_weight"),
        (("fit", "two.svm", "--class-weight", '{"5": 1}'), "--class-weight"),
        (("fit", "two.svm", "--class-weight", '{"1": -1}'), "Class weights"),
        (("fit", "two.svm", "--class-weight", '{"1": "x"}'), "Class weights"),
        (("fit", "two.svm", "--class-weight", "[1, 2]"), "class_weight"),
        (("fit", "two.svm", "--class-weight", '{"1": NaN}'), "Class weights"),
        (("fit", "two.svm", "--cv", "1"), "cv"),
        (("fit", "two.svm", "--cv", "3", "-c", "1"), "--cv"),
        (("fit", "two.svm", "--cv", "3", "--learner", "perceptron"), "--cv"),
        (("fit", "two.svm", "--Cs", "3"), "--cv"),
        (("fit", "two.svm", "--cv", "3", "--selection", "worst"), "selection"),
        (("fit", "two.svm", "--cv", "3", "--scoring", "beauty"), "scoring"),
        (("fit", "two.svm", "--learner", "margin-perceptron", "--margin", "wide"), "margin"),
        (("fit", "two.svm", "--learner", "margin-perceptron", "--epsilon", "2"), "epsilon"),
        (("fit", "two.svm", "--learner", "perceptron", "--tie", "maybe"), "tie"),
        (("fit", "two.svm", "--learner", "perceptron", "--slack-feature", "-1"), "slack_feature"),
        (("fit", "two.svm", "--format", "excel"), "format"),
        (("fit", "two.svm", "--index-base", "7"), "index_base"),
        (("fit", "two.svm", "--target", "y"), "target"),
        (("fit", "two.svm", "--attach", "shop"), "--attach"),
        (("fit", "two.svm", "--attach", "a=b"), "attach"),
        (("fit", "two.svm", "--ngrams", "many"), "--ngrams"),
        (("fit", "mails.csv", "--text", "subject", "--ngrams", "3-1"), "--ngrams"),
        (("fit", "mails.csv", "--text", "subject", "--hash-bits", "99"), "--hash-bits"),
        (("fit", "mails.csv", "--norm", "l7"), "norm"),
        (("fit", "mails.csv", "--missing", "never"), "missing"),
        (("stream", "two.svm", "--learner", "linear-svm"), "--learner"),
        (("stream", "two.svm", "-i", "nowhere.nvk"), "nowhere.nvk"),
        (("separable", "three.svm"), "class"),
        (("stream", "two.svm", "--class-weight", '{"spam": 2}'), "--class-weight"),
        (("stream", "two.svm", "--weight", "cost"), "--weight"),
        (("separable", "two.svm", "--missing", "zero"), "--missing"),
        (("separable", "mails.csv", "--weight", "price"), "price"),
        (("separable", "two.svm", "--hash-bits", "9"), "--hash-bits"),
        (("fit", "mails.csv", "--index-base", "0"), "--index-base"),
        (("convert", "two.svm", "two.xyz", "--to", "papyrus"), "papyrus"),
        (("convert", "two.svm", "two.csv", "--features", "3"), "--features"),
        (("fit", "two.svm", "--test", "nowhere.svm"), "nowhere.svm"),
        (("fit", "nowhere.svm"), "nowhere.svm"),
        (("fit", "."), "."),
        (("fit", "SELECT nothing FROM nowhere"), "nowhere"),
        (("fit", "*.nothing.csv"), "nothing.csv"),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_one_sentence(folder, arguments, word):
    assert_refused(novikoff(*arguments, "-q" if arguments[0] != "convert" else "--json", folder=folder), word)


COLUMNS = {  # what is excluded of the columns a, b, c, 3-4, and what remains
    "2": ["a", "c", "3-4"],
    "-2": ["a", "b", "c"],
    "first": ["b", "c", "3-4"],
    "2-3": ["a", "3-4"],
    "3-4": ["a", "b", "c"],
    "a,c": ["b", "3-4"],
}


@pytest.mark.parametrize("excluded", COLUMNS)
def test_columns_are_named_by_name_number_and_range(tmp_path, excluded):
    rows = "".join(f"{i % 3},{i % 5},{i % 7},{i % 4},{'uv'[i % 2]}\n" for i in range(40))
    (tmp_path / "t.csv").write_text("a,b,c,3-4,kind\n" + rows)
    done("fit", "t.csv", "--exclude", excluded, "-o", "m.nvk", folder=tmp_path)
    assert list(nk.load(tmp_path / "m.nvk")[0].feature_names_in_) == COLUMNS[excluded]
    repeated = [word for name in excluded.split(",") for word in ("--exclude", name)]
    again = done("fit", "t.csv", *repeated, "--json", folder=tmp_path).json
    assert (again["target"], again["target_choice"], again["columns"]) == (
        "kind",
        "last column",
        len(COLUMNS[excluded]),
    )


MISNAMED = {  # arguments after "fit t.csv", and what the message says
    "a column": (["--exclude", "colur"], "Did you mean 'colour'?"),
    "the target": (["--target", "knid"], "Did you mean 'kind'?"),
    "a number": (["--exclude", "4"], "no column '4', which --exclude names"),
    "an option": (["--exlude", "a"], "--exclude"),
    "two targets": (["--target", "1-2"], "--target must name one column"),
}


@pytest.mark.parametrize("case", MISNAMED)
def test_a_misspelled_column_or_option_is_refused_with_the_close_name(tmp_path, case):
    arguments, message = MISNAMED[case]
    (tmp_path / "t.csv").write_text("a,colour,kind\n" + "1,2,u\n3,4,v\n" * 9)
    run = novikoff("fit", "t.csv", *arguments, folder=tmp_path)
    assert (run.code, run.out) == (2, "")
    assert message in run.err


def test_options_of_how_texts_are_hashed_are_kept_with_the_model(folder, tmp_path):
    words = ["--text", "subject", "--hash-bits", "9", "--ngrams", "1-2", "--binary", "--sublinear-tf", "--norm", "l2"]
    done("fit", "mails.csv", *words, "--weight", "cost", "-q", "-o", tmp_path / "m.nvk", folder=folder)
    model = nk.load(tmp_path / "m.nvk")
    assert model.n_features_in_ == 512
    hashing = nk.Hashing(n_bits=9, ngram_range=(1, 2), binary=True, sublinear_tf=True, norm="l2")
    batch = nk.read(str(folder / "mails.csv"), text="subject", weight="cost", hashing=hashing, target="label")
    assert model.coef_.tobytes() == nk.LinearSVM().fit(batch.X, batch.y, batch.weights).coef_.tobytes()


def test_only_the_features_that_were_asked_for_are_read(folder, tmp_path):
    words = ["--features", "size", "--features", "cost"]
    novikoff("fit", "mails.csv", *words, "-q", "-o", tmp_path / "m.nvk", folder=folder)
    assert nk.load(tmp_path / "m.nvk").n_features_in_ == 2
    (tmp_path / "two columns.csv").write_bytes(separated(ROWS, ",", ["cost", "size", "label"]))
    run = done("predict", tmp_path / "m.nvk", tmp_path / "two columns.csv")
    assert run.out == done("predict", tmp_path / "m.nvk", "mails.csv", folder=folder).out
