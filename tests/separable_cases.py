"""Small data sets of every kind that floating point finds hard, from a seed."""

import numpy as np

STYLES = ("grid", "indicators", "large integers", "normal", "one ulp off", "columns", "rows", "decimals", "collinear")


def small_case(seed):
    """X, labels -1 and +1, and whether there is an intercept."""
    rng = np.random.default_rng(seed)
    rows, columns = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    style = STYLES[seed % len(STYLES)]
    X = _table(rng, style, rows, columns)
    plane = rng.integers(-2, 3, columns + 1)
    y = np.where(X @ plane[:-1] + plane[-1] * (style in ("grid", "indicators", "normal", "decimals")) >= 0, 1, -1)
    if rng.random() < 0.3:
        y = rng.choice([-1, 1], rows)
    if rng.random() < 0.3:
        y[rng.integers(rows)] *= -1
    if len(set(y.tolist())) < 2:
        y[0] = -y[0]
    return X, y, bool(rng.integers(2))


def _table(rng, style, rows, columns):
    grid = rng.integers(-2, 3, (rows, columns)).astype(float)
    if style == "indicators":
        return rng.integers(0, 2, (rows, columns)).astype(float)
    if style == "large integers":
        return grid + 1e15
    if style == "normal":
        return rng.normal(size=(rows, columns))
    if style == "one ulp off":
        return np.where(grid == 0, 0.0, np.nextafter(grid, rng.choice([-9.0, 9.0], grid.shape)))
    if style == "columns":
        return grid * 10.0 ** rng.integers(-150, 150, columns)
    if style == "rows":
        return grid * 10.0 ** rng.integers(-100, 100, (rows, 1))
    if style == "decimals":
        return np.round(rng.normal(size=(rows, columns)), 1)
    if style == "collinear" and columns > 1:
        grid[:, -1] = grid[:, 0] * 0.1 + (grid[:, 1] if columns > 2 else 0.0)
    return grid
