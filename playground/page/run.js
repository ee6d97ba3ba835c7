// Runs: what the kernels compute for the points and settings, and the numbers that panels show beside them.

const MAX_VISITS = 20000; // of a run that is recorded
const MAX_MARGIN_STEPS = 100000;
const GAMMA_TOLERANCE = 1e-9;
const MARGIN_TOLERANCE = 1e-7;
const SOFT_TOLERANCE = 1e-6;

/** The number of passes that are recorded: whole ones, so that Python can repeat them. */
function recordedPasses({ points, passes }) {
  return Math.min(passes, Math.floor(MAX_VISITS / points.length));
}

function kernelSettings(state, parameter) {
  const learner = LEARNERS[state.learner];
  const kind = state.learner === "margin" && state.threshold === "known" ? "fixedMargin" : learner.kind;
  return {
    kind: KINDS[kind], keep: KEEPS[learner.keep], parameter, intercept: state.intercept, shuffle: state.shuffle,
    seed: state.seed, passes: recordedPasses(state), maxVisits: MAX_VISITS,
  };
}

/** The vectors u = (x, 1), or (x, 0) without an intercept. */
function liftedOf(point, intercept) {
  return [point.x, point.y, intercept ? 1 : 0];
}

function dot3(p, q) {
  return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
}

/** What is known about the points without a run: the verdict, R, and the best separator v* in the space of u with its margin. */
function geometryOf(kernels, state) {
  const { points, intercept } = state;
  const separability = separabilityOf(points, intercept);
  const radius = Math.sqrt(Math.max(0, ...points.map((point) => { const u = liftedOf(point, intercept); return dot3(u, u); })));
  let margin = NaN;
  let best = null;
  if (separability.verdict === "complete") {
    const frames = kernels.hardMargin(points, intercept ? "feature" : "none", MAX_MARGIN_STEPS, GAMMA_TOLERANCE);
    const last = frames.at(frames.count - 1);
    if (last.lower > 0) {
      const length = Math.hypot(last.w1, last.w2, last.b);
      best = [last.w1 / length, last.w2 / length, last.b / length];
      margin = last.lower;
    }
  }
  return { ...separability, radius, margin, best };
}

/** The parameter of the kernel: theta, epsilon, C or r. */
function parameterOf(state, geometry) {
  if (state.learner === "margin") return state.threshold === "known" ? (1 - state.epsilon) * geometry.margin : state.epsilon;
  if (state.learner === "arow") return state.r;
  return state.C;
}

/** A run of an online learner. Frame 0 is the start; frame k follows visit k. */
class OnlineRun {
  constructor(kernels, state, geometry) {
    this.family = "online";
    this.learner = LEARNERS[state.learner];
    this.state = state;
    this.geometry = geometry;
    this.kernels = kernels;
    this.settings = kernelSettings(state, parameterOf(state, geometry));
    const { visits, converged } = kernels.online(state.points, this.settings);
    Object.assign(this, { visits, converged, count: visits.count + 1, isCut: !converged && this.settings.passes < state.passes });
    this._collectUpdates();
  }

  /** Find the updates, with the lengths and projections of the proofs. */
  _collectUpdates() {
    const { points, intercept } = this.state;
    const { best } = this.geometry;
    const moved = this.visits.column("hasMoved");
    this.updates = [];
    this.updatesBefore = new Int32Array(this.count);
    let sum = [0, 0, 0];
    let upper = Infinity; // the kernel's own bound also has the error of |v|² in it, which is all that is left of it where v = 0
    for (let k = 1; k < this.count; ++k) {
      if (moved[k - 1]) {
        const visit = this.visits.at(k - 1);
        const point = points[visit.row];
        const u = liftedOf(point, intercept);
        sum = [sum[0] + point.label * u[0], sum[1] + point.label * u[1], sum[2] + point.label * u[2]];
        const v = [visit.w1, visit.w2, visit.b];
        const length = Math.hypot(v[0], v[1], v[2]);
        upper = Math.min(upper, length / visit.steps);
        this.updates.push({
          frame: k, visit, v, length, sum, isMistake: visit.isMistake > 0, upper,
          projection: best ? dot3(v, best) : NaN, margin: this._marginOf(v, length),
        });
      }
      this.updatesBefore[k] = this.updates.length;
    }
  }

