"""Find the products of floats with integers that are exactly 0, for many rows at a time, by their residues.

Multiplied by a power of two, all floats are integers, and so is the product N. If N is 0 modulo several primes whose
product exceeds a bound on |N|, then N is 0.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .elimination import Budget, IntegerVector, spend

PRODUCT_SHARE = 4  # products in floating point that take the time of a unit of work
RESIDUE_WORK = 8.0  # work of the residue of a value modulo a prime


def are_zero(
    X: Any, biases: bool, directions: list[IntegerVector], budget: Budget | None = None
) -> NDArray[np.bool_] | None:
    """Return for all rows and directions whether x_i.w is 0; with ``biases``, x_i.w + b with b the last entry.

    Return None if the numbers are so long that there are not enough primes.
    """
    values = X.data if sp.issparse(X) else X
    rows, columns = X.shape
    found = np.ones((rows, len(directions)), dtype=bool)
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    numbers = np.ldexp(mantissas, 53).astype(np.int64)
    least = int(exponents[numbers != 0].min(initial=0)) - 53  # of the power of two that is the unit
    places = np.where(numbers != 0, exponents - 53 - least, 0)
    longest = max(abs(entry) for direction in directions for entry in direction).bit_length()
    bits = 54 + max(int(places.max(initial=0)), -least) + longest + (columns + 1).bit_length()
    primes = _primes((53 - (columns + 1).bit_length()) // 2, bits + 1)
    if not primes:
        return None
    spend(budget, len(primes) * (values.size + rows) * (RESIDUE_WORK + len(directions) / PRODUCT_SHARE))
    for prime in primes:
        powers = _powers(int(places.max(initial=0)) + 1, prime)
        residues = (numbers % prime * powers[places] % prime).astype(np.float64)
        table = sp.csr_array((residues, X.indices, X.indptr), shape=X.shape) if sp.issparse(X) else residues
        matrix = np.array([[entry % prime for entry in direction] for direction in directions], dtype=np.float64).T
        products = table @ (matrix[:-1] if biases else matrix)
        if biases:
            products = products + pow(2, -least, prime) * matrix[-1]
        found &= np.fmod(products, prime) == 0
    return found


@cache
def _sieve(bits: int) -> list[int]:
    """Return the primes below 2^bits, the largest first."""
    is_prime = np.ones(1 << bits, dtype=bool)
    is_prime[:2] = False
    for k in range(2, math.isqrt(1 << bits) + 1):
        if is_prime[k]:
            is_prime[k * k :: k] = False
    primes: list[int] = np.flatnonzero(is_prime)[::-1].tolist()
    return primes


def _primes(bits: int, enough: int) -> list[int]:
    """Return primes below 2^bits and 2^20 whose product has more than ``enough`` bits; none if they do not suffice."""
    primes = _sieve(min(bits, 20))
    chosen, product = [], 1
    for prime in primes:
        chosen.append(prime)
        product *= prime
        if product.bit_length() > enough + 1:
            return chosen
    return []


def _powers(count: int, prime: int) -> NDArray[np.int64]:
    """Return 2^0, 2^1, ... modulo a prime."""
    powers = np.empty(count, dtype=np.int64)
    power = 1
    for k in range(count):
        powers[k] = power
        power = power * 2 % prime
    return powers
