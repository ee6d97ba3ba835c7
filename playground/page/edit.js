// Editing of points by pointer and keyboard, with undo and redo.

const MAX_UNDONE = 100;
const NEAR = 14; // pixels within which a point is meant

/** The points with their history. `changed` is called after each change. */
class Editor {
  constructor(app) {
    this.app = app;
    this.past = [];
    this.future = [];
    this.tool = "positive";
    this.dragged = null;
    this.crosshair = null;
    this.picked = null; // by the keyboard: its row, and the points as they were
    this.visited = null; // the row that the keyboard went to last
    const { svg } = app.plot;
    svg.addEventListener("pointerdown", (event) => this._press(event));
    svg.addEventListener("pointermove", (event) => this._move(event));
    svg.addEventListener("pointerup", (event) => this._release(event));
    svg.addEventListener("pointercancel", () => this._cancel());
    svg.addEventListener("contextmenu", (event) => event.preventDefault());
    svg.addEventListener("keydown", (event) => this._key(event));
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) this._showCrosshair(this.crosshair ?? [app.state.view.x, app.state.view.y]); });
    svg.addEventListener("blur", () => { this._drop(); this.app.plot.showCrosshair(null, null); });
  }

  get points() {
    return this.app.state.points;
  }

  /** Replace the points, and the parts of the state that change with them, so that the change can be undone. */
  change(after, words = null) {
    if (after.points.length > MAX_POINTS) return this.app.say(`The playground draws at most ${counted(MAX_POINTS, "point")}.`, true);
    const { state } = this.app;
    const names = state.preset ? [...Object.keys(after), "seed"] : Object.keys(after); // a preset is nothing without its seed
    this.record(Object.fromEntries(names.map((name) => [name, state[name]])), after);
    this._adopt(after, words);
  }

  /** Note a change of the state, so that it can be undone. */
  record(before, after) {
    this.past.push({ before, after });
    if (this.past.length > MAX_UNDONE) this.past.shift();
    this.future = [];
    this._showButtons();
  }

  _showButtons() {
    byId("undo").disabled = this.past.length === 0;
    byId("redo").disabled = this.future.length === 0;
  }

  /** Replace the points by some that the reader has edited. */
  _edit(points, words) {
    this.change({ preset: "", points }, words);
  }

  _adopt(part, words) {
    this.picked = null;
    this.app.adoptPoints(part);
    this.app._showControls();
    if (words) this.app.say(words);
    this._showButtons();
  }

  undo() {
    this._drop();
    if (this.past.length === 0) return;
    const change = this.past.pop();
    this.future.push(change);
    this._adopt(change.before, "Undone.");
  }

  redo() {
    this._drop();
    if (this.future.length === 0) return;
    const change = this.future.pop();
    this.past.push(change);
    this._adopt(change.after, "Redone.");
  }

  /** Coordinates that a point may have, rounded to a hundredth or so of the view: links stay short. */
  _rounded([x, y]) {
    const digits = Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(this.app.state.view.half / 2))));
    return [x, y].map((value) => Math.min(Math.max(Number(value.toFixed(digits)), -MAX_COORDINATE), MAX_COORDINATE) + 0);
  }

  _place(event) {
    const box = this.app.plot.svg.getBoundingClientRect();
    return this.app.plot.toWorld(event.clientX - box.left, event.clientY - box.top);
  }

  /** The nearest point to a place of the plane; null if none is near. */
  nearest([x, y], reach = NEAR / this.app.plot.unit) {
    let [found, least] = [null, reach];
    this.points.forEach((point, row) => {
      const distance = Math.hypot(point.x - x, point.y - y);
      if (distance <= least) [found, least] = [row, distance];
    });
    return found;
  }

  add(place, label) {
    const [x, y] = this._rounded(place);
    this._edit([...this.points, { x, y, label }], `${label > 0 ? "Positive" : "Negative"} point at ${placeOf({ x, y })}, ${counted(this.points.length + 1, "point")} in all.`);
  }

  remove(row) {
    this._edit(this.points.filter((_, i) => i !== row), `Point ${row + 1} removed, ${counted(this.points.length - 1, "point")} left.`);
  }

  flip(row) {
    this._edit(this.points.map((point, i) => (i === row ? { ...point, label: -point.label } : point)), `Point ${row + 1} is now ${this.points[row].label > 0 ? "negative" : "positive"}.`);
  }

  _press(event) {
    if (event.button > 2) return;
    event.preventDefault();
    this._drop();
    this.app.plot.svg.focus({ preventScroll: true, focusVisible: false });
    this.app.plot.showCrosshair(null, null);
    const place = this._place(event);
    const row = this.nearest(place);
    if (row !== null && this.tool === "delete") return this.remove(row);
    if (row !== null && this.tool === "flip") return this.flip(row);
    if (row !== null) {
      this.dragged = { row, start: this.points, hasMoved: false };
      this.app.plot.svg.setPointerCapture(event.pointerId);
    } else if (this.tool === "positive" || this.tool === "negative") {
      const isOther = event.button === 2 || event.shiftKey;
      this.add(place, (this.tool === "positive") === isOther ? -1 : 1);
    }
  }

  _move(event) {
    if (!this.dragged) return;
    const isWaiting = this.dragged.place !== undefined;
    this.dragged.place = this._rounded(this._place(event));
    this.dragged.hasMoved = true;
    if (!isWaiting) requestAnimationFrame(() => this._drag()); // once per frame, however many events there are
  }

  _drag() {
    if (this.dragged?.place === undefined) return;
    const { row, start, place: [x, y] } = this.dragged;
    this.dragged.place = undefined;
    this.app.adoptPoints({ points: start.map((point, i) => (i === row ? { ...point, x, y } : point)) });
  }

  _release() {
    if (!this.dragged) return;
    this._drag();
    const { start, hasMoved, row } = this.dragged;
    this.dragged = null;
    if (!hasMoved) return;
    const moved = this.points;
    this.app.state.points = start;
    this._edit(moved, `Point ${row + 1} moved to ${placeOf(moved[row])}.`);
  }

  _cancel() {
    if (this.dragged) this.app.adoptPoints({ points: this.dragged.start });
    this.dragged = null;
  }

  _showCrosshair(place) {
    this.crosshair = place;
    this.app.plot.showCrosshair(place, this.picked !== null);
  }

  _key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = keyOf(event);
    const place = this.crosshair ?? [this.app.state.view.x, this.app.state.view.y];
    const stride = this.app.state.view.half / (event.shiftKey ? 8 : 40);
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const near = this._isAt(place, this.visited) ? this.visited : this.nearest(place, Infinity);
    const actions = {
      p: () => this.add(place, 1), "+": () => this.add(place, 1), n: () => this.add(place, -1), "-": () => this.add(place, -1),
      f: () => near !== null && this.flip(near), Delete: () => near !== null && this.remove(near), Backspace: () => near !== null && this.remove(near),
      Enter: () => this._pick(near), " ": () => this._pick(near), Escape: () => this._putBack(),
      ",": () => this._visit(place, -1), ".": () => this._visit(place, 1),
    };
    if (key in moves) this._shift(place, moves[key].map((value) => value * stride));
    else if (key in actions) {
      if (!["Enter", " ", "Escape"].includes(key)) this._drop();
      actions[key]();
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this._showCrosshair(this.crosshair ?? place);
  }

  _shift(place, [dx, dy]) {
    const next = this._rounded([place[0] + dx, place[1] + dy]);
    if (this.picked !== null) {
      const { row } = this.picked;
      this.app.adoptPoints({ points: this.points.map((point, i) => (i === row ? { ...point, x: next[0], y: next[1] } : point)) });
    }
    this.crosshair = next;
    this.app.say(`${this.picked === null ? "" : `Point ${this.picked.row + 1} `}${placeOf({ x: next[0], y: next[1] })}`);
  }

  /** End what the pointer or the keyboard has begun: a point that is held is put down. */
  finish() {
    this._release();
    this._drop();
  }

  _isAt([x, y], row) {
    const point = this.points[row];
    return point !== undefined && point.x === x && point.y === y;
  }

  /** Go from the point at the crosshair to the next one in the order of the points, or to the previous one. */
  _visit(place, direction) {
    const count = this.points.length;
    if (count === 0) return this.app.say("There are no points.");
    const here = this._isAt(place, this.visited) ? this.visited : this.points.findIndex((_, row) => this._isAt(place, row));
    const row = here < 0 ? (direction > 0 ? 0 : count - 1) : (here + direction + count) % count;
    this.visited = row;
    this.crosshair = [this.points[row].x, this.points[row].y];
    this.app.say(`Point ${row + 1} of ${count}, ${this.points[row].label > 0 ? "positive" : "negative"}, at ${placeOf(this.points[row])}.`);
  }

  _pick(row) {
    if (this.picked !== null) return this._drop();
    if (row === null) return;
    this.picked = { row, start: this.points };
    this.crosshair = [this.points[row].x, this.points[row].y];
    this.app.say(`Point ${row + 1}, ${this.points[row].label > 0 ? "positive" : "negative"}, picked up. Arrow keys move it, Enter puts it down, Escape puts it back.`);
  }

  /** Put down the point that is picked up: its whole way is one change. */
  _drop() {
    if (this.picked === null) return;
    const { row, start } = this.picked;
    this.picked = null;
    const moved = this.points;
    if (moved !== start) {
      this.app.state.points = start;
      this._edit(moved, null);
    }
    this.app.say(`Point ${row + 1} put down at ${placeOf(moved[row])}.`);
  }

  /** Put the point that is picked up back to where it was. */
  _putBack() {
    if (this.picked === null) return;
    const { row, start } = this.picked;
    this.picked = null;
    if (this.points !== start) this.app.adoptPoints({ points: start });
    this.crosshair = [start[row].x, start[row].y];
    this.app.say(`Point ${row + 1} is back at ${placeOf(start[row])}.`);
  }
}
