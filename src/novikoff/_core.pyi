"""The compiled kernels of novikoff."""

from collections.abc import Callable
from typing import Any

from numpy import float64, int32, int64, uint8, uint64
from numpy.typing import NDArray

class Rows:
    @property
    def count(self) -> int: ...
    @property
    def columns(self) -> int: ...
    def squared_norms(self) -> tuple[NDArray[float64], int]: ...

def dense(matrix: Any) -> Rows: ...
def csr(data: Any, indices: Any, indptr: Any, columns: int) -> Rows: ...

unicode_version: str

def hash_key(key: str | int) -> int: ...
def hash_bytes(bytes: memoryview | bytes) -> int: ...
def hash_keys(keys: list[Any]) -> NDArray[uint64]: ...

class TextOptions:
    def __init__(
        self,
        *,
        bits: int,
        lowercase: bool,
        shortest: int,
        longest: int,
        binary: bool,
        sublinear: bool,
        unit_length: bool,
    ) -> None: ...
    @property
    def bits(self) -> int: ...
    @property
    def unit_length(self) -> bool: ...

def hash_texts(
    texts: list[str | bytes], numbers: NDArray[int64], options: TextOptions, single: bool, threads: int
) -> tuple[NDArray[Any], NDArray[int32], NDArray[int64]]: ...
def hash_features(
    samples: list[Any], numbers: NDArray[int64], bits: int, unit_length: bool, single: bool
) -> tuple[NDArray[Any], NDArray[int32], NDArray[int64]]: ...

class Random:
    def __init__(self, seed: int) -> None: ...
    def shuffle(self, order: NDArray[int64]) -> None: ...

class OnlineLearner:
    def __init__(
        self,
        rule: str,
        parameter: float,
        intercept: bool,
        normalize: bool,
        delta: float,
        tie: str,
        keep: str,
        buckets: int,
        callback: Callable[..., float] | None = None,
    ) -> None: ...
    @property
    def names(self) -> list[Any]: ...
    @property
    def columns(self) -> int: ...
    @property
    def problems(self) -> int: ...
    def __getstate__(self) -> tuple[tuple[Any, ...], list[dict[str, Any]], list[Any]]: ...
    def __setstate__(self, state: tuple[tuple[Any, ...], list[dict[str, Any]], list[Any]]) -> None: ...
    def add_problem(self, positive: int, like: int | None = None) -> None: ...
    def name_columns(self, names: list[Any]) -> None: ...
    def learn(
        self,
        problem: int,
        rows: Rows,
        codes: NDArray[int32],
        weights: NDArray[float64] | None,
        squared_norms: NDArray[float64],
        order: NDArray[int64] | None,
        duals: NDArray[float64] | None,
        begin: int,
        end: int,
        scores: NDArray[float64] | None = None,
    ) -> tuple[bool, bool, float]: ...
    def learn_unseen(
        self,
        problem: int,
        rows: Rows,
        codes: NDArray[int32],
        weights: NDArray[float64] | None,
        squared_norms: NDArray[float64],
        order: NDArray[int64] | None,
        duals: NDArray[float64] | None,
    ) -> tuple[bool, bool, float, int]: ...
    def learn_row(self, rows: Rows, code: int, weight: float) -> bool: ...
    def learn_one(self, x: dict[Any, Any], code: int, weight: float) -> None: ...
    def score_one(self, x: dict[Any, Any], problem: int) -> float: ...
    def score(self, problem: int, rows: Rows, scores: NDArray[float64]) -> int: ...
    def weights(self, problem: int) -> NDArray[float64]: ...
    def bias(self, problem: int) -> float: ...
    def last_weights(self, problem: int) -> NDArray[float64]: ...
    def last_bias(self, problem: int) -> float: ...
    def tally(self, problem: int) -> dict[str, Any]: ...

MOST_INDEX: int

class SvmlightReader:
    def __init__(self, single: bool, base: int, last: int, features: int, threads: int) -> None: ...
    def feed(self, text: memoryview | bytes) -> tuple[int, str, bytes] | None: ...
    def expect(self, factor: float) -> None: ...
    def take(self) -> tuple[NDArray[Any], NDArray[int32], NDArray[int64], NDArray[float64]]: ...
    @property
    def lines(self) -> int: ...
    @property
    def smallest(self) -> int: ...
    @property
    def largest(self) -> int: ...

def read_at(file: int, offset: int, room: memoryview, threads: int) -> int: ...
def svmlight_text(
    rows: Rows, labels: NDArray[float64], index_base: int, begin: int, end: int, threads: int
) -> bytes: ...
def survey(rows: Rows) -> tuple[int, float, bool]: ...

class Response:
    def __init__(self, width: float, top: float, keep: float) -> None: ...
    @property
    def width(self) -> float: ...

def nearest_points(
    products: NDArray[float64],
    signs: NDArray[float64],
    balanced: bool,
    a: NDArray[float64],
    scores: NDArray[float64],
    accuracy: float,
    most: int,
    heaviest: float,
) -> tuple[int, float]: ...

class SoftMargin:
    def __init__(
        self,
        rows: Rows,
        codes: NDArray[int32],
        positive: int,
        costs: NDArray[float64] | None,
        scale: float,
        intercept: bool,
        elements: int,
        threads: int,
    ) -> None: ...
    def measure(self, v: NDArray[float64], margins: NDArray[float64]) -> None: ...
    def answer(
        self,
        centres: NDArray[float64],
        margins: NDArray[float64],
        response: Response,
        pulls: NDArray[float64],
    ) -> dict[str, Any]: ...
    def slope(
        self,
        centres: NDArray[float64],
        margins: NDArray[float64],
        rates: NDArray[float64],
        step: float,
        response: Response,
    ) -> tuple[float, float]: ...
    def loss(self, margins: NDArray[float64], squared: bool) -> float: ...
    def balance(self, margins: NDArray[float64], squared: bool, enough: float) -> float: ...
    def free_rows(self, centres: NDArray[float64], margins: NDArray[float64], response: Response) -> NDArray[int64]: ...
    def settle(self, centres: NDArray[float64], margins: NDArray[float64], response: Response) -> None: ...
    def solve_by_rows(
        self,
        free: NDArray[int64],
        width: float,
        lam: float,
        kappa: float,
        gradient: NDArray[float64],
        accuracy: float,
        most_steps: int,
        direction: NDArray[float64],
        q: NDArray[float64],
    ) -> int: ...
    def combine(self, some: NDArray[int64], q: NDArray[float64], sum: NDArray[float64]) -> None: ...
    def project(self, some: NDArray[int64], v: NDArray[float64], values: NDArray[float64]) -> None: ...
    def gram(self, some: NDArray[int64], width: float, matrix: NDArray[float64]) -> None: ...
    def row_products(self, some: NDArray[int64], others: NDArray[int64], products: NDArray[float64]) -> None: ...
    def norms(self, squared: NDArray[float64]) -> None: ...
    def descend(
        self,
        alpha: NDArray[float64],
        norms: NDArray[float64],
        order: NDArray[int32],
        v: NDArray[float64],
        before: tuple[float, float, int],
        lam: float,
        rho: float,
        ridge: float,
        top: float,
        random: Random,
    ) -> tuple[float, float, int, float]: ...
    def set_aside(
        self,
        alpha: NDArray[float64],
        margins: NDArray[float64],
        before: tuple[float, float],
        ridge: float,
        top: float,
        aside: NDArray[uint8],
    ) -> None: ...
    def line_up(self, aside: NDArray[uint8], order: NDArray[int32]) -> int: ...
