// The panels beside the plane: facts, the step in words, the theorem, and the same run in Python.

function fact(name, value, note = "") {
  return { name, value, note };
}

function factsOf(run, frame) {
  const { geometry, state, learner } = run;
  const step = run.at(frame);
  if (run.family === "batch") return factsOfMachine(run, frame, step);
  const bound = run.bound(frame);
  const update = run.updates[step.updates - 1];
  const withLosses = Number.isFinite(bound) ? null : run.lossBound(frame);
  const of = Number.isFinite(bound) ? `of at most ${wholeBound(bound)}` : withLosses ? `at most ${wholeBound(withLosses.value)} by ${withLosses.name}` : "no bound";
  const facts = [fact("Mistakes", format(step.mistakes), learner.counts === "mistakes" ? of : "")];
  if (learner.kind !== "perceptron") facts.push(fact("Updates", format(step.updates), learner.counts === "updates" ? of : ""));
  facts.push(fact("R", format(geometry.radius), "largest |u|"));
  facts.push(fact("γ", format(geometry.margin), geometry.margin > 0 ? (state.intercept ? "largest, of (x, 1)" : "largest margin") : geometry.verdict === "complete" ? "too small to compute" : "not separable"));
  facts.push(fact("|v|", format(update?.length ?? 0)));
  if (learner.kind !== "arow") facts.push(fact(`least |v|/${run.divisor}`, format(update?.upper ?? Infinity), run.divisor === "M" ? "so far, ≥ any margin" : "≥ any margin; Στ sums the steps"));
  const whose = learner.keep === "last" ? [] : ["last hypothesis"];
  facts.push(fact("Margin of v", format(update?.margin ?? NaN), [...whose, ...(update?.margin > 0 ? ["separates"] : [])].join(", ")));
  return facts;
}

function factsOfMachine(run, frame, step) {
  const { state } = run;
  if (!run.isPossible) return [];
  const support = step.duals.filter((a) => a > 0).length;
  const length = Math.hypot(step.after[0], step.after[1]);
  if (state.learner === "hard")
    return [
      fact("Margin", format(step.lower > 0 ? step.lower : NaN), "of this line"), fact("Bound", format(step.upper), "no margin above"),
      fact("Gap", step.lower > 0 ? format(1 - step.lower / step.upper, 2) : "–", "relative"), fact("Support", format(support), "points"), fact("|w|", format(length)),
    ];
  const slacks = run.slacks(frame);
  return [
    fact("P", format(step.upper), "objective"), fact("D", format(step.lower), "lower bound"),
    fact("Gap", format((step.upper - step.lower) / step.upper, 2), "relative"),
    fact("Slack", format(slacks.reduce((p, q) => p + q, 0), 2), `of ${counted(slacks.filter((slack) => slack > 1e-9).length, "point")}`),
    fact("Support", format(support), support === 1 ? "point" : "points"), fact("Margin", format(length > 0 ? 1 / length : NaN), "1/|w|"),
  ];
}

function showFacts(facts) {
  byId("facts").replaceChildren(...facts.map(({ name, value, note }) => {
    const group = document.createElement("div");
    const [term, number, small] = ["dt", "dd", "dd"].map((kind) => document.createElement(kind));
    term.textContent = name;
    number.textContent = value;
    small.textContent = note;
    small.className = "hint";
    group.append(term, number, ...(note ? [small] : []));
    return group;
  }));
}

function showWords({ title, outcome, sentences, source, asks = false }) {
  byId("step-title").textContent = title;
  byId("step-why").textContent = { mistake: "Why did it update?", moved: "Why did it update?", right: "Why did it not update?" }[asks ? outcome : ""] ?? "";
  byId("why").dataset.outcome = outcome;
  byId("step-words").replaceChildren(...sentences.map((sentence) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = sentence;
    return paragraph;
  }));
  byId("step-source").replaceChildren(...(source ? [sourceElement(source)] : []));
}

/** The place in the manual of the first statement that a source such as "Theory A4 and A5" names; null for a paper. */
function placeInManual(text) {
  const [, statement] = /^Theory ([A-Z]\d*)/.exec(text) ?? [];
  if (statement) return `theory.html#${statement.toLowerCase()}`;
  const [, note, claim] = /^Note \d, claims? (\d)\.(\d+)/.exec(text) ?? [];
  return note ? `notes.html#claim-${note}-${claim}` : null;
}

