// Half-planes, lines and bands within a rectangle.

/** The part of a convex polygon in which w1 x + w2 y + b >= 0. */
function clipped(polygon, [w1, w2, b]) {
  const value = ([x, y]) => w1 * x + w2 * y + b;
  const found = [];
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length];
    const [at, next] = [value(p), value(q)];
    if (at >= 0) found.push(p);
    if ((at > 0 && next < 0) || (at < 0 && next > 0)) {
      const share = at / (at - next);
      found.push([p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]);
    }
  });
  return found;
}

/** The part of a convex polygon in which |w1 x + w2 y + b| <= width. */
function bandWithin(polygon, [w1, w2, b], width) {
  return clipped(clipped(polygon, [w1, w2, b + width]), [-w1, -w2, width - b]);
}

/** The ends of the line w1 x + w2 y + b = level, beyond the view; null if there is no line. */
function lineWithin(view, [w1, w2, b], level = 0) {
  const square = w1 * w1 + w2 * w2;
  if (!(square > 0)) return null;
  const reach = 4 * view.half * Math.max(1, view.aspect);
  const off = (w1 * view.x + w2 * view.y + b - level) / square;
  const foot = [view.x - off * w1, view.y - off * w2];
  if (Math.hypot(foot[0] - view.x, foot[1] - view.y) > reach) return null;
  const length = Math.sqrt(square);
  const along = [(-w2 / length) * reach, (w1 / length) * reach];
  return [[foot[0] - along[0], foot[1] - along[1]], [foot[0] + along[0], foot[1] + along[1]]];
}
