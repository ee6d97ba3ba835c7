"""Models as ONNX, in double precision."""

from __future__ import annotations

import importlib
import json
from typing import Any

import numpy as np

from novikoff._atomic import replacing
from novikoff._json import plain
from novikoff._version import __version__
from novikoff.errors import invalid

from ._weights import Weights, parameters_of

OPSET, IR_VERSION = 17, 8  # of ONNX 1.12, from 2022: whatever runs models today knows them
MOST_BYTES = (1 << 31) - (1 << 24)  # a file of ONNX is one message of Protocol Buffers, which ends at 2 GiB


def to_onnx(model: Any, path: Any) -> None:
    """Write a model as ONNX, in double precision.

    The input ``X`` is a matrix of doubles with any number of rows. The outputs are ``label``, ``scores`` as
    ``decision_function`` gives them, and ``probabilities`` where the model has ``predict_proba``. Ties are decided as
    by ``predict``. Needs the package onnx.

    Parameters
    ----------
    model : a fitted linear classifier
    path : where to write it, as a whole or not at all

    Examples
    --------
    >>> import tempfile
    >>> import novikoff as nk
    >>> model = nk.LinearSVM().fit([[0.0, 1.0], [1.0, 0.0]], ["no", "yes"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nk.export.to_onnx(model, f"{folder}/model.onnx")
    """
    where = "to_onnx"
    weights = Weights.of(where, model, path)
    if weights.coef.nbytes > MOST_BYTES:
        raise invalid(where, f"Weights of at most {MOST_BYTES} bytes.", weights.coef.nbytes)
    onnx = _onnx(where)
    graph = Graph(onnx)
    _score(graph, weights)
    _decide(graph, weights)
    sigmoids = getattr(model, "_sigmoids_of_classes", [])
    if sigmoids and hasattr(model, "predict_proba"):
        _scale(graph, sigmoids)
    facts = {"library": "novikoff", "learner": type(model).__name__, "parameters": json.dumps(parameters_of(model))}
    if weights.feature_names is not None:
        facts["feature_names"] = json.dumps(plain(weights.feature_names, unknown=repr))
    whole = graph.whole(weights.coef.shape[1], facts)
    with replacing(where, path) as file:
        file.write(whole.SerializeToString())


def _onnx(where: str) -> Any:
    try:
        return importlib.import_module("onnx")
    except ImportError as error:
        need = "The package onnx, which writes this file (pip install 'novikoff[onnx]')."
        raise invalid(where, need, "no onnx that can be imported") from error


class Graph:
    """The nodes, constants and outputs of an ONNX model."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        """Add an operation."""
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, name: str, values: Any) -> str:
        """Add an array of doubles, integers, booleans or strings."""
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
        """Declare one of the results."""
        types = {"f": "DOUBLE", "i": "INT64", "b": "BOOL", "U": "STRING"}
        of_kind = getattr(self.onnx.TensorProto, types[kind])
        self.outputs.append(self.onnx.helper.make_tensor_value_info(name, of_kind, shape))

    def whole(self, columns: int, facts: dict[str, str]) -> Any:
        """The model, checked."""
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
        helper.set_model_props(model, facts)
        self.onnx.checker.check_model(model)
        return model


def _score(graph: Graph, weights: Weights) -> None:
    """Return X w + b: one number a row for two classes, one a class for more.

    It is one operation: onnxruntime 1.31 leaves out an Add of a single number that single precision takes for 0.
    """
    two = len(weights.classes) == 2
    graph.constant("coef", weights.coef.T)
    graph.constant("intercept", weights.intercept)
    graph.node("Gemm", ["X", "coef", "intercept"], "sums" if two else "scores")
    if two:
        graph.node("Squeeze", ["sums", graph.constant("only_column", [1])], "scores")
    graph.output("scores", "f", ["rows"] if two else ["rows", len(weights.classes)])


def _decide(graph: Graph, weights: Weights) -> None:
    """A score of 0 goes to the last of two classes; of several equal scores, the first wins."""
    if len(weights.classes) == 2:
        graph.node("GreaterOrEqual", ["scores", graph.constant("zero", 0.0)], "is_last")
        graph.node("Cast", ["is_last"], "chosen", to=graph.onnx.TensorProto.INT64)
    else:
        graph.node("ArgMax", ["scores"], "chosen", axis=1, keepdims=0, select_last_index=0)
    graph.node("Gather", [graph.constant("classes", weights.classes), "chosen"], "label")
    graph.output("label", weights.classes.dtype.kind, ["rows"])


def _scale(graph: Graph, sigmoids: list[Any]) -> None:
    """Platt's p = 1 / (1 + exp(a)) by e = exp(-|a|), which loses no digits where p is small: (1 or e) / (1 + e)."""
    two = len(sigmoids) == 1
    slopes = graph.constant("slopes", [[s.slope for s in sigmoids]])
    offsets = graph.constant("offsets", [s.offset for s in sigmoids])
    graph.constant("nothing", 0.0)
    graph.constant("one", 1.0)
    if two:  # one operation, as in _score
        graph.node("Gemm", ["sums", slopes, offsets], "a")
    else:
        graph.node("Add", [graph.node("Mul", ["scores", slopes], "tilted"), offsets], "a")
    graph.node("Exp", [graph.node("Neg", [graph.node("Abs", ["a"], "size")], "falling")], "e")
    graph.node("Where", [graph.node("Greater", ["a", "nothing"], "is_small"), "e", "one"], "upper")
    graph.node("Div", ["upper", graph.node("Add", ["one", "e"], "lower")], "p")
    if two:
        graph.node("Concat", [graph.node("Sub", ["one", "p"], "rest"), "p"], "probabilities", axis=1)
    else:
        graph.node("ReduceSum", ["p", graph.constant("columns", [1])], "total", keepdims=1)
        graph.node("Div", ["p", "total"], "shares")
        graph.node("Greater", ["total", "nothing"], "is_known")
        graph.node("Where", ["is_known", "shares", graph.constant("equal_share", 1 / len(sigmoids))], "probabilities")
    graph.output("probabilities", "f", ["rows", max(2, len(sigmoids))])
