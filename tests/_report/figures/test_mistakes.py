import novikoff as nk
from novikoff._report.figures.mistakes import mistakes


def test_curve_ends_at_the_mistakes_of_one_pass(perceptron_subject, digits):
    figure = mistakes(perceptron_subject)
    made = int(nk.Perceptron().partial_fit(*digits[:2], classes=range(10)).certificate_[4].mistakes)
    assert figure.data[-1]["y"][-1] == made
    assert f"{made} mistakes in 600 examples" in figure.caption
    assert figure.table.rows[-1][:2] == ("600", str(made))


def test_batch_learner_has_none(svm_subject):
    assert mistakes(svm_subject) is None
