"""NumPy archives as data: .xy files with the arrays X and y."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from novikoff.data.batch import Batch
from novikoff.data.formats.base import Batches, DataFormat
from novikoff.errors import file_error, input_error


class NpzFormat(DataFormat):
    """Rows in the array X, labels in the array y. Pickled objects are refused."""

    name = "xy"
    suffixes = (".xy",)
    is_text = False

    def open(self, where: str, sources: list[Any], options: dict[str, Any], batch_size: int, follow: bool) -> Batches:
        def new_pass() -> Iterator[Batch]:
            for source in sources:
                X, y = _arrays(source)
                for start in range(0, len(y), batch_size):
                    yield Batch(X[start : start + batch_size], y[start : start + batch_size])

        return Batches(new_pass)


def _arrays(source: Any) -> tuple[Any, Any]:
    try:
        with np.load(source) as archive:
            return np.asarray(archive["X"], dtype=np.float64), archive["y"]
    except KeyError:
        raise input_error(str(source), "the archive must have the arrays X and y.") from None
    except (OSError, ValueError) as error:
        raise file_error(str(source), error) from None


NPZ = NpzFormat()
