"""Models for other programs: ONNX, LIBLINEAR's text, and plain JSON."""

from .liblinear import from_liblinear as from_liblinear
from .liblinear import to_liblinear as to_liblinear
from .onnx import to_onnx as to_onnx
from .plain import to_json as to_json
