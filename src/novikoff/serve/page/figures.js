// The two figures: accuracy with its baselines, and mistakes with their bound. Each has a legend with values, a caption
// that says the same in words, and a table.

import { Chart, countLabel, powersOf, ticksOf } from "./chart.js";
import { element, setText, Table } from "./elements.js";
import { accuracy, count, number, percent, plural } from "./text.js";

const MAX_INTERVALS = 40;
const LOG_RATIO = 20; // mistakes are drawn on a logarithmic scale if the bound is so many times larger
const BEGINNING = 0.05; // the first examples, whose accuracy varies too much to choose the scale

const ACCURACY = [
  { name: "model", className: "model", column: 1 },
  { name: "same as last label", className: "last", column: 2 },
  { name: "majority", className: "majority", column: 3 },
];

// A chart with its legend, caption and table.
class Figure {
  // shape: { series: [{ name, className }], tableCaption, text (of a value) }
  constructor(place, shape) {
    this.shape = shape;
    this.rows = [];
    this.at = null;
    this.svg = place.querySelector("svg");
    this.legend = place.querySelector(".legend");
    this.where = element("li", "where");
    this.values = shape.series.map(() => element("span", "value"));
    this.items = shape.series.map(({ name, className }, index) =>
      element("li", "", element("span", `swatch ${className}`), `${name} `, this.values[index]),
    );
    this.legend.replaceChildren(...this.items, this.where);
    this.caption = place.querySelector("figcaption");
    this.details = place.querySelector("details");
    const heads = ["examples", ...shape.series.map(({ name }) => name)];
    const columns = heads.map((head) => ({ head, isNumber: true }));
    this.table = new Table(this.details.querySelector(".wide"), shape.tableCaption, columns);
    this.details.addEventListener("toggle", () => this.fillTable());
    this.chart = new Chart(this.svg, (examples) => this.showAt(examples));
  }

  // rows: [examples, value of each series or null]; drawing: what the chart needs besides the series
  set(rows, lines, drawing, words) {
    this.rows = rows;
    const end = rows.length > 0 ? rows.at(-1)[0] : 1;
    const series = this.shape.series.map(({ className }, index) => ({ className, points: lines[index] }));
    this.chart.set({ series, x: [0, end], ...drawing });
    setText(this.caption, words);
    this.items.forEach((item, index) => (item.hidden = lines[index].length === 0));
    this.showAt(this.at);
    this.fillTable();
  }

  // Show the values at a number of examples in the legend; null: the latest ones.
  showAt(examples) {
    this.at = examples;
    const row = examples === null ? this.rows.at(-1) : nearest(this.rows, examples);
    if (!row) return;
    row.slice(1).forEach((value, index) => setText(this.values[index], this.shape.text(value)));
    setText(this.where, `after ${plural(row[0], "example")}`);
    this.chart.mark(examples === null ? null : row[0]);
  }

  fillTable() {
    if (!this.details.open) return;
    this.table.fill(this.rows.map(([examples, ...values]) => [count(examples), ...values.map(this.shape.text)]));
  }
}

function nearest(rows, examples) {
  return rows.reduce((best, row) => (Math.abs(row[0] - examples) < Math.abs(best[0] - examples) ? row : best), rows[0]);
}

// [examples, accuracies] after each point of the curve.
export function accuracySoFar(curve) {
  return curve
    .filter(([examples]) => examples > 0)
    .map((point) => [point[0], ...ACCURACY.map(({ column }) => accuracy(point[column], point[0]))]);
}

// [examples at the end, accuracies] of at most MAX_INTERVALS intervals of the curve.
export function accuracyOfIntervals(curve) {
  const step = Math.ceil(curve.length / MAX_INTERVALS);
  const ends = curve.filter((_, index) => index === curve.length - 1 || (index + 1) % step === 0);
  let before = [0, 0, 0, 0];
  const rows = [];
  for (const point of ends) {
    const examples = point[0] - before[0];
    if (examples <= 0) continue;
    rows.push([point[0], ...ACCURACY.map(({ column }) => accuracy(point[column] - before[column], examples))]);
    before = point;
  }
  return rows;
}

