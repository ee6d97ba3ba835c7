import numpy as np

from novikoff._report.figures.margins import margins


def test_bars_and_table_count_every_row_once(svm, svm_subject, cancer):
    figure = margins(svm_subject)
    wrong = np.count_nonzero(svm.predict(cancer[0]) != cancer[1])
    assert sum(sum(trace["y"]) for trace in figure.data) == len(cancer[1])
    assert sum(figure.data[1]["y"]) == wrong
    assert sum(int(row[2]) for row in figure.table.rows) == wrong
    assert figure.caption.startswith(f"{wrong} of 569 training rows are misclassified")


def test_no_bar_lies_across_the_margin(svm_subject):
    bars = margins(svm_subject).data[0]
    ends = np.array(bars["x"]) + np.array(bars["width"]) / 2
    assert np.abs(ends - 1.0).min() < 1e-3  # coordinates have five digits