  /** The sum of the steps, which |v| is divided by: the number M of updates, unless steps have a size. */
  get divisor() {
    return this.state.learner === "pa1" || this.state.learner === "pa2" ? "Στ" : "M";
  }

  /** The smallest y v.u / |v| over all points: negative if a point is on the wrong side. */
  _marginOf(v, length) {
    return length > 0 ? this._leastScore(v) / length : NaN;
  }

  /** The smallest y v.u over all points. */
  _leastScore([w1, w2, b]) {
    let least = Infinity;
    for (const { x, y, label } of this.state.points) least = Math.min(least, label * (w1 * x + w2 * y + b));
    return least;
  }

  /** The frame after the next update, or before the last one. */
  neighbour(frame, direction) {
    const found = direction > 0
      ? this.updates.find((update) => update.frame > frame)
      : this.updates.findLast((update) => update.frame < frame);
    return found?.frame ?? (direction > 0 ? this.count - 1 : 0);
  }

  at(frame) {
    const before = frame > 1 ? this.visits.at(frame - 2) : null;
    const visit = frame > 0 ? this.visits.at(frame - 1) : null;
    const plane = (found) => (found ? [found.w1, found.w2, found.b] : [0, 0, 0]);
    const point = visit ? this.state.points[visit.row] : null;
    const shown = visit && this.learner.keep === "average" ? [visit.a1, visit.a2, visit.a0] : plane(visit);
    return {
      frame, visit, point, before: plane(before), after: plane(visit), shown, previous: before,
      updates: this.updatesBefore[frame] ?? 0, mistakes: visit?.mistakes ?? 0,
      threshold: this._threshold(visit, shown), added: visit ? this._added(before, visit) : null,
    };
  }

  _added(before, visit) {
    const old = before ?? { w1: 0, w2: 0, b: 0 };
    return [visit.w1 - old.w1, visit.w2 - old.w2, visit.b - old.b];
  }

  /** The half width of the band, as a score: up to it the rule updates; of a perceptron, whose line separates the points, that of the nearest point. */
  _threshold(visit, shown) {
    if (this.learner.kind === "perceptron") return this.learner.keep === "votes" ? 0 : Math.max(0, this._leastScore(shown));
    if (this.state.learner !== "margin") return 1;
    const square = Math.max(0, visit?.squaredLength ?? 0);
    if (this.state.threshold === "known") return this.settings.parameter * Math.sqrt(square);
    return visit && visit.steps > 0 ? (1 - this.state.epsilon) * square / visit.steps : 0;
  }

  /** The bound on mistakes or updates that the theorem of the learner states, after a frame. */
  bound(frame) {
    const { radius, margin, best } = this.geometry;
    return this.learner.bound({ radius, margin, state: this.state, sums: this.state.learner === "arow" && best ? this.secondOrder(frame, best) : null });
  }

  /** The two factors of L1 after a frame, squared, with A the inverse variances: u'Au of a vector u, and z'A⁻¹z of the sum of the updates. */
  secondOrder(frame, u) {
    const visit = frame > 0 ? this.visits.at(frame - 1) : null;
    const updates = this.updatesBefore[frame];
    if (!visit || updates === 0) return { comparator: 0, model: 0 };
    const variances = [visit.variance1, visit.variance2, visit.variance0];
    const { sum } = this.updates[updates - 1];
    const comparator = u.reduce((total, value, j) => total + (value * value) / variances[j], 0);
    const model = sum.reduce((total, value, j) => total + value * value * variances[j], 0);
    return { comparator, model };
  }

