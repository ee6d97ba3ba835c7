// The curves of the charts: what is drawn once for a run, and the values at a frame.

const MAX_LINEAR_RATIO = 10; // the axes are logarithmic if the bound is more than this many times the updates

/** What the theorem says about the counts at the end of a run. */
function countCaption(run, count, bound, withLosses, isLog) {
  const { counts, boundText } = run.learner;
  const made = count === 1 ? `1 ${counts.slice(0, -1)}` : `${format(count)} ${counts}`;
  const axis = isLog ? " The vertical axis is logarithmic." : "";
  if (Number.isFinite(bound)) return `${made} of at most ${wholeBound(bound)}.${axis}`;
  const reason = reasonWithoutMargin(run.geometry, run.state.intercept);
  if (reason === null) return `${made}. The bound is too large to compute.`;
  if (withLosses === null) return `${reason}, so the ${boundText} has no value.`;
  return `${made}. ${reason}, so the bound ${boundText} does not exist; ${withLosses.name}, with the losses of the mean of all hypotheses, allows ${wholeBound(withLosses.value)}.${axis}`;
}

/** The largest whole number that a bound allows, whose last digits may be rounded. */
function wholeBound(bound) {
  return format(Math.floor(bound * (1 + 1e-9)));
}

/** Mistakes and updates by examples, and the bound. */
function countSpec(run) {
  const end = run.count - 1;
  const last = run.at(end);
  const bound = run.bound(end);
  const hasUpdates = last.updates !== last.mistakes && run.updates.length > 0;
  const top = Math.max(last.mistakes, last.updates, 1);
  const withLosses = Number.isFinite(bound) ? null : run.lossBound(end);
  const level = withLosses?.value ?? bound;
  const isShown = Number.isFinite(level);
  const isLog = isShown && level > MAX_LINEAR_RATIO * top;
  const stairs = (total, value) => [[0, 0], ...run.updates.map((update, k) => [update.frame, value(update, k)]), [end, total]];
  const curves = [{ name: "mistakes", kind: "ink", points: stairs(last.mistakes, ({ visit }) => visit.mistakes), isStepped: true }];
  if (hasUpdates) curves.push({ name: "updates", kind: "muted", points: stairs(last.updates, (_, k) => k + 1), isStepped: true });
  const high = isShown ? Math.max(top, level) : top;
  return {
    x: { min: 0, max: Math.max(end, 1), label: "examples" },
    y: isLog ? { min: 0.8, max: 2 * high, isLog } : { min: 0, max: 1.1 * high },
    curves,
    levels: isShown ? [{ name: `bound ${withLosses?.name ?? run.learner.boundText} = ${format(level)}`, kind: "bound", value: level }] : [],
    caption: countCaption(run, last[run.learner.counts], bound, withLosses, isLog),
    at: (frame) => frame,
    values: (frame) => {
      const { mistakes, updates } = run.at(frame);
      return hasUpdates ? [mistakes, updates] : [mistakes];
    },
  };
}

/** M gamma, the projection and the length of v, and its upper bound: the proof closes where the outer two meet. */
function proofSpec(run) {
  const { state, geometry } = run;
  if (run.updates.length === 0) return null;
  if (run.learner.kind === "arow") return secondOrderSpec(run);
  if (state.learner === "pa1" || state.learner === "pa2") return distanceSpec(run);
  const made = run.updates.length;
  const bound = run.bound(run.count - 1);
  const hasBound = geometry.margin > 0 && Number.isFinite(bound);
  const isLog = hasBound && bound > MAX_LINEAR_RATIO * made;
  const end = Math.max(2, hasBound ? Math.ceil(isLog ? 1.3 * bound : 1.08 * Math.max(bound, made)) : made);
  const counts = spread(isLog ? 1 : 0, end, isLog);
  const limits = lengthBounds(state, geometry.radius, geometry.margin, counts);
  const upper = counts.map((M, k) => [M, limits[k]]);
  const lower = counts.map((M) => [M, M * geometry.margin]);
  const actual = (value) => [...(isLog ? [] : [[0, 0]]), ...run.updates.map((update, k) => [k + 1, value(update)])];
  const length = actual((update) => update.length);
  const projection = actual((update) => update.projection);
  const high = Math.max(...upper.map(([, value]) => value), ...length.map(([, value]) => value));
  const projected = hasBound ? projection.map(([, value]) => value) : [];
  const low = isLog ? Math.min(geometry.margin, ...projected) : Math.min(0, ...projected);
  const name = state.learner === "margin" ? "bound on |v|" : "R√M";
  return {
    x: { min: isLog ? 1 : 0, max: end, isLog, label: isLog ? "updates M (logarithmic)" : "updates M" },
    y: { min: isLog ? low / 1.2 : low, max: isLog ? 1.2 * high : 1.05 * high, isLog },
    area: hasBound ? [upper, lower] : null,
    curves: [
      { name: "|v|", kind: "ink", points: length },
      ...(hasBound ? [{ name: "v·v*", kind: "accent", points: projection }] : []),
      { name, kind: "bound", points: upper },
      ...(hasBound ? [{ name: "Mγ", kind: "lower", points: lower }] : []),
    ],
    caption: hasBound
      ? `Mγ ≤ v·v* ≤ |v| ≤ ${name === "R√M" ? "R√M" : "its bound"}: the outer two meet at M = ${format(bound)}, so there cannot be more updates.`
      : closingWords(run, name),
    at: (frame) => run.updatesBefore[frame],
    values: (frame) => {
      const update = run.updates[run.updatesBefore[frame] - 1];
      return update ? [update.length, ...(hasBound ? [update.projection] : [])] : [];
    },
  };
}

