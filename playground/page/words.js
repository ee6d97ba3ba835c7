// What happened in a step, and why, in sentences.

function placeOf({ x, y }) {
  return `(${format(x, 3)}, ${format(y, 3)})`;
}

function signOf(label) {
  return label > 0 ? "+1" : "−1";
}

function vectorOf(values, intercept) {
  return `(${(intercept ? values : values.slice(0, 2)).map((value) => format(value, 3)).join(", ")})`;
}

/** What a line is called: without an intercept it passes through the origin. */
function lineName(intercept) {
  return intercept ? "line" : "line through the origin";
}

/** Why there is no largest margin to bound anything with; null if there is one. */
function reasonWithoutMargin({ verdict, margin }, intercept) {
  if (margin > 0) return null;
  return verdict === "complete" ? "The largest margin is too small to compute" : `No ${lineName(intercept)} separates the points`;
}

/** The sentences about a frame: {title, outcome, sentences, source}. */
function wordsOf(run, frame) {
  return run.family === "online" ? wordsOfVisit(run, run.at(frame)) : wordsOfSolver(run, frame);
}

function wordsOfVisit(run, step) {
  const { state, learner } = run;
  const { visit, point } = step;
  if (!visit)
    return {
      title: "Before the first example", outcome: "start",
      sentences: [`v = 0, so every score is 0 and no point has a predicted class.`, learner.rule, "Press Play, or step with the arrow keys."], source: "Theory A1 and A2",
    };
  const y = signOf(point.label);
  const margin = point.label * visit.score;
  const square = dot3(liftedOf(point, state.intercept), liftedOf(point, state.intercept));
  const sentences = [`Point ${visit.row + 1} at ${placeOf(point)} has the label y = ${y}. Its score is v·u = ${format(visit.score)}, so y v·u = ${format(margin)}.`];
  const source = { margin: "Theory C1", pa1: "Theory I2", pa2: "Theory I2", arow: "Theory L3" }[state.learner] ?? (visit.hasMoved ? "Theory A1 and A3" : "Theory A1");
  if (visit.isMistake) sentences.push(margin === 0 ? "A score of 0 predicts neither class, and counts as a mistake." : `The sign is wrong: a mistake.`);
  else sentences.push("The sign is right.");
  if (!visit.hasMoved) sentences.push(reasonToStay(run, step, margin));
  else sentences.push(...reasonToMove(run, step, margin, square));
  const outcome = visit.isMistake ? "mistake" : visit.hasMoved ? "moved" : "right";
  const title = { mistake: "A mistake: the weights change", moved: "Right, but not by enough: the weights change", right: "Right: nothing changes" }[outcome];
  return { title, outcome, sentences, source, asks: true };
}

function reasonToStay(run, step, margin) {
  const { state } = run;
  if (state.learner === "margin") return `Its margin is not below the threshold, so v does not change.`;
  if (run.learner.kind === "perceptron") return "The perceptron changes only on mistakes, so v does not change.";
  return `y v·u is at least 1, so there is no loss and v does not change.`;
}

function reasonToMove(run, step, margin, square) {
  const { state } = run;
  const { visit, previous, added } = step;
  const sentences = [];
  const now = vectorOf(step.after, state.intercept);
  if (state.learner === "arow") {
    sentences.push(`The loss is 1 − y v·u = ${format(1 - margin)}. Each weight moves in proportion to its variance: v changes by ${vectorOf(added, state.intercept)} to ${now}.`);
    sentences.push(`The variances are now ${vectorOf([visit.variance1, visit.variance2, visit.variance0], state.intercept)}.`);
    return sentences;
  }
  if (state.learner === "margin" && !visit.isMistake) {
    const length = Math.sqrt(Math.max(0, previous?.squaredLength ?? 0));
    const theta = state.threshold === "known" ? run.settings.parameter : ((1 - state.epsilon) * length) / previous.steps;
    sentences.push(`Its margin y v·u / |v| = ${format(margin / length)} is below the threshold θ = ${format(theta)}.`);
  }
  if (state.learner === "pa1" || state.learner === "pa2") {
    const isClipped = state.learner === "pa1" && visit.step === state.C;
    sentences.push(`The loss is 1 − y v·u = ${format(1 - margin)}, and the step τ = ${format(visit.step)}${isClipped ? ", which is C, the largest one allowed" : ""}.`);
    sentences.push(`τ y u = ${vectorOf(added, state.intercept)} is added, and v becomes ${now}. The score of this point moves by τ|u|² = ${format(visit.step * square)} towards its label.`);
    return sentences;
  }
  sentences.push(`y u = ${vectorOf(added, state.intercept)} is added, and v becomes ${now}. The score of this point moves by |u|² = ${format(square)} towards its label.`);
  return sentences;
}

