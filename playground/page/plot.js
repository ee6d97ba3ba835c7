// The plane: points, regions, the old and the new line, the band, hulls and the point that is visited.

const TEXT_SPACE = { left: 34, bottom: 22 };
const VOTE_CELLS = 80; // of the picture of a vote, in each direction
const MAX_VOTE_WORK = 8e5; // cells times hypotheses

class Plot {
  constructor(svg) {
    this.svg = svg;
    const layers = ["regions", "votes", "hatch", "band", "axes", "hulls", "edges", "old", "line", "slacks", "points", "witness", "rings", "now", "crosshair", "words"];
    this.layers = {};
    const definitions = draw(svg, "defs");
    const hatch = draw(definitions, "pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    draw(hatch, "path", { class: "hatch", d: "M0 0V8" });
    for (const name of layers) this.layers[name] = draw(svg, "g", { class: `layer-${name}` });
    this.canvas = document.createElement("canvas");
  }

  /** Adopt the size of the element on the screen. */
  resize() {
    const { clientWidth, clientHeight } = this.svg;
    this.width = Math.max(clientWidth, 100);
    this.height = Math.max(clientHeight, 100);
    set(this.svg, { viewBox: `0 0 ${this.width} ${this.height}` });
  }

  get unit() {
    return Math.min(this.width, this.height) / (2 * this.view.half);
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.view.x) * this.unit, this.height / 2 - (y - this.view.y) * this.unit];
  }

  toWorld(left, top) {
    return [this.view.x + (left - this.width / 2) / this.unit, this.view.y - (top - this.height / 2) / this.unit];
  }

  corners() {
    return [[0, 0], [this.width, 0], [this.width, this.height], [0, this.height]].map(([left, top]) => this.toWorld(left, top));
  }

  _outline(polygon) {
    return polygon.length === 0 ? "" : `M${polygon.map(([x, y]) => this.toScreen(x, y).map(shortest).join(" ")).join("L")}Z`;
  }

  /** Draw what does not change with the steps: axes, hulls and points. */
  showPoints(state, geometry) {
    this.state = state;
    this.geometry = geometry;
    this.view = { ...state.view, aspect: Math.max(this.width, this.height) / Math.min(this.width, this.height) };
    this._showAxes();
    this._showHulls();
    const { points } = this.layers;
    points.replaceChildren();
    const size = state.points.length > 300 ? 3.5 : state.points.length > 80 ? 5 : 6.5;
    this.size = size;
    state.points.forEach((point, row) => this._showPoint(points, point, row, size));
  }

  _showPoint(parent, { x, y, label }, row, size) {
    const [left, top] = this.toScreen(x, y);
    const group = draw(parent, "g", { class: label > 0 ? "point positive" : "point negative", transform: `translate(${shortest(left)} ${shortest(top)})` });
    group.dataset.row = row;
    if (label > 0) draw(group, "circle", { r: size });
    else draw(group, "rect", { x: -0.9 * size, y: -0.9 * size, width: 1.8 * size, height: 1.8 * size, rx: 1 });
    if (size > 4) draw(group, "path", { class: "sign", d: label > 0 ? `M${-size / 2} 0H${size / 2}M0 ${-size / 2}V${size / 2}` : `M${-size / 2} 0H${size / 2}` });
  }

  _showAxes() {
    const { axes } = this.layers;
    axes.replaceChildren();
    const [[left, top], , [right, bottom]] = this.corners();
    for (const value of ticks(left, right, Math.max(4, this.width / 80))) {
      const [place] = this.toScreen(value, 0);
      draw(axes, "path", { class: value === 0 ? "grid zero" : "grid", d: `M${shortest(place)} 0V${this.height}` });
      if (place > TEXT_SPACE.left && place < this.width - 12)
        draw(axes, "text", { x: place, y: this.height - 7, "text-anchor": "middle" }, format(value, 3));
    }
    for (const value of ticks(bottom, top, Math.max(4, this.height / 70))) {
      const [, place] = this.toScreen(0, value);
      draw(axes, "path", { class: value === 0 ? "grid zero" : "grid", d: `M0 ${shortest(place)}H${this.width}` });
      if (place > 10 && place < this.height - TEXT_SPACE.bottom) draw(axes, "text", { x: 6, y: place - 4 }, format(value, 3));
    }
  }

  _showHulls() {
    const { hulls } = this.layers;
    hulls.replaceChildren();
    this.layers.witness.replaceChildren();
    const { witness } = this.geometry;
    if (witness) this._showWitness(witness);
    if (!this.state.hulls) return;
    for (const [name, hull] of Object.entries(this.geometry.hulls)) {
      if (name === "reflected" && !witness) continue;
      if (hull.length > 1) draw(hulls, "path", { class: `hull ${name}`, d: this._outline(hull.map(({ x, y }) => [x, y])) });
    }
  }

  /** The points that prove that no line separates the classes, and the place where the hulls meet. */
  _showWitness(witness) {
    const layer = this.layers.witness;
    for (const row of witness.rows) {
      const { x, y } = this.state.points[row];
      const [left, top] = this.toScreen(x, y);
      draw(layer, "circle", { class: "witness-row", cx: left, cy: top, r: 11 });
    }
    const [left, top] = this.toScreen(...witness.at);
    draw(layer, "path", { class: "witness", d: `M${shortest(left - 7)} ${shortest(top - 7)}l14 14m0 -14l-14 14` });
  }

  /** Draw one frame of a run; null if there is none. */
  showFrame(run, frame) {
    for (const name of ["regions", "votes", "hatch", "band", "edges", "old", "line", "slacks", "rings", "now", "words"]) this.layers[name].replaceChildren();
    if (!run) return;
    const step = run.at(frame);
    this._showRegions(run, frame, step);
    const isMoved = step.before && step.before.some((value, j) => value !== step.after[j]);
    if (isMoved) this._showLine(this.layers.old, step.before, 0, "old");
    if (run.learner.keep === "average" && step.visit) this._showLine(this.layers.old, step.after, 0, "last");
    this._showLine(this.layers.line, step.shown, 0, run.learner.keep === "votes" ? "last" : "line");
    if (run.family === "batch") this._showMachine(run, frame, step);
    else if (step.visit) this._showVisit(step);
  }

  _showRegions(run, frame, step) {
    const { regions, band, hatch, words } = this.layers;
    const corners = this.corners();
    const isNothing = step.shown.every((value) => value === 0);
    if (run.learner.keep === "votes") this._showVotes(run, frame);
    else if (!isNothing) {
      draw(regions, "path", { class: "region positive", d: this._outline(clipped(corners, step.shown)) });
      draw(regions, "path", { class: "region negative", d: this._outline(clipped(corners, step.shown.map((value) => -value))) });
    }
    if (isNothing) {
      draw(hatch, "rect", { class: "no-opinion", width: this.width, height: this.height });
      this._write(words, this.width / 2, 24, run.isPossible === false ? `No ${lineName(run.state.intercept)} separates these points` : "No prediction: every score is 0", "middle");
    }
    if (step.threshold > 0 && !isNothing) {
      const plane = run.learner.kind === "perceptron" ? step.shown : step.after;
      draw(band, "path", { class: "band", d: this._outline(bandWithin(corners, plane, step.threshold)) });
      for (const level of [step.threshold, -step.threshold]) this._showLine(this.layers.edges, plane, level, "edge");
    }
  }

  /** The votes of all hypotheses as a picture: its cells are small, and their colours as strong as the majority. */
  _showVotes(run, frame) {
    const hypotheses = Math.max(1, run.at(frame).updates);
    const cells = Math.min(VOTE_CELLS, Math.floor(Math.sqrt(MAX_VOTE_WORK / hypotheses)));
    const [columns, rows] = this.width > this.height ? [cells, Math.round((cells * this.height) / this.width)] : [Math.round((cells * this.width) / this.height), cells];
    const places = new Float64Array(2 * columns * rows);
    for (let i = 0; i < columns * rows; ++i) {
      const place = this.toWorld((((i % columns) + 0.5) * this.width) / columns, ((Math.floor(i / columns) + 0.5) * this.height) / rows);
      places.set(place, 2 * i);
    }
    const votes = run.votes(frame, places);
    const colours = ["--positive", "--negative", "--muted"].map((name) => rgbOf(getComputedStyle(this.svg).getPropertyValue(name)));
    Object.assign(this.canvas, { width: columns, height: rows });
    const context = this.canvas.getContext("2d");
    const image = context.createImageData(columns, rows);
    votes.forEach((vote, i) => {
      const colour = colours[vote > 0 ? 0 : vote < 0 ? 1 : 2];
      image.data.set([...colour, 14 + 44 * Math.abs(vote)], 4 * i);
    });
    context.putImageData(image, 0, 0);
    draw(this.layers.votes, "image", { href: this.canvas.toDataURL(), width: this.width, height: this.height, preserveAspectRatio: "none" });
  }

  _showLine(parent, plane, level, kind) {
    const ends = lineWithin(this.view, plane, level);
    if (!ends) return;
    const [[x1, y1], [x2, y2]] = ends.map(([x, y]) => this.toScreen(x, y));
    draw(parent, "path", { class: kind, d: `M${shortest(x1)} ${shortest(y1)}L${shortest(x2)} ${shortest(y2)}` });
  }

  _write(parent, left, top, text, anchor = "start") {
    draw(parent, "text", { class: "note", x: left, y: top, "text-anchor": anchor }, text);
  }

  /** The point that is visited, with a badge: a cross for a mistake, a tick otherwise. */
  _showVisit({ visit, point }) {
    const { now } = this.layers;
    const [left, top] = this.toScreen(point.x, point.y);
    const kind = visit.isMistake ? "mistake" : visit.hasMoved ? "moved" : "right";
    draw(now, "circle", { class: `ring ${kind}`, cx: left, cy: top, r: this.size + 6 });
    const badge = draw(now, "g", { class: `badge ${kind}`, transform: `translate(${shortest(left + this.size + 10)} ${shortest(top - this.size - 8)})` });
    draw(badge, "circle", { r: 8 });
    draw(badge, "path", { d: kind === "mistake" ? "M-3 -3L3 3M3 -3L-3 3" : kind === "moved" ? "M0 -4V4M-4 0H4" : "M-3.5 0L-1 3L4 -3" });
  }

  /** Support vectors, slacks, and of a hard margin the two points of the hulls. */
  _showMachine(run, frame, step) {
    const { rings, slacks, now } = this.layers;
    const [w1, w2, b] = step.after;
    const square = w1 * w1 + w2 * w2;
    this.state.points.forEach(({ x, y, label }, row) => {
      const [left, top] = this.toScreen(x, y);
      if (step.duals[row] > 0) draw(rings, "circle", { class: "support", cx: left, cy: top, r: this.size + 4 });
      const slack = 1 - label * (w1 * x + w2 * y + b);
      if (run.state.learner !== "soft" || !(slack > 1e-9) || !(square > 0)) return;
      const [toLeft, toTop] = this.toScreen(x + (label * slack * w1) / square, y + (label * slack * w2) / square);
      draw(slacks, "path", { class: "slack", d: `M${shortest(left)} ${shortest(top)}L${shortest(toLeft)} ${shortest(toTop)}` });
    });
    const pair = run.state.learner === "hard" && run.state.intercept && run.isPossible ? run.hullPoints(frame) : null;
    if (!pair) return;
    const [[x1, y1], [x2, y2]] = pair.map(([x, y]) => this.toScreen(x, y));
    draw(now, "path", { class: "nearest", d: `M${shortest(x1)} ${shortest(y1)}L${shortest(x2)} ${shortest(y2)}` });
    for (const [left, top] of [[x1, y1], [x2, y2]]) draw(now, "path", { class: "nearest-end", d: `M${shortest(left)} ${shortest(top - 6)}l6 6l-6 6l-6 -6Z` });
  }

  /** The place of the keyboard on the plane, with a ring if a point is picked up there. */
  showCrosshair(place, isPicked) {
    const { crosshair } = this.layers;
    crosshair.replaceChildren();
    if (!place) return;
    const [left, top] = this.toScreen(...place);
    draw(crosshair, "path", { class: "crosshair", d: `M${shortest(left - 14)} ${shortest(top)}h28M${shortest(left)} ${shortest(top - 14)}v28` });
    if (isPicked) draw(crosshair, "circle", { class: "crosshair", cx: left, cy: top, r: 13 });
  }
}

/** Red, green and blue of a colour such as #0072b2. */
function rgbOf(colour) {
  return [1, 3, 5].map((place) => parseInt(colour.trim().slice(place, place + 2), 16));
}
