// Small charts of curves with their names beside them.

const CHART = { height: 190, left: 46, right: 12, top: 14, bottom: 34 };

/** A map from numbers to places on the screen, linear or logarithmic. */
function scaleOf({ min, max, isLog }, from, to) {
  const [low, high] = isLog ? [Math.log10(min), Math.log10(max)] : [min, max];
  return (value) => from + ((isLog ? Math.log10(Math.max(value, min * 1e-3)) : value) - low) / (high - low || 1) * (to - from);
}

/** A path through points [x, y]; points that are not finite are left out. `isStepped` holds a value until the next point. */
function pathThrough(points, x, y, isStepped) {
  let path = "";
  let last = null;
  for (const [a, b] of points) {
    if (!Number.isFinite(a) || !Number.isFinite(b)) continue;
    const place = `${shortest(x(a))} ${shortest(y(b))}`;
    path += last === null ? `M${place}` : isStepped ? `H${shortest(x(a))}V${shortest(y(b))}` : `L${place}`;
    last = b;
  }
  return path;
}

/** A curve with at most so many points, the extremes of each part among them. */
function thinned(points, most = 600) {
  if (points.length <= most) return points;
  const size = Math.ceil(points.length / (most / 2));
  const found = [];
  for (let first = 0; first < points.length; first += size) {
    const part = points.slice(first, first + size);
    const low = part.reduce((p, q) => (q[1] < p[1] ? q : p));
    const high = part.reduce((p, q) => (q[1] > p[1] ? q : p));
    found.push(...(low[0] < high[0] ? [low, high] : low === high ? [low] : [high, low]));
  }
  return [points[0], ...found, points[points.length - 1]];
}

class Chart {
  constructor(id) {
    this.figure = byId(id);
    this.svg = this.figure.querySelector("svg");
    this.legend = this.figure.querySelector(".legend");
    this.caption = this.figure.querySelector("figcaption");
  }

  /**
   * Draw curves. `spec` has x ({min, max, isLog, label}) and y ({min, max, isLog}), curves ({name, kind, points, isStepped}), levels ({value, name, kind}),
   * an `area` of two curves between which to shade, and a caption.
   */
  show(spec) {
    this.figure.hidden = spec === null;
    if (spec === null) return;
    const width = Math.max(this.svg.parentElement.clientWidth, 220);
    const { height, left, right, top, bottom } = CHART;
    set(this.svg, { viewBox: `0 0 ${width} ${height}`, width, height });
    this.svg.replaceChildren();
    const x = scaleOf(spec.x, left, width - right);
    const y = scaleOf(spec.y, height - bottom, top);
    this.place = { x, y, spec };
    this._axes(spec, x, y, width);
    const clip = `clip-${this.figure.id}`;
    draw(draw(this.svg, "clipPath", { id: clip }), "rect", { x: left, y: top - 2, width: width - left - right + 2, height: height - top - bottom + 4 });
    const inner = draw(this.svg, "g", { "clip-path": `url(#${clip})` });
    if (spec.area) this._area(inner, spec.area, x, y);
    for (const { value, kind } of spec.levels ?? [])
      if (value <= spec.y.max) draw(inner, "path", { class: `curve ${kind}`, d: `M${left} ${shortest(y(value))}H${width - right}` });
    for (const { points, kind, isStepped } of spec.curves)
      draw(inner, "path", { class: `curve ${kind}`, d: pathThrough(thinned(points), x, y, isStepped) });
    this.cursor = draw(inner, "g", { class: "cursor" });
    this._legend(spec);
    this.caption.textContent = spec.caption;
    this.svg.setAttribute("aria-label", spec.caption);
  }

  _area(inner, [upper, lower], x, y) {
    const there = pathThrough(thinned(upper), x, y);
    if (there === "") return;
    const back = pathThrough([...thinned(lower)].reverse(), x, y).replace("M", "L");
    draw(inner, "path", { class: "between", d: `${there}${back}Z` });
  }

  _axes(spec, x, y, width) {
    const { height, left, right, bottom } = CHART;
    const group = draw(this.svg, "g", { class: "axes" });
    const marks = ({ min, max, isLog }, wanted) => (isLog ? logTicks(min, max) : ticks(min, max, wanted));
    for (const value of marks(spec.y, 4)) {
      const place = y(value);
      draw(group, "path", { class: "grid", d: `M${left} ${shortest(place)}H${width - right}` });
      draw(group, "text", { x: left - 6, y: place + 4, "text-anchor": "end" }, format(value, 3));
    }
    for (const value of marks(spec.x, Math.max(3, Math.floor(width / 90)))) {
      if (!spec.x.isLog && !Number.isInteger(value)) continue;
      const anchor = x(value) > width - right - 14 ? "end" : "middle";
      draw(group, "text", { x: Math.min(x(value), width - 2), y: height - bottom + 16, "text-anchor": anchor }, format(value, 3));
    }
    draw(group, "path", { class: "axis", d: `M${left} ${height - bottom}H${width - right}` });
    draw(group, "text", { class: "title", x: (left + width - right) / 2, y: height - 3, "text-anchor": "middle" }, spec.x.label);
  }

  _legend(spec) {
    this.legend.replaceChildren();
    for (const { name, kind } of [...spec.curves, ...(spec.levels ?? [])]) {
      const item = document.createElement("li");
      const swatch = draw(null, "svg", { width: 22, height: 10, viewBox: "0 0 22 10", "aria-hidden": "true" });
      draw(swatch, "path", { class: `curve ${kind}`, d: "M1 5H21" });
      item.append(swatch, name);
      this.legend.append(item);
    }
  }

  /** Mark where the run is: a vertical line, and a dot on each curve. */
  mark(at, values) {
    if (this.figure.hidden || !this.cursor) return;
    this.cursor.replaceChildren();
    const { x, y, spec } = this.place;
    const place = x(spec.x.isLog ? Math.max(at, spec.x.min) : at);
    draw(this.cursor, "path", { class: "now", d: `M${shortest(place)} ${CHART.top}V${CHART.height - CHART.bottom}` });
    values.forEach((value, i) => {
      if (Number.isFinite(value)) draw(this.cursor, "circle", { class: `dot ${spec.curves[i].kind}`, cx: place, cy: y(value), r: 3.5 });
    });
    const now = values.flatMap((value, i) => (Number.isFinite(value) ? [`${spec.curves[i].name} ${format(value)}`] : []));
    this.svg.setAttribute("aria-label", now.length > 0 ? `${spec.caption} At this step: ${now.join(", ")}.` : spec.caption);
  }
}