function wordsOfSolver(run, frame) {
  const { state, learner } = run;
  const step = run.at(frame);
  if (!run.isPossible)
    return {
      title: `No ${lineName(state.intercept)} separates these points`, outcome: "mistake", source: "Theory F2",
      sentences: [
        state.intercept ? "The hulls of the two classes meet, so the hard margin does not exist." : "With the negative points reflected at the origin, the hull contains the origin, so the hard margin does not exist.",
        "The marked points prove it. The soft margin has a solution for any points.",
      ],
    };
  if (frame === 0) return { title: "Before the first step", outcome: "start", sentences: ["All dual variables are 0.", learner.rule], source: "Theory E1 to E3" };
  const changed = step.changed.map((row) => row + 1);
  const which = changed.length === 0 ? "No dual variable changed visibly" : changed.length > 4 ? `${changed.length} dual variables changed` : `The dual variables of the points ${changed.join(" and ")} changed`;
  const sentences = [`${which}, in ${counted(step.steps, "step")} of sequential minimal optimisation so far.`];
  const support = step.duals.filter((a) => a > 0).length;
  if (state.learner === "hard") {
    sentences.push(step.lower > 0
      ? `The line separates the points with margin ${format(step.lower)}. No line has more than ${format(step.upper)}.`
      : `The line does not separate the points yet. No line has a margin above ${format(step.upper)}.`);
  } else {
    sentences.push(`The objective is ${format(step.upper)}, and no line has less than ${format(Math.max(0, step.lower))}.`);
    if (step.lower < 0) sentences.push("At first the bound is below 0, which is trivial.");
  }
  const isLast = frame === run.count - 1;
  const title = isLast && run.converged ? "Solved: the bounds have met" : `Step ${format(step.steps)} of the solver`;
  sentences.push(`${counted(support, "point")} ${support === 1 ? "has" : "have"} a dual variable above 0: ${support === 1 ? "it is a support vector" : "they are the support vectors"}.`);
  return { title, outcome: isLast && run.converged ? "right" : "moved", sentences, source: state.learner === "hard" ? "Theory E2" : "Theory E3" };
}

/** The verdict on the points: {chip, kind, sentence}. */
function wordsOfVerdict(geometry, intercept) {
  const { verdict, witness } = geometry;
  if (verdict === null) return { chip: "open", kind: "open", sentence: "Put at least one point of each class." };
  const line = lineName(intercept);
  if (verdict === "complete") return { chip: "separable", kind: "holds", sentence: `A ${line} has all points strictly on their sides${intercept ? ": the hulls do not meet" : ""}.` };
  const rows = witness.rows.map((row) => row + 1);
  const named = rows.length === 1 ? `point ${rows[0]}` : `points ${rows.slice(0, -1).join(", ")} and ${rows[rows.length - 1]}`;
  const where = intercept
    ? `The hulls meet at ${placeOf({ x: witness.at[0], y: witness.at[1] })}, which ${named} prove${rows.length === 1 ? "s" : ""}.`
    : `With the negative points reflected at the origin, the hull contains the origin, which ${named} prove${rows.length === 1 ? "s" : ""}.`;
  if (verdict === "quasi-complete") return { chip: "touching", kind: "open", sentence: `No ${line} has all points strictly on their sides, but one has none on the wrong side (quasi-complete separation). ${where}` };
  return { chip: "not separable", kind: "fails", sentence: `No ${line} separates the classes. ${where}` };
}