/** Why the two sides of the proof of a perceptron do not meet on the chart. */
function closingWords({ geometry, state }, name) {
  const reason = reasonWithoutMargin(geometry, state.intercept);
  if (reason === null) return `|v| stays below ${name === "R√M" ? name : "its bound"}. Mγ would meet it beyond any count that can be computed.`;
  const other = geometry.verdict === "complete" ? "Mγ cannot be drawn" : "no lower bound grows to meet it";
  return `${reason}: |v| stays below ${name === "R√M" ? name : "its bound"}, and ${other}.`;
}

/** M gamma, the projection of the sum z of all y u on v*, and the product of the lengths that bounds it (L1). */
function secondOrderSpec(run) {
  const { best, margin } = run.geometry;
  if (!best) return null;
  const along = (value) => [[0, 0], ...run.updates.map((update, k) => [k + 1, value(update, k + 1)])];
  const upper = along(({ frame }) => margin * run.bound(frame));
  const projection = along(({ sum }) => dot3(sum, best));
  const lower = along((_, M) => M * margin);
  return {
    x: { min: 0, max: Math.max(2, run.updates.length), label: "updates M" }, y: { min: 0, max: 1.08 * Math.max(...upper.map(([, value]) => value)) },
    area: [upper, lower],
    curves: [{ name: "√(v*′A v*) √(z′A⁻¹z)", kind: "bound", points: upper }, { name: "z·v*", kind: "accent", points: projection }, { name: "Mγ", kind: "lower", points: lower }],
    caption: "Each update adds at least γ to z·v*, which is at most the product of the two lengths. So Mγ can never exceed that product.",
    at: (frame) => run.updatesBefore[frame],
    values: (frame) => [upper, projection, lower].map((points) => points[run.updatesBefore[frame]][1]),
  };
}

/** Whole numbers from first to last, at most some hundred of them. */
function spread(first, last, isLog) {
  const most = 160;
  if (last - first <= most) return Array.from({ length: last - first + 1 }, (_, k) => first + k);
  const place = (k) => (isLog ? first * (last / first) ** (k / most) : first + ((last - first) * k) / most);
  return [...new Set(Array.from({ length: most + 1 }, (_, k) => Math.round(place(k))))];
}

/** The squared distance of v from v*\/gamma, which every mistake of a passive-aggressive learner lowers. */
function distanceSpec(run) {
  const { best, margin } = run.geometry;
  if (!best) return null;
  const points = [[0, 1 / (margin * margin)]];
  for (const { v } of run.updates) points.push([points.length, v.reduce((total, value, j) => total + (value - best[j] / margin) ** 2, 0)]);
  return {
    x: { min: 0, max: Math.max(2, run.updates.length), label: "updates" }, y: { min: 0, max: 1.08 * Math.max(...points.map(([, value]) => value)) },
    curves: [{ name: "|v − v*/γ|²", kind: "ink", points }],
    caption: `It begins at 1/γ² = ${format(points[0][1])}, no update raises it, every mistake lowers it, and it is never negative.`,
    at: (frame) => run.updatesBefore[frame], values: (frame) => [points[run.updatesBefore[frame]][1]],
  };
}

/** The margin that v has, and the upper bound on every margin: the least |v|/M so far, where M is the sum of the steps. */
function marginSpec(run) {
  const { margin } = run.geometry;
  if (run.updates.length === 0) return null;
  if (run.learner.kind === "arow") return varianceSpec(run);
  const upper = run.updates.map((update, k) => [k + 1, update.upper]);
  const reached = run.updates.map((update, k) => [k + 1, update.margin]);
  const values = (pairs) => pairs.map(([, value]) => value).filter(Number.isFinite);
  const first = Math.max(...values(upper), ...values(reached), 1e-12);
  const high = margin > 0 ? Math.min(first, 6 * margin) : first;
  const least = Math.min(0, ...values(reached));
  const low = Math.max(least, -0.8 * high);
  const ratio = `|v|/${run.divisor}`;
  const sum = run.divisor === "M" ? "" : " Στ is the sum of the steps τ.";
  const below = least < low ? ` Values below the chart are not shown: the margin of v was as low as ${format(least)}.` : "";
  return {
    x: { min: 0, max: Math.max(2, run.updates.length), label: "updates" }, y: { min: low, max: 1.08 * high },
    curves: [{ name: `least ${ratio}`, kind: "bound", points: upper, isStepped: true }, { name: "margin of v", kind: "ink", points: reached }],
    levels: margin > 0 ? [{ name: `γ = ${format(margin)}`, kind: "lower", value: margin }] : [],
    caption: margin > 0
      ? `The largest margin γ lies between what v reaches and the least ${ratio} so far, whatever the order of the points.${sum}${below}`
      : `The least ${ratio} so far bounds every margin. ${run.geometry.verdict === "complete" ? "The largest one is too small to compute." : `It falls towards 0, because no ${lineName(run.state.intercept)} separates the points.`}${sum}${below}`,
    at: (frame) => run.updatesBefore[frame],
    values: (frame) => { const update = run.updates[run.updatesBefore[frame] - 1]; return update ? [update.upper, update.margin] : []; },
  };
}