function rangeOf(rows) {
  const start = BEGINNING * rows.at(-1)[0];
  const values = rows.filter(([examples]) => examples >= start).flatMap((row) => row.slice(1));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = Math.max(0.01, 0.05 * (high - low));
  return ticksOf(Math.max(0, low - pad), Math.min(1, high + pad), 5);
}

// Each interval as a horizontal line from its beginning to its end.
function stepsOf(rows, index) {
  return rows.flatMap((row, place) => [[place > 0 ? rows[place - 1][0] : 0, row[index]], [row[0], row[index]]]);
}

export class AccuracyFigure {
  constructor(place) {
    const tableCaption = "Accuracy after each point of the curve";
    this.figure = new Figure(place, { series: ACCURACY, tableCaption, text: (share) => percent(share) });
  }

  set({ curve, counts }, span) {
    const isInterval = span === "interval";
    const rows = isInterval ? accuracyOfIntervals(curve) : accuracySoFar(curve);
    if (rows.length === 0) return;
    const lineOf = isInterval ? stepsOf : (all, index) => all.map((row) => [row[0], row[index]]);
    const lines = ACCURACY.map((_, index) => lineOf(rows, index + 1));
    const [, model, last, majority] = rows.at(-1);
    const subject = isInterval ? "the last interval" : plural(counts.examples, "example");
    const words =
      `Accuracy of predictions before their labels were learned, over ${subject}: ${percent(model)}. ` +
      `Predicting the label of the example before: ${percent(last)}. ` +
      `Predicting the most frequent label: ${percent(majority)}.`;
    const yTicks = rangeOf(rows);
    const digits = yTicks[1] - yTicks[0] < 0.0099 ? 1 : 0;
    const yText = (tick) => `${(100 * tick).toFixed(digits)}\u00a0%`;
    this.figure.set(rows, lines, { yTicks, yText, isLog: false }, words);
  }
}

export class MistakesFigure {
  constructor(place) {
    const series = [{ name: "mistakes", className: "model" }, { name: "bound", className: "bound" }];
    const tableCaption = "Mistakes and their bound after each point of the curve";
    this.figure = new Figure(place, { series, tableCaption, text: number });
  }

  set({ curve, bound, counts }) {
    const rows = curve.map(([examples, mistakes, , , limit]) => [examples, mistakes, limit ?? null]);
    if (rows.length === 0) return;
    if (rows.at(-1)[2] === null) rows.at(-1)[2] = bound?.mistakes ?? null;
    const limit = rows.at(-1)[2];
    const isKnownNow = limit !== null && rows.every((row, index) => index === rows.length - 1 || row[2] === null);
    const highest = Math.max(...rows.flatMap((row) => row.slice(1)).filter((value) => value !== null), 5);
    const isLog = highest > LOG_RATIO * Math.max(1, counts.mistakes);
    const lowest = isLog ? 1 : 0;
    const lines = [1, 2].map((index) =>
      rows.filter((row) => row[index] !== null).map((row) => [row[0], Math.max(lowest, row[index])]),
    );
    if (!isLog) lines[0].unshift([0, 0]);
    if (isKnownNow) lines[1].unshift([0, lines[1][0][1]]); // the present bound as a level line
    const yTicks = isLog ? powersOf(1, highest) : ticksOf(0, highest, 5);
    const words =
      `${plural(counts.mistakes, "mistake")} in ${plural(counts.examples, "example")}` +
      (limit === null ? "." : `; the bound allows ${number(limit)}.`) +
      (isLog ? " The scale is logarithmic." : "");
    this.figure.set(rows, lines, { yTicks, yText: countLabel, isLog }, words);
  }
}
