"""Models as ONNX, in double precision."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff._atomic import replacing
from novikoff._multiclass import MAX_SCORE
from novikoff._version import __version__
from novikoff.errors import input_error
from novikoff.record import RunRecord

from .base import ExportFormat, record_of
from .linear_model import LinearModel, column_names, linear_model, parameters_of

OPSET, IR_VERSION = 17, 8  # of ONNX 1.12, from 2022: all runtimes in use know them
MAX_BYTES = (1 << 31) - (1 << 24)  # an ONNX file is one message of Protocol Buffers, which are limited to 2 GiB


class OnnxFormat(ExportFormat):
    """A graph of ONNX operators that computes scores, labels and, if the model has them, probabilities."""

    name = "onnx"
    suffixes = (".onnx",)

    def write(self, record: RunRecord, path: str | os.PathLike[str]) -> None:
        model, columns = linear_model(record).without_zeros()
        if model.coef.nbytes > MAX_BYTES:
            message = f"the weights take {model.coef.nbytes} bytes, but ONNX files hold at most {MAX_BYTES}."
            raise input_error(record.learner, message)
        graph = Graph(_import_onnx())
        _add_scores(graph, model, columns)
        _add_labels(graph, model)
        sigmoids = [problem.sigmoid for problem in record.problems if problem.sigmoid is not None]
        if sigmoids and not model.has_pairs:
            _add_probabilities(graph, np.array(sigmoids))
        metadata = {"library": "novikoff", "learner": record.learner, "parameters": json.dumps(parameters_of(record))}
        names = column_names(record, columns)
        if names is not None:
            metadata["feature_names"] = json.dumps(names)
        content = graph.checked_model(record.n_features, metadata).SerializeToString()
        with replacing(path) as file:
            file.write(content)


ONNX = OnnxFormat()


def to_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model as ONNX, in double precision.

    The input ``X`` is a matrix of doubles with any number of rows. The outputs are ``label``, ``scores`` (the same as
    ``decision_function``), and ``probabilities`` if the model has ``predict_proba``, except for one-vs-one models,
    whose probabilities need a system of equations for each row. Ties are decided as in ``predict``. If there are at
    least 256 columns and less than half of them have a weight, the graph first gathers these ``columns``, so that the
    size of the file depends on their number; the metadata ``feature_names`` then have the names of these only. This
    function needs the package onnx.

    The weights of a model that was fitted to a table are for encoded rows: standardised numbers, and one column per
    category or word. The file does not hold the encoder; ``to_json`` writes it, and the encoder itself is
    ``novikoff.load(path)[0]``.

    Parameters
    ----------
    model : classifier
        A fitted linear classifier of novikoff.
    path : str or path-like
        The file, which is written completely or not at all.

    Raises
    ------
    InvalidInputError
        If the model is not linear, or has seen fewer than two classes, or if onnx is not installed.
    FileError
        If the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import novikoff as nk
    >>> model = nk.LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.export.to_onnx(model, f"{folder}/model.onnx")
    """
    ONNX.write(record_of("to_onnx", model, path), path)


def _import_onnx() -> Any:
    try:
        return importlib.import_module("onnx")
    except ImportError as error:
        message = "the package onnx, which writes this format, cannot be imported. Run pip install 'novikoff[onnx]'."
        raise input_error("to_onnx", message) from error


class Graph:
    """The nodes, constants and outputs of an ONNX model."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add an operator, and return the name of its output."""
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, values: Any) -> str:
        """Add an array of doubles, integers, booleans or strings, and return its name."""
        values = np.asarray(values)
        if values.dtype.kind == "U":
            strings = [value.encode() for value in values.tolist()]
            tensor = self.onnx.helper.make_tensor(name, self.onnx.TensorProto.STRING, values.shape, strings)
        else:
            wide = {"f": np.float64, "i": np.int64, "b": np.bool_}[values.dtype.kind]
            tensor = self.onnx.numpy_helper.from_array(np.ascontiguousarray(values, dtype=wide), name)
        self.constants.append(tensor)
        return name

    def output(self, name: str, kind: str, shape: list[Any]) -> None:
        """Declare an output."""
        types = {"f": "DOUBLE", "i": "INT64", "b": "BOOL", "U": "STRING"}
        of_kind = getattr(self.onnx.TensorProto, types[kind])
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, of_kind, shape))

    def checked_model(self, columns: int, metadata: dict[str, str]) -> Any:
        """Return the complete model, after onnx has checked it."""
        helper, double = self.onnx.helper, self.onnx.TensorProto.DOUBLE
        rows = helper.make_tensor_value_info("X", double, ["rows", columns])
        graph = helper.make_graph(self.nodes, "novikoff", [rows], self.outputs, self.constants)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="novikoff",
            producer_version=__version__,
        )
        helper.set_model_props(model, metadata)
        self.onnx.checker.check_model(model)
        return model


