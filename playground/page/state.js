// The state of the page, and the link that contains all of it.

const LINK_VERSION = "1";
const FIRST_PRESET = "wide"; // the points of a page or a link without any
const SPEEDS = [1, 2, 5, 10, 20]; // steps per second
const MAX_HALF = 2 * MAX_COORDINATE; // of a view: half of its height or width
const MIN_HALF = 1e-30;
const MIN_RELATIVE_HALF = 1e-10; // of the distance of its centre from the origin

/** The settings, without the points: their initial values, and the values that a link may have. */
const SETTINGS = {
  preset: { initial: "", accepts: (value) => value === "" || Object.hasOwn(PRESETS, value) },
  learner: { initial: "perceptron", accepts: (value) => Object.hasOwn(LEARNERS, value) },
  C: { initial: 1, accepts: (value) => value >= 1e-3 && value <= 1e4 },
  epsilon: { initial: 0.5, accepts: (value) => value > 0 && value <= 1 },
  r: { initial: 1, accepts: (value) => value >= 1e-3 && value <= 1e3 },
  threshold: { initial: "auto", accepts: (value) => ["auto", "known"].includes(value) },
  loss: { initial: "hinge", accepts: (value) => ["hinge", "squared_hinge"].includes(value) },
  passes: { initial: 100, accepts: (value) => Number.isInteger(value) && value >= 1 && value <= 1000 },
  intercept: { initial: true },
  shuffle: { initial: true },
  seed: { initial: 0, accepts: (value) => Number.isInteger(value) && value >= 0 && value < 2 ** 32 },
  hulls: { initial: true },
  speed: { initial: 5, accepts: (value) => SPEEDS.includes(value) },
  step: { initial: 0, accepts: (value) => Number.isInteger(value) && value >= 0 && value < 1e9 },
};

function initialState() {
  const settings = Object.fromEntries(Object.entries(SETTINGS).map(([name, { initial }]) => [name, initial]));
  return { ...settings, points: [], view: { x: 0, y: 0, half: 4 } };
}

/** A number as short as possible without losing a bit, and without a plus sign. */
function linked(value) {
  return String(value).replace("e+", "e");
}

function linkOf(state) {
  const parts = [`v=${LINK_VERSION}`];
  for (const [name, { initial }] of Object.entries(SETTINGS)) {
    const value = state[name];
    if (value !== initial) parts.push(`${name}=${typeof value === "boolean" ? Number(value) : linked(value)}`);
  }
  parts.push(`view=${[state.view.x, state.view.y, state.view.half].map(linked).join("_")}`);
  parts.push(`points=${state.points.map(({ x, y, label }) => `${label > 0 ? "p" : "n"}${linked(x)}_${linked(y)}`).join("")}`);
  return `#${parts.join("&")}`;
}

const NUMBER = "-?(?:\\d+\\.?\\d*|\\.\\d+)(?:e-?\\d+)?";

/** Numbers of a link, each with its own limit. */
function numbersFromLink(text, limits, what) {
  const found = text.split("_").map((part) => (new RegExp(`^${NUMBER}$`).test(part) ? Number(part) : NaN));
  if (found.length !== limits.length || !found.every((value, i) => Math.abs(value) <= limits[i]))
    throw new UserError(`its ${what} cannot be read`);
  return found;
}

function pointsFromLink(text) {
  const parts = text === "" ? [] : text.split(/(?=[pn])/);
  if (parts.length > MAX_POINTS) throw new UserError(`it has ${counted(parts.length, "point")}, and at most ${counted(MAX_POINTS, "point")} can be drawn`);
  return parts.map((part, i) => {
    if (!/^[pn]/.test(part)) throw new UserError(`its point ${i + 1} cannot be read`);
    const [x, y] = numbersFromLink(part.slice(1), [MAX_COORDINATE, MAX_COORDINATE], `point ${i + 1}`);
    if (part.slice(1).split("_").some(isTooSmall)) throw new UserError(`its point ${i + 1} has a coordinate too close to 0. ${TOO_SMALL}`);
    return { x, y, label: part[0] === "p" ? 1 : -1 };
  });
}

function settingFromLink(name, text) {
  const { initial, accepts } = SETTINGS[name];
  if (typeof initial === "boolean") {
    if (text !== "0" && text !== "1") throw new UserError(`its ${name} cannot be read`);
    return text === "1";
  }
  const value = typeof initial === "number" ? numbersFromLink(text, [Infinity], name)[0] : text;
  if (!accepts(value)) throw new UserError(`its ${name} is not one that the playground has`);
  return value;
}

/** The state of a link; null if there is none. Throws a UserError that says what is wrong with it.
 *
 * A link without points has those of its preset, which `pointsOf(preset, seed)` returns.
 */
function stateFromLink(fragment, pointsOf) {
  const text = fragment.replace(/^#/, "");
  if (text === "" || byId(text)) return null; // nothing, or a place of the page
  let decoded = text;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    throw new UserError("it is damaged");
  }
  const fields = new Map(decoded.split("&").map((part) => {
    const place = part.indexOf("=");
    return place < 0 ? [part, ""] : [part.slice(0, place), part.slice(place + 1)];
  }));
  if (!fields.has("v")) throw new UserError("it is not a link of the playground");
  if (fields.get("v") !== LINK_VERSION) throw new UserError("it was made by another version of the playground");
  const state = initialState();
  for (const [name, value] of fields) {
    if (name === "v") continue;
    else if (name === "points") state.points = pointsFromLink(value);
    else if (name === "view") {
      const [x, y, half] = numbersFromLink(value, [MAX_COORDINATE, MAX_COORDINATE, MAX_HALF], "view");
      if (!(half > 0)) throw new UserError("its view cannot be read");
      state.view = viewAround(x, y, half);
    } else if (Object.hasOwn(SETTINGS, name)) state[name] = settingFromLink(name, value);
    else throw new UserError(`its part ${quoted(name)} is not known`);
  }
  if (!fields.has("points")) {
    state.preset ||= FIRST_PRESET;
    state.points = pointsOf(state.preset, state.seed);
  }
  if (!fields.has("view")) state.view = viewOf(state.points);
  return state;
}

/** A square view of the plane, not so small that doubles hardly tell its places apart. */
function viewAround(x, y, half) {
  return { x, y, half: Math.max(half, MIN_HALF, MIN_RELATIVE_HALF * Math.max(Math.abs(x), Math.abs(y))) };
}

/** A square view of the plane that has all points, and some space around them. */
function viewOf(points) {
  if (points.length === 0) return { x: 0, y: 0, half: 4 };
  const range = (values) => [Math.min(...values), Math.max(...values)];
  const [left, right] = range(points.map(({ x }) => x));
  const [bottom, top] = range(points.map(({ y }) => y));
  const half = Math.max(right - left, top - bottom) / 2 || Math.max(Math.abs(left), Math.abs(bottom), 1) / 2;
  return viewAround((left + right) / 2, (bottom + top) / 2, 1.18 * half);
}
