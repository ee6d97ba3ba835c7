"""novikoff inspect: the contents of a model file."""

from command import novikoff

import novikoff as nk


def test_inspect_prints_the_model(model, folder):
    loaded = nk.load(model)
    found = novikoff("inspect", model, "--json", "--top", "2", folder=folder).json
    assert found["intercepts"] == loaded.intercept_.tolist()
    largest = found["weights"][0]["largest"]
    assert len(largest) == 2
    assert abs(largest[0]["weight"]) == abs(loaded.coef_).max()
    assert found["parameters"]["C"] == loaded.C


def test_every_class_of_several_has_its_weights(fitted):
    path = fitted("three.svm", "--multi-class", "ovr")
    found = novikoff("inspect", path, "--json").json
    assert [entry["class"] for entry in found["weights"]] == [1, 2, 3]
    assert len(found["certificates"]) == 3
    assert all(f"weights for {label}" in novikoff("inspect", path).out for label in (1, 2, 3))


def test_every_pair_of_classes_has_its_weights(fitted):
    path = fitted("three.svm")
    found = novikoff("inspect", path, "--json").json
    assert [(entry["class"], entry["against"]) for entry in found["weights"]] == [(2, 1), (3, 1), (3, 2)]
    assert "weights for 3 against 1" in novikoff("inspect", path).out


def test_a_model_of_weights_from_elsewhere_is_shown(tmp_path):
    nk.LinearClassifier.of([[1.0, -2.0]], [0.5], ["no", "yes"]).save(tmp_path / "m.nvk")
    assert novikoff("inspect", tmp_path / "m.nvk", "--json").json["certificates"] == []
    assert novikoff("inspect", tmp_path / "m.nvk").code == 0


def test_many_problems_have_a_line_each_and_not_all_are_shown(tmp_path):
    lines = "".join(f"{label} {label}:1\n{label} {label}:2\n" for label in range(1, 26))
    (tmp_path / "x.svm").write_text(lines)
    novikoff("fit", tmp_path / "x.svm", "--learner", "perceptron", "-o", tmp_path / "m.nvk", "-q")
    out = novikoff("inspect", tmp_path / "m.nvk").out
    assert out.count("weights for") == 20
    assert "and 5 more binary problems (--top 3 shows all)" in out
    assert novikoff("inspect", tmp_path / "m.nvk", "--top", "3").out.count("weights for") == 25
