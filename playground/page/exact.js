// Whether a line separates the points, decided in integers of any length: rounding has no part in the verdict.

/** A finite double as [integer, exponent]: its value is the integer times two to the exponent. */
function integerAndExponent(value) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  return [bits >> 63n ? -size : size, Math.max(exponent, 1) - 1075];
}

/** Doubles as integers with a common factor, which is a power of two. */
function toIntegers(values) {
  const pairs = values.map(integerAndExponent);
  const least = Math.min(...pairs.filter(([size]) => size !== 0n).map(([, exponent]) => exponent), 0);
  return pairs.map(([size, exponent]) => (size === 0n ? 0n : size << BigInt(exponent - least)));
}

/** Twice the area of the triangle a, b, c: positive if it turns to the left. */
function turn(a, b, c) {
  return (b.X - a.X) * (c.Y - a.Y) - (b.Y - a.Y) * (c.X - a.X);
}

/** The corners of the convex hull, counterclockwise, without points within edges; one or two if the points are on a line. */
function convexHull(sites) {
  const sorted = [...sites].sort((p, q) => p.x - q.x || p.y - q.y);
  const distinct = sorted.filter((p, i) => i === 0 || p.X !== sorted[i - 1].X || p.Y !== sorted[i - 1].Y);
  if (distinct.length < 3) return distinct;
  const half = (order) => {
    const chain = [];
    for (const p of order) {
      while (chain.length > 1 && turn(chain[chain.length - 2], chain[chain.length - 1], p) <= 0n) chain.pop();
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  const corners = [...half(distinct), ...half(distinct.reverse())];
  return corners.length > 2 ? corners : corners.slice(0, 2);
}

function isBetween(p, a, b) {
  return turn(a, b, p) === 0n && (a.X - p.X) * (b.X - p.X) + (a.Y - p.Y) * (b.Y - p.Y) <= 0n;
}

/** The corners of a part of the hull that has p: a corner, an edge or a triangle; null if p is outside. */
function partWith(p, hull) {
  if (hull.length === 1) return p.X === hull[0].X && p.Y === hull[0].Y ? [hull[0]] : null;
  if (hull.length === 2) return isBetween(p, hull[0], hull[1]) ? hull : null;
  for (let i = 0; i < hull.length; ++i) if (turn(hull[i], hull[(i + 1) % hull.length], p) < 0n) return null;
  for (let i = 1; i + 1 < hull.length; ++i) {
    const [a, b, c] = [hull[0], hull[i], hull[i + 1]];
    if (turn(a, b, p) >= 0n && turn(b, c, p) >= 0n && turn(c, a, p) >= 0n) return [a, b, c];
  }
  return null;
}

/** Whether the segments a b and c d cross in a point inside both. */
function cross(a, b, c, d) {
  const side = (value) => (value > 0n ? 1 : value < 0n ? -1 : 0);
  return side(turn(a, b, c)) * side(turn(a, b, d)) < 0 && side(turn(c, d, a)) * side(turn(c, d, b)) < 0;
}

function edgesOf(hull) {
  if (hull.length < 2) return [];
  return hull.length === 2 ? [hull] : hull.map((corner, i) => [corner, hull[(i + 1) % hull.length]]);
}

/** Where two hulls meet: the rows that prove it and a common point; null if they do not. */
function meeting(one, other) {
  for (const [inner, outer] of [[one, other], [other, one]])
    for (const p of inner) {
      const part = partWith(p, outer);
      if (part) return { rows: [p, ...part], at: [p.x, p.y] };
    }
  for (const [a, b] of edgesOf(one))
    for (const [c, d] of edgesOf(other))
      if (cross(a, b, c, d)) {
        const along = Number(turn(c, d, a)) / Number(turn(c, d, a) - turn(c, d, b));
        return { rows: [a, b, c, d], at: [a.x + along * (b.x - a.x), a.y + along * (b.y - a.y)] };
      }
  return null;
}

/** Whether some direction has no row on its wrong side, and not all rows at 0. Candidates are edges of hulls and their normals. */
function isWeaklySeparated(positive, negative) {
  for (const [a, b] of [...edgesOf(positive), ...edgesOf(negative)]) {
    const [dx, dy] = [b.X - a.X, b.Y - a.Y];
    for (const [nx, ny] of [[dx, dy], [-dx, -dy], [dy, -dx], [-dy, dx]]) {
      const along = (p) => nx * p.X + ny * p.Y;
      const least = positive.map(along).reduce((p, q) => (q < p ? q : p));
      const largest = negative.map(along).reduce((p, q) => (q > p ? q : p));
      const differs = [...positive, ...negative].some((p) => along(p) !== least);
      if (least >= largest && differs) return true;
    }
  }
  return false;
}

/**
 * The verdict on labelled points, as `novikoff.separability` gives it: complete, quasi-complete or overlap (docs/theory.md F1).
 * Without an intercept, the hull is that of the points y x, and the other one is the origin. `witness` has the rows that prove that
 * no line separates all points, and where the hulls meet.
 */
function separabilityOf(points, intercept) {
  const integers = toIntegers(points.flatMap(({ x, y }) => [x, y]));
  const sites = points.map(({ x, y, label }, row) => ({ x, y, X: integers[2 * row], Y: integers[2 * row + 1], row, label }));
  let positive = convexHull(sites.filter(({ label }) => label > 0));
  let negative = convexHull(sites.filter(({ label }) => label < 0));
  const hulls = { positive, negative };
  if (positive.length === 0 || negative.length === 0) return { verdict: null, hulls, witness: null };
  if (!intercept) {
    const reflect = ({ x, y, X, Y, row, label }) =>
      (label > 0 ? { x, y, X, Y, row } : { x: 0 - x, y: 0 - y, X: -X, Y: -Y, row });
    positive = convexHull(sites.map(reflect));
    negative = [{ x: 0, y: 0, X: 0n, Y: 0n, row: -1 }];
    hulls.reflected = positive;
  }
  const found = meeting(positive, negative);
  if (!found) return { verdict: "complete", hulls, witness: null };
  const rows = [...new Set(found.rows.map(({ row }) => row))].filter((row) => row >= 0);
  const isWeak = intercept ? isWeaklySeparated(positive, negative) : isWithinHalfPlane(sites);
  return { verdict: isWeak ? "quasi-complete" : "overlap", hulls, witness: { rows, at: found.at } };
}

/** Without an intercept: whether a line through the origin has no point on its wrong side, and not all points on it. */
function isWithinHalfPlane(sites) {
  const signed = sites.map(({ X, Y, label }) => (label > 0 ? [X, Y] : [-X, -Y]));
  for (const [x, y] of signed)
    for (const [nx, ny] of [[x, y], [-y, x], [y, -x]]) {
      const products = signed.map(([a, b]) => nx * a + ny * b);
      if (products.every((value) => value >= 0n) && products.some((value) => value > 0n)) return true;
    }
  return false;
}