  /** The bound with losses after a frame, where no line separates the points: {name, value}, or null. */
  lossBound(frame) {
    return this.geometry.verdict === "complete" ? null : lossBound(this, frame);
  }

  votes(frame, places) {
    return this.kernels.votes(this.state.points, this.settings, frame, places);
  }
}

/** A run of a batch learner. Frame k has the dual variables after some steps of the solver. */
class BatchRun {
  constructor(kernels, state, geometry) {
    this.family = "batch";
    this.learner = LEARNERS[state.learner];
    this.state = state;
    this.geometry = geometry;
    this.isPossible = state.learner === "soft" || geometry.verdict === "complete";
    this.frames = this.isPossible ? this._solve(kernels, state) : null;
    this.count = this.isPossible ? this.frames.count : 1;
    const last = this.at(this.count - 1);
    this.converged = this.isPossible && Number.isFinite(last.upper) && last.upper - last.lower <= 1.01 * (state.learner === "soft" ? SOFT_TOLERANCE : MARGIN_TOLERANCE) * last.upper;
  }

  _solve(kernels, { learner, points, C, loss, intercept }) {
    return learner === "soft"
      ? kernels.softMargin(points, C, loss === "squared_hinge", intercept, MAX_MARGIN_STEPS, SOFT_TOLERANCE)
      : kernels.hardMargin(points, intercept ? "free" : "none", MAX_MARGIN_STEPS, MARGIN_TOLERANCE);
  }

  neighbour(frame, direction) {
    return Math.min(Math.max(frame + 10 * direction, 0), this.count - 1);
  }

  at(frame) {
    if (!this.isPossible) return this._nothing(frame);
    const found = this.frames.at(frame);
    const after = [found.w1, found.w2, found.b];
    const previous = frame > 0 ? this.frames.at(frame - 1) : null;
    return {
      ...found, frame, after, shown: after, duals: this.frames.rest(frame),
      before: previous && [previous.w1, previous.w2, previous.b],
      changed: previous ? this._changed(frame) : [], threshold: Math.hypot(found.w1, found.w2) > 0 ? 1 : 0,
    };
  }

  /** The only frame of a hard margin that does not exist. */
  _nothing(frame) {
    const duals = new Float64Array(this.state.points.length);
    return { frame, steps: 0, after: [0, 0, 0], shown: [0, 0, 0], duals, lower: -Infinity, upper: Infinity, threshold: 0, before: null };
  }

  /** The points whose dual variables this frame changed. */
  _changed(frame) {
    const [now, before] = [this.frames.rest(frame), this.frames.rest(frame - 1)];
    return [...now.keys()].filter((i) => now[i] !== before[i]);
  }

  /** The points of the hulls that the dual variables of a hard margin combine, positive class first; null before the first step. */
  hullPoints(frame) {
    const { duals } = this.at(frame);
    const totals = { 1: [0, 0, 0], "-1": [0, 0, 0] };
    this.state.points.forEach(({ x, y, label }, i) => {
      const total = totals[label];
      total[0] += duals[i] * x;
      total[1] += duals[i] * y;
      total[2] += duals[i];
    });
    const [plus, minus] = [totals[1], totals[-1]];
    return plus[2] > 0 && minus[2] > 0 ? [plus, minus].map(([x, y, sum]) => [x / sum, y / sum]) : null;
  }

  slacks(frame) {
    const [w1, w2, b] = this.at(frame).after;
    return this.state.points.map(({ x, y, label }) => Math.max(0, 1 - label * (w1 * x + w2 * y + b)));
  }
}

/** Whether the learner needs the largest margin, and there is none. */
function lacksMargin({ learner, threshold }, geometry) {
  return learner === "margin" && threshold === "known" && !(geometry.margin > 0);
}

function runOf(kernels, state, geometry) {
  if (geometry.verdict === null) return null;
  if (LEARNERS[state.learner].family === "batch") return new BatchRun(kernels, state, geometry);
  if (lacksMargin(state, geometry)) return null;
  return new OnlineRun(kernels, state, geometry);
}
