"""The report as a whole: what is looked at, in which order, and the page around it."""

from __future__ import annotations

import base64
import hashlib
import inspect
import json
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from novikoff import plot
from novikoff._atomic import replacing
from novikoff._validation import check_labels
from novikoff._verify import verify
from novikoff._version import __version__
from novikoff.errors import InvalidInputError, invalid
from novikoff.evaluate import Scores, scores
from novikoff.plot._axes import missing
from novikoff.plot._question import table_of
from novikoff.theory.certificate import Certificate

from . import _certificate, _figures
from ._curves import curves_of
from ._figures import Figure
from ._html import Cell, Markup, count, grid, pairs, percent, section, text

WHERE = "report"
MOST_CLASSES = 20  # of a confusion table
DRAWN = 1500  # rows


@dataclass(frozen=True)
class Subject:
    """What a report is about."""

    model: Any
    X: Any
    y: Any
    table: Any  # X as an array or CSR matrix
    learned: Scores
    held_out: tuple[Any, Any, Scores] | None
    class_: Any  # the one whose pictures are drawn

    @property
    def certificates(self) -> list[Certificate]:
        """One, one a class, or none."""
        record = getattr(self.model, "record_", None)
        return [] if record is None else record.certificates

    @property
    def is_binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.model.classes_) == 2


def report(
    model: Any,
    X: Any,
    y: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str | None = None,
    feature_names: Any = None,
    class_: Any = None,
    sample_weight: Any = None,
    model_path: str | os.PathLike[str] | None = None,
    data_path: str | os.PathLike[str] | None = None,
    test: tuple[Any, Any] | None = None,
) -> str:
    """Describe a fitted model in one HTML file: its certificate, checked anew, pictures, and how well it predicts.

    The file needs no network, and is the same for the same model and data. It needs plotly, which
    ``pip install 'novikoff[plot]'`` brings.

    Parameters
    ----------
    model : a fitted classifier
    X, y : the rows and labels that it was learned from, in their order
    path : where to write it; nowhere if None
    title : of the page
    feature_names : of the columns; by default those of the data frame that was learned, or the columns' numbers
    class_ : the class whose pictures are drawn, where there are more than two; by default the one most often mistaken
    sample_weight : how much each row counted
    model_path, data_path : the files, for the command that checks the certificate
    test : rows and labels that were not learned; how well the model predicts is then shown on these

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from novikoff import LinearSVM
    >>> from novikoff._report import report
    >>> X, y = [[0.0, 1.0], [1.0, 3.0], [2.0, 1.0], [3.0, 0.0]], ["no", "no", "yes", "yes"]
    >>> page = report(LinearSVM().fit(X, y), X, y, title="Four rows")
    >>> "<h1>Four rows</h1>" in page
    True
    """
    script = _plotly()
    subject = _subject(model, X, y, class_, test)
    found = verify(model, X, y, sample_weight) if subject.certificates else None
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
        figures = list(_learned_figures(subject, feature_names)) + _test_figures(subject)
    drawn = {figure.name: _figures.figure_html(figure) for figure in figures}
    name = title or f"{type(model).__name__}: a report"
    body = "".join(
        [
            section("summary", "Summary", _summary(subject)),
            section("certificate", "The certificate", _certificate_part(subject, found, model_path, data_path)),
            section("pictures", "What it learned", _chosen_words(subject) + _pick(drawn, LEARNED)),
            section("predictions", "How well it predicts", _predictions(subject) + _pick(drawn, PREDICTED)),
        ]
    )
    page = _page(name, _lead(subject, found), body, figures, script)
    if path is not None:
        with replacing(WHERE, path) as file:
            file.write(page.encode())
    return page


LEARNED = ("boundary", "margins", "mistakes", "gap", "weights")
PREDICTED = ("roc", "precision-recall")


def _pick(drawn: dict[str, str], names: tuple[str, ...]) -> str:
    return "".join(drawn[name] for name in names if name in drawn)


def _subject(model: Any, X: Any, y: Any, class_: Any, test: tuple[Any, Any] | None) -> Subject:
    if not (hasattr(model, "decision_function") and hasattr(model, "predict")):
        raise invalid(WHERE, "A classifier with decision_function.", type(model).__name__)
    check_is_fitted(model)
    learned = scores(model, X, y)
    if class_ is None:
        class_ = _most_mistaken(model, learned)
    held_out = None
    if test is not None:
        if not isinstance(test, tuple) or len(test) != 2:
            raise invalid(WHERE, "test = (X, y).", type(test).__name__)
        held_out = (*test, scores(model, *test))
    return Subject(model, X, check_labels(WHERE, y, learned.rows), table_of(WHERE, X), learned, held_out, class_)