/** The variances of the weights of AROW, which never grow. */
function varianceSpec(run) {
  const names = [["w₁", "variance1", "ink"], ["w₂", "variance2", "accent"], ...(run.state.intercept ? [["intercept", "variance0", "bound"]] : [])];
  const curves = names.map(([name, field, kind]) => ({ name, kind, points: [[0, 1], ...run.updates.map(({ visit }, k) => [k + 1, visit[field]])] }));
  const least = Math.min(...curves.flatMap(({ points }) => points.map(([, value]) => value)));
  return {
    x: { min: 0, max: Math.max(2, run.updates.length), label: "updates" }, y: { min: Math.min(0.5, least), max: 1.2, isLog: true }, curves,
    caption: "The variance of each weight. The smaller it is, the less an update changes that weight.",
    at: (frame) => run.updatesBefore[frame], values: (frame) => curves.map(({ points }) => points[run.updatesBefore[frame]][1]),
  };
}

/** The two bounds of a batch learner by steps of the solver. */
function boundsSpec(run) {
  if (!run.isPossible || run.count < 2) return null;
  const steps = run.frames.column("steps");
  const [lower, upper] = [run.frames.column("lower"), run.frames.column("upper")];
  const isSoft = run.state.learner === "soft";
  const first = isSoft ? 0 : 1;
  const pairs = (values) => [...steps].map((step, k) => [step, values[k]]).slice(first);
  const goal = upper[run.count - 1];
  const high = isSoft ? Math.min(Math.max(...upper), 6 * goal) : Math.min(Math.max(...upper.slice(1)), 4 * goal);
  const low = isSoft ? Math.min(0, Math.max(Math.min(...lower), -0.2 * high)) : Math.max(Math.min(0, ...lower.slice(1)), -0.5 * high);
  const last = steps[run.count - 1];
  const isLog = last > 300;
  const [uppers, lowers] = [pairs(upper), pairs(lower)].map((list) => (isLog ? list.filter(([step]) => step > 0) : list));
  return {
    x: { min: isLog ? 1 : 0, max: Math.max(2, last), isLog, label: isLog ? "steps of the solver (logarithmic)" : "steps of the solver" }, y: { min: low, max: 1.06 * high },
    area: [uppers, lowers.map(([step, value]) => [step, Math.max(value, low)])],
    curves: isSoft
      ? [{ name: "objective P", kind: "bound", points: uppers }, { name: "lower bound D", kind: "ink", points: lowers }]
      : [{ name: run.state.intercept ? "half the distance" : "distance from the origin", kind: "bound", points: uppers }, { name: "margin of the line", kind: "ink", points: lowers }],
    caption: isSoft
      ? "The least objective lies between D and P. The solver stops when they agree to six digits."
      : `The largest margin lies between the margin of the line and ${run.state.intercept ? "half the distance of the two points of the hulls" : "the distance of the origin from the point of the hull of y x"}.`,
    at: (frame) => steps[frame], values: (frame) => (frame < first ? [] : [upper[frame], lower[frame]]),
  };
}

/** The relative gap of a soft margin, by steps. */
function gapSpec(run) {
  if (!run.isPossible || run.count < 3) return null;
  const steps = run.frames.column("steps");
  const [lower, upper] = [run.frames.column("lower"), run.frames.column("upper")];
  const gap = [...steps].map((step, k) => [step, Math.max(1e-12, (upper[k] - Math.max(lower[k], 0)) / upper[k])]).slice(1);
  const isLog = steps[run.count - 1] > 300;
  return {
    x: { min: isLog ? 1 : 0, max: Math.max(2, steps[run.count - 1]), isLog, label: isLog ? "steps of the solver (logarithmic)" : "steps of the solver" },
    y: { min: Math.min(1e-7, ...gap.map(([, value]) => Math.max(value, 1e-9))), max: 2, isLog: true },
    curves: [{ name: run.state.learner === "soft" ? "(P − D)/P" : "1 − lower/upper", kind: "ink", points: gap }],
    caption: "The relative gap: no line can be better by a larger fraction.",
    at: (frame) => steps[frame], values: (frame) => (frame < 1 ? [] : [gap[frame - 1][1]]),
  };
}
