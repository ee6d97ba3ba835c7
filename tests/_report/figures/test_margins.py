import numpy as np

from novikoff._report.figures.margins import margins


def test_bars_and_table_count_every_row_once(svm, svm_subject, cancer):
    figure = margins(svm_subject)
    wrong = np.count_nonzero(svm.predict(cancer[0]) != cancer[1])
    assert sum(sum(trace["y"]) for trace in figure.data) == len(cancer[1])
    assert sum(figure.data[1]["y"]) == wrong
    assert sum(int(row[2]) for row in figure.table.rows) == wrong
    assert figure.caption.startswith(f"{wrong} of 569 training rows are misclassified")