def _most_mistaken(model: Any, learned: Scores) -> Any:
    """The last of two classes; of more, the one with the most rows that are mistaken for others or others for it."""
    classes = np.asarray(model.classes_).tolist()
    if len(classes) == 2:
        return classes[1]
    wrong = learned.confusion.sum(axis=0) + learned.confusion.sum(axis=1) - 2 * np.diag(learned.confusion)
    by_label = dict(zip(learned.labels.tolist(), wrong.tolist(), strict=True))
    return max(classes, key=lambda label: by_label.get(label, 0.0))


# ---- words ---------------------------------------------------------------------------------------------------------


def _lead(subject: Subject, found: Any) -> str:
    rows, columns = subject.table.shape
    words = f"{count(rows)} rows of {count(columns)} columns, {len(subject.model.classes_)} classes. "
    words += f"{percent(subject.learned.accuracy)} of the rows it learned from are predicted right"
    if subject.held_out is not None:
        words += f", {percent(subject.held_out[2].accuracy)} of those held out"
    if found is None:
        return f"{text(words)}. The model carries no certificate."
    kind, verdict = ("holds", "verified") if found else ("fails", "not verified")
    return f'{text(words)}. Its certificate, checked anew: <span class="status {kind}">{verdict}</span>.'


def _summary(subject: Subject) -> str:
    model, table = subject.model, subject.table
    rows: list[tuple[str, Any]] = [("learner", type(model).__name__), ("parameters", _parameters(model))]
    rows += [("rows", count(table.shape[0])), ("columns", count(table.shape[1]))]
    if sp.issparse(table):
        rows.append(("entries other than 0", f"{count(table.nnz)}, {percent(table.nnz / np.prod(table.shape))}"))
    for where, found in _measured(subject):
        rows += [(f"accuracy, {where}", percent(found.accuracy))]
        rows += [(f"balanced accuracy, {where}", percent(found.balanced_accuracy))]
    labels, counts = np.unique(subject.y, return_counts=True)
    shown = list(zip(labels.tolist(), counts.tolist(), strict=True))
    if len(shown) > MOST_CLASSES:
        shown = sorted(shown, key=lambda pair: -pair[1])[:MOST_CLASSES]
    share = [(str(name), count(number), percent(number / len(subject.y))) for name, number in shown]
    caption = "Classes" if len(labels) <= MOST_CLASSES else f"The {MOST_CLASSES} largest of {len(labels)} classes"
    return pairs("The model and its data", rows) + grid(caption, ["class", "rows", "share"], share)


def _measured(subject: Subject) -> Iterator[tuple[str, Scores]]:
    yield "learned rows", subject.learned
    if subject.held_out is not None:
        yield "held-out rows", subject.held_out[2]


def _parameters(model: Any) -> str:
    defaults = {name: p.default for name, p in inspect.signature(type(model)).parameters.items()}
    set_ = {name: value for name, value in model.get_params(deep=False).items() if repr(value) != repr(defaults[name])}
    return ", ".join(f"{name} = {value!r}" for name, value in sorted(set_.items())) or "all at their defaults"


def _certificate_part(subject: Subject, found: Any, model_path: Any, data_path: Any) -> str:
    if found is None:
        return "<p>This model carries no certificate: nothing of what it claims can be checked without its learner.</p>"
    certificates = subject.certificates
    if len(certificates) == 1:
        inner = _certificate.one(certificates[0], found)
    else:
        names = [str(label) for label in np.asarray(subject.model.classes_).tolist()]
        inner = _certificate.several(list(zip(names, certificates, strict=True)), found)
    return inner + _certificate.legend(found) + _certificate.command(model_path, data_path)


def _chosen_words(subject: Subject) -> str:
    if subject.is_binary:
        return ""
    return (
        f"<p>Each class is told from the rest. The pictures are those of <strong>{text(subject.class_)}</strong>, "
        f"one of {len(subject.model.classes_)} classes.</p>"
    )


def _predictions(subject: Subject) -> str:
    if subject.held_out is None:
        note = "These are the rows that the model was learned from: expect less of new ones."
        return f"<p>{note}</p>" + _confusion(subject.learned)
    found = subject.held_out[2]
    return f"<p>These are {count(found.rows)} rows that the model has not learned.</p>" + _confusion(found)


