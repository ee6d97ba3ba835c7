// SVG elements, numbers as text, and axes.

const SVG = "http://www.w3.org/2000/svg";

/** Create an SVG element with attributes, and append it to its parent. */
function draw(parent, name, attributes = {}, text = null) {
  const element = document.createElementNS(SVG, name);
  set(element, attributes);
  if (text !== null) element.textContent = text;
  parent?.append(element);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, typeof value === "number" ? shortest(value) : value);
  return element;
}

/** A coordinate on the screen, to a hundredth, and not larger than SVG can have, whose numbers are single floats. */
function shortest(value) {
  return String(Math.round(100 * Math.min(Math.max(value, -1e30), 1e30)) / 100);
}

/** The key of an event; letters are small, whatever Shift and Caps Lock say. */
function keyOf({ key }) {
  return key.length === 1 ? key.toLowerCase() : key;
}

/** Whether an element needs a key for itself. */
function needsKey(element, key) {
  return element.matches("textarea, select, pre, input[type=number], dialog *") || (element.matches("input[type=range], input[type=radio]") && key !== "k");
}

function byId(id) {
  return document.getElementById(id);
}

/** A number with four significant digits; whole numbers up to a million in full. */
function format(value, digits = 4) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size === 0) return "0"; // also of a negative zero
  if (Number.isInteger(value) && size < 1e6) return value.toLocaleString("en").replace("-", "−");
  const text = size >= 1e6 || size < 1e-3 ? value.toExponential(digits - 2) : String(Number(value.toPrecision(digits)));
  const [mantissa, exponent] = text.split("e");
  if (exponent === undefined) return mantissa.replace("-", "−");
  const short = mantissa.replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace("-", "−");
  return short === "1" ? `10${superscript(Number(exponent))}` : `${short} · 10${superscript(Number(exponent))}`;
}

function superscript(value) {
  return String(value).replace(/[-\d]/g, (digit) => (digit === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]));
}

/** Round numbers from low to high, about as many as wanted; none if doubles hardly tell low from high. */
function ticks(low, high, wanted) {
  const raw = (high - low) / wanted;
  if (!(raw > 1e-13 * Math.max(Math.abs(low), Math.abs(high)))) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= raw * (1 - 1e-9));
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** Powers of ten between low and high, with 2 and 5 in between if there are few. */
function logTicks(low, high) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first <= 2 ? [1, 2, 5] : [1];
  const leap = Math.max(1, Math.ceil((last - first) / 6));
  const found = [];
  for (let power = first; power <= last; power += leap)
    for (const factor of factors) {
      const value = Number(`${factor}e${power}`);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push(value);
    }
  return found;
}