/** A source, as a link if it is in the manual and the page knows where that is. */
function sourceElement(text) {
  const manual = document.documentElement.dataset.manual;
  const place = placeInManual(text);
  const element = document.createElement(manual !== undefined && place ? "a" : "span");
  if (element.tagName === "A") element.href = `${manual}${place}`;
  element.textContent = text;
  return element;
}

function showTheorem({ rule, theorem }) {
  byId("rule").textContent = rule;
  byId("theorem-title").textContent = theorem.title;
  byId("theorem-words").replaceChildren(...theorem.words.map((words) => {
    const paragraph = document.createElement("p");
    paragraph.textContent = words;
    return paragraph;
  }));
  byId("theorem-sources").replaceChildren(...theorem.sources.flatMap((source, i) => [...(i > 0 ? [" · "] : []), sourceElement(source)]));
}

/** The parameters of the Python class that repeat the run. */
function pythonParameters(state, geometry) {
  const { python, family, settings } = LEARNERS[state.learner];
  const found = [];
  if (!state.intercept) found.push("fit_intercept=False");
  for (const name of settings) {
    if (name === "threshold") {
      if (state.threshold === "known") found.push(`margin=${geometry.margin}`);
    } else found.push(`${name}=${name === "loss" ? `"${state.loss}"` : state[name]}`);
  }
  if (family === "online") {
    found.push(state.shuffle ? `random_state=${state.seed}` : "shuffle=False");
    found.push(`max_iter=${recordedPasses(state)}`, "n_iter_no_change=None");
  }
  return `nk.${python}(${found.join(", ")})`;
}

function pythonOf(state, geometry) {
  if (lacksMargin(state, geometry)) return "# The threshold (1 − ε)γ needs separable points of both classes.";
  const isRefused = state.learner === "hard" && geometry.verdict !== null && geometry.verdict !== "complete";
  return [
    ...(isRefused ? [`# No ${lineName(state.intercept)} separates the classes, so fit raises NotSeparableError.`, "# LinearSVM has a solution for any points.", ""] : []),
    "import numpy as np", "import novikoff as nk", "",
    'x1, x2, y = np.loadtxt("points.csv", delimiter=",", skiprows=1, unpack=True)',
    `model = ${pythonParameters(state, geometry)}`, "model.fit(np.column_stack([x1, x2]), y)", "print(model.coef_, model.intercept_, model.certificate_)",
  ].join("\n");
}

function showVerdict(geometry, intercept) {
  const { chip, kind, sentence } = wordsOfVerdict(geometry, intercept);
  const element = byId("verdict-chip");
  element.textContent = chip;
  element.className = `chip ${kind}`;
  byId("verdict-words").textContent = sentence;
}

/** What the lines on the plane mean, for this learner. */
function showKey(run) {
  const entries = [];
  const add = (kind, words) => entries.push([kind, words]);
  if (run?.family === "online") {
    if (run.learner.keep === "votes") add("last", "last hypothesis");
    else add("line", run.learner.keep === "average" ? "average" : "line now");
    if (run.learner.keep === "average") add("last", "last hypothesis");
    add("old", "before the step");
    if (run.learner.kind !== "perceptron") add("edge", run.state.learner === "margin" ? "threshold" : "y v·u = 1");
    else if (run.learner.keep !== "votes" && run.geometry.verdict === "complete") add("edge", "nearest point, once the line separates");
  } else if (run?.isPossible) {
    add("line", "line now");
    add("old", "before the step");
    add("edge", "y f(x) = 1");
    if (run.state.learner === "soft") add("slack", "slack");
    else if (run.state.intercept) add("nearest", "points of the hulls");
  }
  if (run?.geometry.witness) add("witness", run.state.intercept ? "where the hulls meet" : "the origin, which is in the hull");
  byId("key").replaceChildren(...entries.map(([kind, words]) => {
    const item = document.createElement("li");
    const swatch = draw(null, "svg", { width: 24, height: 10, viewBox: "0 0 24 10", "aria-hidden": "true" });
    draw(swatch, "path", { class: kind, d: kind === "witness" ? "M9 2l6 6m0 -6l-6 6" : "M1 5H23" });
    item.append(swatch, words);
    return item;
  }));
}
