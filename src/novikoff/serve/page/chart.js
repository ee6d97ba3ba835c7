// A line chart as SVG. Colours and line styles are in the style sheet, by the class of each series.

const MARGIN = { right: 14, top: 12, bottom: 30 };
const CHARACTER = 7; // pixels of a digit, with which the left margin is made
const TALL = 320; // pixels
const SHORT = 230;
const NARROW = 640; // charts in a narrower window are short

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

// Round numbers in steps of 1, 2 or 5 times a power of ten, from one at or below low to one at or above high.
export function ticksOf(low, high, wanted) {
  const rough = (high - low || 1) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.max(first + 1, Math.ceil(high / step - 1e-9));
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

// Powers of ten from one at or below low to one at or above high; every second or third if there are many.
export function powersOf(low, high) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.max(1, Math.ceil(Math.log10(high)))];
  const step = Math.max(1, Math.ceil((last - first) / 6));
  return Array.from({ length: Math.ceil((last - first) / step) + 1 }, (_, index) => 10 ** (first + index * step));
}

// A count at an axis: 250,000, but 1.5M.
export function countLabel(value) {
  return value >= 1e6 ? compact.format(value) : whole.format(value);
}

export class Chart {
  // onPoint(x or null): called with the examples that the pointer is at.
  constructor(svg, onPoint) {
    this.svg = svg;
    this.onPoint = onPoint;
    this.drawn = null;
    this.cursorAt = null;
    new ResizeObserver(() => this.draw()).observe(svg.parentElement);
    svg.addEventListener("pointermove", (event) => this.point(event));
    svg.addEventListener("pointerdown", (event) => this.point(event));
    svg.addEventListener("pointerleave", () => this.point(null));
  }

  // data: { series: [{ className, points: [[x, y], ...] }], x: [0, max], yTicks, yText, isLog }
  set(data) {
    this.data = data;
    this.draw();
  }

  draw() {
    const width = this.svg.parentElement.clientWidth;
    if (!this.data || width === 0) return;
    const height = window.innerWidth < NARROW ? SHORT : TALL;
    const left = 14 + CHARACTER * Math.max(...this.data.yTicks.map((tick) => this.data.yText(tick).length));
    const box = { left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", height);
    const scales = this.scales(box);
    this.drawn = { box, scales };
    const clip = this.node("clipPath", { id: `${this.svg.id}-clip` });
    const area = { x: box.left, y: box.top - 4, width: box.right - box.left + 5, height: box.bottom - box.top + 5 };
    clip.append(this.node("rect", area));
    const lines = this.node("g", { "clip-path": `url(#${this.svg.id}-clip)` });
    for (const series of this.data.series) lines.append(...this.lineOf(series, scales));
    this.cursor = this.node("line", { class: "cursor", y1: box.top, y2: box.bottom, visibility: "hidden" });
    this.svg.replaceChildren(clip, ...this.axes(box, scales), lines, this.cursor);
    this.placeCursor();
  }

  scales(box) {
    const { x, yTicks, isLog } = this.data;
    const place = isLog ? Math.log10 : (value) => value;
    const [low, high] = [place(yTicks[0]), place(yTicks.at(-1))];
    return {
      x: (value) => box.left + ((value - x[0]) / (x[1] - x[0] || 1)) * (box.right - box.left),
      y: (value) => box.bottom - ((place(value) - low) / (high - low || 1)) * (box.bottom - box.top),
    };
  }

  axes(box, scales) {
    const { x, yTicks, yText } = this.data;
    const rows = yTicks.flatMap((tick) => {
      const y = scales.y(tick).toFixed(1);
      const line = this.node("line", { class: "grid", x1: box.left, x2: box.right, y1: y, y2: y });
      return [line, this.label(yText(tick), { x: box.left - 8, y, "text-anchor": "end", dy: "0.32em" })];
    });
    const ticks = ticksOf(x[0], x[1], Math.min(8, (box.right - box.left) / 90)).filter((tick) => tick <= x[1]);
    const columns = ticks.map((tick) => {
      const text = countLabel(tick);
      const at = scales.x(tick);
      const anchor = at > box.right - 24 ? "end" : "middle";
      return this.label(text, { x: at.toFixed(1), y: box.bottom + 19, "text-anchor": anchor });
    });
    const base = { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom };
    return [...rows, this.node("line", base), ...columns];
  }

  // The line of a series and a dot at its end.
  lineOf({ className, points }, scales) {
    if (points.length === 0) return [];
    const places = points.map(([x, y]) => `${scales.x(x).toFixed(1)},${scales.y(y).toFixed(1)}`);
    const [cx, cy] = places.at(-1).split(",");
    const line = this.node("path", { class: `line ${className}`, d: `M${places.join("L")}` });
    return [line, this.node("circle", { class: `end ${className}`, cx, cy, r: 3 })];
  }

  point(event) {
    this.cursorAt = null;
    if (event && this.drawn) {
      const { box } = this.drawn;
      const at = event.clientX - this.svg.getBoundingClientRect().left;
      const share = (at - box.left) / (box.right - box.left);
      const [low, high] = this.data.x;
      if (share >= 0 && share <= 1) this.cursorAt = low + share * (high - low);
    }
    this.onPoint(this.cursorAt);
  }

  // Move the cursor to these examples; null hides it.
  mark(examples) {
    this.marked = examples;
    this.placeCursor();
  }

  placeCursor() {
    if (!this.cursor) return;
    const isShown = this.marked !== null && this.marked !== undefined;
    this.cursor.setAttribute("visibility", isShown ? "visible" : "hidden");
    if (!isShown) return;
    const at = this.drawn.scales.x(this.marked).toFixed(1);
    this.cursor.setAttribute("x1", at);
    this.cursor.setAttribute("x2", at);
  }

  label(text, attributes) {
    const node = this.node("text", attributes);
    node.textContent = text;
    return node;
  }

  node(tag, attributes) {
    const made = document.createElementNS(this.svg.namespaceURI, tag);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }
}