def _confusion(found: Scores) -> str:
    """What each class was taken for; of very many classes, the pairs that are mistaken most."""
    names = [str(label) for label in found.labels.tolist()]
    if len(names) > MOST_CLASSES:
        off = found.confusion - np.diag(np.diag(found.confusion))
        places = np.argsort(-off, axis=None, kind="stable")[:MOST_CLASSES]
        most = [(int(place) // len(names), int(place) % len(names)) for place in places]
        rows = [(names[i], names[j], count(off[i, j])) for i, j in most if off[i, j] > 0]
        return grid(f"The most frequent mistakes among {len(names)} classes", ["true", "taken for", "rows"], rows)
    totals = found.confusion.sum(axis=1)
    table: list[tuple[Cell, ...]] = []
    for i, name in enumerate(names):
        cells = [_shaded(found.confusion[i, j], totals[i], i == j) for j in range(len(names))]
        right = percent(found.confusion[i, i] / totals[i]) if totals[i] else "none"
        table.append((name, *cells, right))
    note = "<p>Each line of the table is a true class, each column what it was taken for.</p>"
    return note + grid("Confusion", ["true class", *names, "right"], table)


def _shaded(number: float, total: float, right: bool) -> Markup:
    """A cell whose ground says what share of its row it is; of the mistaken, few should be seen, too."""
    share = number / total if total else 0.0
    share = share if right else math.sqrt(share)
    return Markup(f'<span class="{"hit" if right else "miss"}" style="--share:{share:.3f}">{count(number)}</span>')


# ---- pictures ------------------------------------------------------------------------------------------------------


def _learned_figures(subject: Subject, feature_names: Any) -> Iterator[Figure]:
    """Those that apply to the learner."""
    model, X, y, class_ = subject.model, subject.X, subject.y, subject.class_
    named = {"feature_names": feature_names}
    if hasattr(model, "coef_"):
        largest = _figures.weights(plot.WeightsDisplay.measure(model, class_=class_, **named))
        if largest.data:
            yield largest
    two = named if subject.table.shape[1] == 2 else {}
    with_plane = _applies(lambda: plot.BoundaryDisplay.measure(model, X, y, class_=class_, max_points=DRAWN, **two))
    if with_plane is not None:
        yield _figures.boundary(with_plane)
    yield _figures.margins(plot.MarginDisplay.measure(model, X, y, class_=class_))
    made = _applies(lambda: plot.MistakesDisplay.measure(model, X, y, class_=class_))
    if made is not None:
        yield _figures.mistakes(made)
    closing = _applies(lambda: plot.GapDisplay.measure(model, class_=class_))
    if closing is not None:
        yield _figures.gap(closing)


def _applies(measure: Any) -> Any:
    """A picture, or None where there is none of the kind for such a learner, or for such rows."""
    try:
        return measure()
    except InvalidInputError:
        return None


def _test_figures(subject: Subject) -> list[Figure]:
    X, y = (subject.X, subject.y) if subject.held_out is None else subject.held_out[:2]
    curves = curves_of(subject.model, np.asarray(subject.model.decision_function(X)), y)
    if not curves:
        return []
    names = [curve.name for curve in curves]
    chosen = str(subject.class_) if str(subject.class_) in names else names[0]
    return [_figures.roc(curves, chosen), _figures.precision_recall(curves, chosen)]


# ---- the page ------------------------------------------------------------------------------------------------------


def _plotly() -> str:
    """Plotly's own script, so written that a page can hold it."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise missing(WHERE, "plotly") from error
    return _inline(get_plotlyjs())


def _inline(script: str) -> str:
    """A script as a browser reads it within a page: its line ends, and nothing that ends it early."""
    return re.sub(r"</(?=script)", r"<\\/", script.replace("\r\n", "\n").replace("\r", "\n"), flags=re.IGNORECASE)


def _page(name: str, lead: str, body: str, figures: list[Figure], plotly: str) -> str:
    specs = {f"figure-{figure.name}": {"data": figure.data, "layout": figure.layout} for figure in figures}
    try:
        numbers = json.dumps(specs, separators=(",", ":"), allow_nan=False)
    except ValueError:
        raise invalid(WHERE, "Rows whose scores can be drawn (scale X).", "some that overflow") from None
    for character in "<>&\u2028\u2029":  # no name can end the element, or begin another
        numbers = numbers.replace(character, f"\\u{ord(character):04x}")
    own = _inline(_resource("page.js"))
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in (plotly, own))
    policy = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:"
    parts = {
        "policy": f"{policy}; base-uri 'none'; form-action 'none'",
        "title": text(name),
        "style": _resource("page.css"),
        "lead": lead,
        "body": body,
        "version": text(__version__),
        "numbers": numbers,
        "plotly": plotly,
        "script": own,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _resource("page.html"))


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
