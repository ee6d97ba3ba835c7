// What an overview of the server says, in the elements of the page.

import { byId, element, setText, show } from "./elements.js";
import { AccuracyFigure, MistakesFigure } from "./figures.js";
import { CountsTable, LatestTable, ShadowsTable, WeightsTable } from "./tables.js";
import { accuracy, count, milliseconds, name, number, percent, perSecond, plural } from "./text.js";

const MAX_CLASSES = 8; // named in the line about the model

// Title, large value and note below it, of each box at the top.
const FACTS = [
  [
    "Accuracy",
    ({ counts }) => percent(accuracy(counts.mistakes, counts.examples)),
    ({ counts, baselines }) =>
      `same as last label ${percent(accuracy(baselines.last_label_mistakes, counts.examples))}, ` +
      `majority ${percent(accuracy(baselines.majority_mistakes, counts.examples))}`,
  ],
  [
    "Mistakes",
    ({ counts }) => count(counts.mistakes),
    ({ bound }) =>
      typeof bound?.mistakes === "number" ? `at most ${number(bound.mistakes)} by the bound` : "no bound",
  ],
  [
    "Examples",
    ({ counts }) => count(counts.examples),
    ({ counts }) => (counts.updates === undefined ? "learned" : plural(counts.updates, "update")),
  ],
  [
    "Margin at most",
    ({ margin_bound }) => number(margin_bound),
    ({ margin_bound }) =>
      typeof margin_bound === "number" ? "for any weights that separate the examples" : "no bound",
  ],
  [
    "Learning",
    ({ server }) => perSecond(server.examples_per_second),
    ({ server }) => `predictions ${perSecond(server.predictions_per_second)}`,
  ],
  [
    "Latency",
    ({ server }) => milliseconds(server.latency_ms?.p50),
    ({ server }) => `median; 99\u00a0% within ${milliseconds(server.latency_ms?.p99)}`,
  ],
  ["Queue", ({ server }) => count(server.queue), ({ server }) => `of ${count(server.queue_limit)} places`],
];

export class View {
  constructor() {
    this.facts = FACTS.map(([title, toValue, toNote]) => {
      const [value, note] = [element("dd", "value"), element("dd", "note")];
      byId("facts").append(element("div", "", element("dt", "", title), value, note));
      return { value, note, toValue, toNote };
    });
    this.accuracy = new AccuracyFigure(byId("accuracy"));
    this.mistakes = new MistakesFigure(byId("mistakes"));
    this.tables = [new LatestTable(), new WeightsTable(), new ShadowsTable(), new CountsTable()];
    for (const button of document.querySelectorAll("[name=span]")) {
      button.addEventListener("change", () => this.drawAccuracy());
    }
  }

  set(overview) {
    this.overview = overview;
    const hasLearned = overview.counts.examples > 0;
    show(byId("overview"), true);
    show(byId("learned"), hasLearned);
    setText(byId("subject"), subject(overview));
    for (const { value, note, toValue, toNote } of this.facts) {
      setText(value, toValue(overview));
      setText(note, toNote(overview));
    }
    if (!hasLearned) return;
    this.drawAccuracy();
    this.mistakes.set(overview);
    setText(byId("bound-words"), overview.bound?.words ?? "There is no bound for this learner.");
    show(byId("served-words"), Boolean(overview.served_bound));
    setText(byId("served-words"), `Labels that came later: ${overview.served_bound?.words ?? ""}`);
    for (const table of this.tables) table.set(overview);
  }

  drawAccuracy() {
    this.accuracy.set(this.overview, document.querySelector("[name=span]:checked").value);
  }
}

function subject({ model, learner, columns, classes, version }) {
  const named = classes.slice(0, MAX_CLASSES).map(name).join(", ");
  const more = classes.length > MAX_CLASSES ? ` and ${count(classes.length - MAX_CLASSES)} more` : "";
  const labels = classes.length > 0 ? `${plural(classes.length, "label")}: ${named}${more}` : "no labels yet";
  return [name(model), name(learner), plural(columns, "feature"), labels, `version ${count(version)}`].join(" · ");
}
