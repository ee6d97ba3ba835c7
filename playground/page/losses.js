// Bounds where no line separates the points: they add up the losses of a vector, and hold for whichever vector is taken.

/** The least value of a function of a positive scale that falls and then rises, by golden-section search over the logarithm. */
function leastOverScales(value, low, high) {
  const shrink = (Math.sqrt(5) - 1) / 2;
  let [first, last] = [Math.log(low), Math.log(high)];
  for (let step = 0; step < 80; ++step) {
    const [left, right] = [last - shrink * (last - first), first + shrink * (last - first)];
    if (value(Math.exp(left)) <= value(Math.exp(right))) last = right;
    else first = left;
  }
  return value(Math.exp((first + last) / 2));
}

/** The mean of all hypotheses of a run, of length 1: the vector whose losses are taken. Without a direction it is 0. */
function meanDirection(run) {
  const sums = ["w1", "w2", "b"].map((name) => run.visits.column(name).reduce((total, value) => total + value, 0));
  const length = Math.hypot(...sums);
  return length > 0 ? sums.map((value) => value / length) : [0, 0, 0];
}

/** How often each point was visited, or changed the weights, up to a frame. */
function countsOf(run, frame, onlyUpdates) {
  const [rows, moved] = [run.visits.column("row"), run.visits.column("hasMoved")];
  const counts = new Float64Array(run.state.points.length);
  for (let k = 0; k < frame; ++k) if (!onlyUpdates || moved[k]) ++counts[rows[k]];
  return counts;
}

/** The bound on mistakes or updates with the losses of the mean of all hypotheses, after a frame: {name, value}; null if there is no theorem. */
function lossBound(run, frame) {
  const { points, intercept, learner, C } = run.state;
  const { radius } = run.geometry;
  if (learner === "margin" || !(radius > 0)) return null;
  const direction = meanDirection(run);
  const margins = points.map((point) => point.label * dot3(direction, liftedOf(point, intercept)));
  const counts = countsOf(run, frame, run.learner.kind !== "perceptron");
  const total = (loss) => margins.reduce((sum, margin, i) => sum + counts[i] * loss(margin), 0);
  const hinge = (scale) => total((margin) => Math.max(0, 1 - scale * margin));
  const squared = (scale) => total((margin) => Math.max(0, 1 - scale * margin) ** 2);
  const least = (value) => leastOverScales(value, 1e-6 / radius, 1e12 / radius);
  if (run.learner.kind === "perceptron") return { name: "D2", value: least((scale) => (radius * scale + Math.sqrt(squared(scale))) ** 2) };
  if (learner === "arow") {
    const { comparator, model } = run.secondOrder(frame, direction);
    return { name: "L1", value: least((scale) => hinge(scale) + scale * Math.sqrt(comparator * model)) };
  }
  if (points.some((point) => point.x === 0 && point.y === 0 && !intercept)) return null; // I2 does not count mistakes on u = 0
  if (learner === "pa1") return { name: "I2", value: Math.max(radius * radius, 1 / C) * least((scale) => scale * scale + 2 * C * hinge(scale)) };
  return { name: "I2", value: (radius * radius + 1 / (2 * C)) * least((scale) => scale * scale + 2 * C * squared(scale)) };
}
