// Numbers and names as text for people.

export const MISSING = "–";
const MAX_NAME = 160; // characters of a name that are shown

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });

function isNumber(value) {
  return typeof value === "number" && Number.isFinite(value);
}

// 3,399,228; a sum of weights has one decimal.
export function count(value) {
  if (!isNumber(value)) return MISSING;
  return Math.abs(value) >= 1e15 ? value.toExponential(3) : (Number.isInteger(value) ? whole : tenth).format(value);
}

// Four digits: 0.1235, 1,235, 1.235e-7.
export function number(value) {
  if (!isNumber(value)) return MISSING;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(3);
  return size >= 1000 ? whole.format(value) : plain.format(value);
}

// 95.5 %; more digits near 100 %, so that 99.996 % is not shown as 100 %.
export function percent(share, digits = 1) {
  if (!isNumber(share)) return MISSING;
  const rest = Math.abs(1 - share);
  const more = rest > 0 && rest < 0.005 ? Math.min(4, Math.ceil(-Math.log10(rest)) - 2) : digits;
  return `${(100 * share).toFixed(Math.max(digits, more))}\u00a0%`;
}

// The fraction of examples without a mistake; null before the first example.
export function accuracy(mistakes, examples) {
  return examples > 0 ? Math.min(1, Math.max(0, 1 - mistakes / examples)) : null;
}

export function milliseconds(value) {
  if (!isNumber(value)) return MISSING;
  return value >= 1000 ? `${plain.format(value / 1000)}\u00a0s` : `${Number(value.toPrecision(2))}\u00a0ms`;
}

export function perSecond(value) {
  return isNumber(value) ? `${number(value)}\u00a0/\u00a0s` : MISSING;
}

export function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

// A name, label or text of the server on one line. Characters that cannot be seen, or that change the direction of the
// text, are shown as escapes.
export function name(value) {
  if (value === null || value === undefined) return MISSING;
  const text = String(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (character) =>
    character === "\u200d" || character === "\u200c" ? character : `\\u{${character.codePointAt(0).toString(16)}}`,
  );
  if (text.trim() === "") return `"${text}"`;
  const characters = [...text];
  return characters.length <= MAX_NAME ? text : `${characters.slice(0, MAX_NAME).join("")}…`;
}

// JSON in which integers that a number cannot hold exactly, as labels of 64 bits may be, become texts of their digits.
export function parsed(text) {
  return JSON.parse(text, (_key, value, context) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? context.source
      : value,
  );
}
