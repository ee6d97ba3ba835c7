"""novikoff score: predictions compared with labels."""

from command import done

import novikoff as nk


def test_score_prints_what_the_library_finds(model, folder):
    loaded, (X, y) = nk.load(model), nk.read(str(folder / "two.svm"))
    found = done("score", model, "two.svm", "--json", folder=folder).json
    assert found["accuracy"] == loaded.score(X, y)
    assert found["rows"] == 40
    assert sum(map(sum, found["confusion"])) == 40


def test_the_confusion_matrix_is_a_table_with_labels(fitted, folder):
    lines = done("score", fitted("three.svm"), "three.svm", folder=folder).out.splitlines()
    assert lines[-4].split()[-3:] == ["1", "2", "3"]
    assert [line.split()[-4] for line in lines[-3:]] == ["1", "2", "3"]
