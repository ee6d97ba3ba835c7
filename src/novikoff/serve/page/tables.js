// The tables of the page, one class each.

import { byId, element, setText, show, Table } from "./elements.js";
import { accuracy, count, MISSING, name, number, percent, plural } from "./text.js";

export class LatestTable {
  constructor() {
    const columns = [
      { head: "example", isNumber: true },
      { head: "label", className: "name" },
      { head: "predicted", className: "name" },
      { head: "score", isNumber: true },
      { head: "features", className: "features" },
    ];
    const caption = "Newest first. Score: of the prediction, before learning.";
    this.table = new Table(byId("latest"), caption, columns, { isFolding: true });
  }

  set({ latest_mistakes: mistakes, counts }) {
    // the server keeps them in memory only
    const words = counts.mistakes === 0 ? "No mistake so far." : "No mistake since the model was loaded.";
    fillOr(this.table, mistakes, "latest", words, (mistake) => [
      count(mistake.number),
      name(mistake.label),
      name(mistake.predicted),
      number(mistake.score),
      element("span", "", ...mistake.features.flatMap((feature) => [featureOf(feature), " "])),
    ]);
  }
}

function featureOf([feature, value]) {
  return element("span", "feature", name(feature), " ", element("b", "", number(value)));
}

export class WeightsTable {
  constructor() {
    const columns = [
      { head: "feature", className: "name" },
      { head: "for label", className: "name" },
      { head: "weight", isNumber: true },
      { head: "", className: "bars" },
    ];
    this.table = new Table(byId("weights"), "Largest absolute values first.", columns);
  }

  set({ largest_weights: weights, classes }) {
    const hasLabels = weights.some(({ label }) => label !== undefined && label !== null);
    byId("weights").classList.toggle("without-labels", !hasLabels);
    const largest = Math.max(...weights.map(({ weight }) => Math.abs(weight)));
    fillOr(this.table, weights, "weights", "All weights are zero.", ({ name: feature, label, weight }) => [
      name(feature),
      name(label),
      number(weight),
      bar(weight / largest),
    ]);
    if (weights.length > 0 && !hasLabels && classes.length === 2) {
      const [negative, positive] = classes.map(name);
      setText(byId("weights-words"), `Positive weights favour ${positive}, negative ones ${negative}.`);
      show(byId("weights-words"), true);
    }
  }
}

// A bar to the left or right of the middle. It repeats the number beside it, so screen readers skip it.
function bar(part) {
  const made = element("span", part < 0 ? "bar negative" : "bar positive");
  made.setAttribute("aria-hidden", "true");
  made.style.setProperty("--part", Math.abs(part).toFixed(3));
  return made;
}

export class ShadowsTable {
  constructor() {
    const columns = [
      { head: "name", className: "name" },
      { head: "mistakes", isNumber: true },
      { head: "accuracy", isNumber: true },
      { head: "compared" },
    ];
    this.table = new Table(byId("shadows"), "This model and its shadow models.", columns);
  }

  set({ model, learner, counts, shadows }) {
    show(byId("shadows"), shadows.length > 0);
    const own = { name: model, learner, mistakes: counts.mistakes, examples: counts.examples, isOwn: true };
    const words = `They learn the same examples, but do not serve. ${verdict(own, shadows)}`;
    setText(byId("shadows-words"), shadows.length > 0 ? words : "This model has no shadow models.");
    this.table.fill(
      [own, ...shadows].map((row) => [
        element("span", "", name(row.name), element("small", "", `${row.isOwn ? "serves, " : ""}${name(row.learner)}`)),
        count(row.mistakes),
        percent(accuracy(row.mistakes, row.examples), 2),
        row.isOwn ? MISSING : compared(row, own),
      ]),
    );
  }
}

// Which shadow did best, compared with the model in the examples that both have learned.
export function verdict(own, shadows) {
  if (shadows.every((shadow) => fewer(shadow, own) === null)) return "They cannot be compared yet.";
  const better = shadows.filter((shadow) => fewer(shadow, own) > 0);
  if (better.length === 0) return "None would have made fewer mistakes.";
  const best = better.reduce((one, other) => (share(other, own) > share(one, own) ? other : one));
  const gain = `${count(fewer(best, own))} fewer in the same examples`;
  return `${name(best.name)} (${name(best.learner)}) would have made the fewest mistakes: ${gain}.`;
}

// How many mistakes a shadow made less than the model in the same examples; null if that is not known.
function fewer({ mistakes, examples, model_mistakes: others }, own) {
  if (typeof others === "number") return others - mistakes;
  return examples === own.examples ? own.mistakes - mistakes : null;
}

function share(shadow, own) {
  return fewer(shadow, own) / shadow.examples;
}

export function compared(shadow, own) {
  const { examples, stopped } = shadow;
  if (stopped) return typeof stopped === "string" ? `stopped: ${name(stopped)}` : "stopped";
  const difference = fewer(shadow, own);
  const span = examples === own.examples ? "" : `over ${plural(examples, "example")}`;
  if (difference === null) return span;
  const found = difference === 0 ? "same" : `${count(Math.abs(difference))} ${difference > 0 ? "fewer" : "more"}`;
  return span ? `${found} ${span}` : found;
}

const COUNTS = [
  ["examples learned", ({ counts }) => counts.examples],
  ["mistakes, predicted when the label was learned", ({ counts }) => counts.mistakes],
  ["updates of the weights", ({ counts }) => counts.updates],
  ["labels for predictions served earlier", ({ counts }) => counts.served],
  ["mistakes among them, as served", ({ counts }) => counts.served_mistakes],
  ["bound on these mistakes", ({ served_bound }) => served_bound?.mistakes],
  ["predictions that wait for their label", ({ counts }) => counts.pending],
  ["largest delay of a label, in examples", ({ counts }) => counts.largest_delay],
  ["mistakes of predicting the last label", ({ baselines }) => baselines.last_label_mistakes],
  ["mistakes of predicting the majority", ({ baselines }) => baselines.majority_mistakes],
];

export class CountsTable {
  constructor() {
    const columns = [{ head: "count" }, { head: "value", isNumber: true }];
    this.table = new Table(byId("counts"), "Since the first example.", columns);
  }

  set(overview) {
    const found = COUNTS.map(([title, toValue]) => [title, toValue(overview)]);
    this.table.fill(found.filter(([, value]) => value !== undefined).map(([title, value]) => [title, count(value)]));
  }
}

// Fill a table with a row per entry, or show words instead of the table.
function fillOr(table, entries, id, words, toRow) {
  show(byId(id), entries.length > 0);
  show(byId(`${id}-words`), entries.length === 0);
  setText(byId(`${id}-words`), words);
  table.fill(entries.map(toRow));
}
