"""The rows of a stream of tables, one after the other in plain Python: running standardisation and growing columns."""

import math
import re

LARGEST = 1e145


def encode(records, numbers, text=(), scale="none", missing="error"):
    """The encoded rows as dicts of values by name, and the names in order of appearance; None is a missing value."""
    names, moments, rows = dict.fromkeys(numbers), {}, []
    for record in records:
        row = {}
        for name, value in record.items():
            if value is None and missing == "zero" and name in numbers:
                value = 0.0  # as if it were there
            if value is None:
                row |= {f"{name}=missing": 1.0} if missing == "mean" else {}
                count, first, total, _ = moments.get(name, (0, 0.0, 0.0, 0.0))
                row |= {name: first + total / max(count, 1)} if name in numbers and scale == "none" else {}
            elif name in numbers:
                count, first, total, squares = moments.get(name, (0, value, 0.0, 0.0))
                distance = min(max(value - first, -LARGEST), LARGEST)
                count, total, squares = count + 1, total + distance, squares + distance * distance
                moments[name] = (count, first, total, squares)
                deviation = math.sqrt(max(squares / count - (total / count) * (total / count), 0.0))
                standard = (distance - total / count) / deviation if deviation else 0.0
                row[name] = standard if scale == "standard" else value
            elif name in text:
                for word in re.findall(r"\w\w+", value.lower()):
                    row[f"{name}:{word}"] = row.get(f"{name}:{word}", 0.0) + 1.0
            else:
                row[f"{name}={value}"] = 1.0
        names |= dict.fromkeys(row)
        rows.append(row)
    return rows, list(names)