def _add_scores(graph: Graph, model: LinearModel, columns: NDArray[np.int64] | None) -> None:
    """Add X w + b, with some columns of X or all: one number per row for two classes, one per row and class for more.

    It is one operator: onnxruntime 1.31 drops an Add of a single number that is 0 in single precision.
    """
    is_binary, has_pairs = len(model.classes) == 2, model.has_pairs
    graph.constant("coef", model.coef.T)
    graph.constant("intercept", model.intercept)
    used = "X" if columns is None else graph.node("Gather", ["X", graph.constant("columns", columns)], "used", axis=1)
    graph.node("Gemm", [used, "coef", "intercept"], "sums" if is_binary or has_pairs else "scores")
    if is_binary:
        graph.node("Squeeze", ["sums", graph.constant("only_column", [1])], "scores")
    if has_pairs:
        _add_votes(graph, model)
    graph.output("scores", "f", ["rows"] if is_binary else ["rows", len(model.classes)])


def _add_votes(graph: Graph, model: LinearModel) -> None:
    """Add the decisions of pairs, as ``OneVsOne.combine`` computes them: votes, and sums of scores to break ties."""
    ends = np.zeros((len(model.coef), len(model.classes)))
    for row, (positive, negative) in zip(ends, model.strategy.pairs, strict=True):
        row[positive], row[negative] = 1.0, -1.0
    graph.constant("ends", ends)
    won = graph.node("MatMul", [graph.node("Sign", ["sums"], "signs"), "ends"], "won_minus_lost")
    graph.constant("half", 0.5)
    graph.constant("even_votes", 0.5 * (len(model.classes) - 1))
    votes = graph.node("Add", [graph.node("Mul", [won, "half"], "half_won"), "even_votes"], "votes")
    limits = [graph.constant("lower_limit", -MAX_SCORE), graph.constant("upper_limit", MAX_SCORE)]
    total = graph.node("Clip", [graph.node("MatMul", ["sums", "ends"], "totals"), *limits], "clipped")
    graph.constant("three", 3.0)
    size = graph.node("Add", [graph.node("Abs", [total], "sizes"), graph.constant("unit", 1.0)], "sizes_and_1")
    part = graph.node("Div", [total, graph.node("Mul", [size, "three"], "divisor")], "part")
    graph.node("Add", [votes, part], "scores")


def _add_labels(graph: Graph, model: LinearModel) -> None:
    """Add the labels: of several equal scores, and for a score of 0, the most frequent class wins."""
    order, classes = model.tie_order(), model.classes
    if len(classes) == 2:
        kind = "GreaterOrEqual" if order[0] == 1 else "Greater"
        graph.node(kind, ["scores", graph.constant("zero", 0.0)], "is_last")
        graph.node("Cast", ["is_last"], "chosen", to=graph.onnx.TensorProto.INT64)
    else:
        scores = "scores"
        if not np.array_equal(order, np.arange(len(order))):
            scores = graph.node("Gather", ["scores", graph.constant("order", order)], "ordered", axis=1)
            classes = classes[order]
        graph.node("ArgMax", [scores], "chosen", axis=1, keepdims=0, select_last_index=0)
    graph.node("Gather", [graph.constant("classes", classes), "chosen"], "label")
    graph.output("label", model.classes.dtype.kind, ["rows"])


def _add_probabilities(graph: Graph, sigmoids: Any) -> None:
    """Add Platt's p = 1 / (1 + exp(a)), with rows (slope, offset) in ``sigmoids`` and a = slope * score + offset.

    With e = exp(-|a|) it is (1 or e) / (1 + e), which loses no digits where p is small.
    """
    is_binary = len(sigmoids) == 1
    slopes = graph.constant("slopes", sigmoids[:, :1].T)
    offsets = graph.constant("offsets", sigmoids[:, 1])
    graph.constant("nothing", 0.0)
    graph.constant("one", 1.0)
    if is_binary:  # one operator, as in _add_scores
        graph.node("Gemm", ["sums", slopes, offsets], "a")
    else:
        graph.node("Add", [graph.node("Mul", ["scores", slopes], "tilted"), offsets], "a")
    graph.node("Exp", [graph.node("Neg", [graph.node("Abs", ["a"], "size")], "falling")], "e")
    graph.node("Where", [graph.node("Greater", ["a", "nothing"], "is_small"), "e", "one"], "upper")
    graph.node("Div", ["upper", graph.node("Add", ["one", "e"], "lower")], "p")
    if is_binary:
        graph.node("Concat", [graph.node("Sub", ["one", "p"], "rest"), "p"], "probabilities", axis=1)
    else:
        graph.node("ReduceSum", ["p", graph.constant("classes_axis", [1])], "total", keepdims=1)
        graph.node("Div", ["p", "total"], "shares")
        graph.node("Greater", ["total", "nothing"], "is_known")
        graph.node("Where", ["is_known", "shares", graph.constant("equal_share", 1 / len(sigmoids))], "probabilities")
    graph.output("probabilities", "f", ["rows", max(2, len(sigmoids))])
