// The plane of the weights: their path, the vector that a step adds, and the direction of the best separator.

class WeightsView {
  constructor(id) {
    this.figure = byId(id);
    this.svg = this.figure.querySelector("svg");
    this.caption = this.figure.querySelector("figcaption");
  }

  show(run) {
    this.figure.hidden = !run || run.count < 2;
    if (this.figure.hidden) return;
    const list = run.family === "online" ? run.updates.map(({ v }) => v) : Array.from({ length: run.count }, (_, k) => this._vector(run, k));
    this.path = [[0, 0], ...list.map(([a, b]) => [a, b])];
    const range = (place) => [Math.min(...this.path.map((w) => w[place])), Math.max(...this.path.map((w) => w[place]))];
    const [[left, right], [bottom, top]] = [range(0), range(1)];
    this.width = Math.max(this.svg.parentElement.clientWidth, 180);
    this.height = 190;
    set(this.svg, { viewBox: `0 0 ${this.width} ${this.height}`, width: this.width, height: this.height });
    this.unit = Math.min((this.width - 60) / (right - left || 1e-12), (this.height - 40) / (top - bottom || 1e-12), 1e12);
    this.middle = [(left + right) / 2, (bottom + top) / 2];
  }

  /** The weights at a frame. Of a hard margin, the line decides only their direction: their length is that of the upper bound. */
  _vector(run, frame) {
    const { after, upper } = run.at(frame);
    const length = Math.hypot(after[0], after[1]);
    return run.state.learner === "hard" && length > 0 && Number.isFinite(upper) ? after.map((value) => (value * upper) / length) : after;
  }

  _at([a, b]) {
    return [this.width / 2 + (a - this.middle[0]) * this.unit, this.height / 2 - (b - this.middle[1]) * this.unit];
  }

  _arrow(from, to, kind) {
    const [[x1, y1], [x2, y2]] = [this._at(from), this._at(to)];
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 2) return;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const head = Math.min(8, length / 2);
    draw(this.svg, "path", { class: `arrow ${kind}`, d: `M${shortest(x1)} ${shortest(y1)}L${shortest(x2 - dx * head * 0.8)} ${shortest(y2 - dy * head * 0.8)}` });
    const corner = (side) => `${shortest(x2 - dx * head + side * dy * head * 0.45)} ${shortest(y2 - dy * head - side * dx * head * 0.45)}`;
    draw(this.svg, "path", { class: `head ${kind}`, d: `M${shortest(x2)} ${shortest(y2)}L${corner(1)}L${corner(-1)}Z` });
  }

  mark(run, frame) {
    if (this.figure.hidden) return;
    this.svg.replaceChildren();
    const axes = draw(this.svg, "g", { class: "axes" });
    const [left, top] = this._at([0, 0]);
    draw(axes, "path", { class: "grid", d: `M0 ${shortest(top)}H${this.width}M${shortest(left)} 0V${this.height}` });
    draw(axes, "text", { x: this.width - 4, y: top - 5, "text-anchor": "end" }, "w₁");
    draw(axes, "text", { x: left + 5, y: 11 }, "w₂");
    const { best } = run.geometry;
    if (best && run.family === "online" && Math.hypot(best[0], best[1]) > 0) {
      const far = (this.width + this.height) / this.unit / Math.hypot(best[0], best[1]);
      const [x, y] = this._at([best[0] * far, best[1] * far]);
      draw(this.svg, "path", { class: "curve lower", d: `M${shortest(left)} ${shortest(top)}L${shortest(x)} ${shortest(y)}` });
    }
    const upTo = run.family === "online" ? run.updatesBefore[frame] : frame + 1;
    const shown = this.path.slice(0, upTo + 1);
    draw(this.svg, "path", { class: "trail", d: pathThrough(shown.slice(-400), (a) => this._at([a, 0])[0], (b) => this._at([0, b])[1]) });
    const after = this._vector(run, frame);
    const before = frame > 0 ? this._vector(run, frame - 1) : after;
    const isMoved = before.some((value, j) => value !== after[j]);
    if (isMoved) {
      this._arrow([0, 0], before, "old");
      this._arrow(before, after, "added");
    }
    this._arrow([0, 0], after, "new");
    const change = run.family === "batch" ? "their change in this step" : "the vector that this step adds";
    if (run.state.learner === "hard") {
      const what = run.state.intercept ? "Half of the vector between the two points of the hulls" : "The nearest point to the origin that was found in the hull of the points y x";
      this.caption.textContent = `${what}: it is at right angles to the line, and its length is the upper bound.`;
      return;
    }
    const words = isMoved ? `The old weights (grey), ${change} (magenta), and the new weights.` : "The weights w = (w₁, w₂). They are at right angles to the line.";
    this.caption.textContent = best && run.family === "online" ? `${words} Dotted: the direction of v*.` : words;
  }
}
