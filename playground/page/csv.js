// Points from CSV text and as CSV text.

const MAX_POINTS = 1000;
const MAX_COORDINATE = 1e9;
const MIN_COORDINATE = 1e-100; // besides 0: squares and products of coordinates remain normal numbers
const TOO_SMALL = "Its square is too small for a double. Coordinates must be 0, or at least 1e-100 in absolute value";
const LABELS = new Map([["1", 1], ["+1", 1], ["+", 1], ["-1", -1], ["0", -1], ["-", -1], ["−", -1]]);

class UserError extends Error {}

function counted(count, word, words = `${word}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? word : words}`;
}

/** Text of a user for a sentence: short, on one line. */
function quoted(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return `“${line.length > 30 ? `${line.slice(0, 30)}…` : line}”`;
}

/** Whether a number that is not 0, as text, is nearer to 0 than any coordinate may be; it may have become 0 when it was read. */
function isTooSmall(text) {
  return Math.abs(Number(text)) < MIN_COORDINATE && /[1-9]/.test(text.split(/e/i)[0]);
}

/** A coordinate; null if the text is not a number that can be drawn. */
function coordinateOf(text) {
  const trimmed = text.trim();
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return null;
  const value = Number(trimmed);
  return Math.abs(value) <= MAX_COORDINATE ? value : null;
}

function delimiterOf(line) {
  return ["\t", ";", ","].find((delimiter) => line.includes(delimiter)) ?? /\s+/;
}

/** The labels of a column: -1 and 1, or the two names that occur, the first in alphabetical order being negative. */
function signsOf(names) {
  if (names.every((name) => LABELS.has(name))) {
    const [hasZero, hasMinus, hasPlus] = [["0"], ["-1", "-", "−"], ["1", "+1", "+"]].map((same) => same.some((name) => names.includes(name)));
    if (hasZero && hasMinus)
      throw new UserError(`The labels must be of two classes, but ${hasPlus ? "there are three: -1, 0 and 1" : "both -1 and 0 occur, and either means negative points"}. Use -1 and 1, or 0 and 1.`);
    return new Map(LABELS);
  }
  const distinct = [...new Set(names)].sort();
  if (distinct.length > 2)
    throw new UserError(`The labels must be of two classes, but there are ${distinct.length}: ${distinct.slice(0, 3).map(quoted).join(", ")}, …`);
  return new Map(distinct.map((name, place) => [name, distinct.length === 2 && place === 0 ? -1 : 1]));
}

/** Throw a UserError if a text has more lines than points can be drawn and a header. Nothing is kept of the lines, which may be many. */
function refuseManyLines(text) {
  const line = /^.*\S/gm;
  let count = 0;
  while (line.test(text)) ++count;
  if (count > MAX_POINTS + 1)
    throw new UserError(
      `There are ${counted(count, "line")}, and the playground draws at most ${counted(MAX_POINTS, "point")}. ` +
      "Take a sample, or use novikoff fit for all of them.",
    );
}

/** Read points: three columns x, y and label, with or without a header. Throws a UserError with a sentence for the reader. */
function pointsFromCsv(text) {
  refuseManyLines(text);
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const numbered = lines.map((line, i) => [line, i + 1]).filter(([line]) => line.trim() !== "");
  if (numbered.length === 0) throw new UserError("The CSV text is empty. Each line must have x, y and a label.");
  const delimiter = delimiterOf(numbered[0][0]);
  const cells = numbered.map(([line, number]) => [line.trim().split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1")), number]);
  if (cells[0][0].length >= 2 && cells[0][0].slice(0, 2).every((cell) => coordinateOf(cell) === null && !/^[+-]?[\d.]/.test(cell)))
    cells.shift(); // a header
  if (cells.length === 0) throw new UserError("The CSV text has a header, but no points below it.");
  if (cells.length > MAX_POINTS)
    throw new UserError(`There are ${counted(cells.length, "point")}, and the playground draws at most ${counted(MAX_POINTS, "point")}.`);
  for (const [row, number] of cells) {
    if (row.length !== 3)
      throw new UserError(`Line ${number} has ${counted(row.length, "value")}, but x, y and a label are needed.`);
    for (const place of [0, 1]) {
      if (coordinateOf(row[place]) === null)
        throw new UserError(`Line ${number}: ${quoted(row[place])} is not a number between -1e9 and 1e9.`);
      if (isTooSmall(row[place])) throw new UserError(`Line ${number}: ${quoted(row[place])} is too close to 0. ${TOO_SMALL}.`);
    }
    if (row[2] === "") throw new UserError(`Line ${number} has no label.`);
  }
  const signs = signsOf(cells.map(([row]) => row[2]));
  return cells.map(([row]) => ({ x: coordinateOf(row[0]), y: coordinateOf(row[1]), label: signs.get(row[2]) }));
}

function csvOf(points) {
  return ["x,y,label", ...points.map(({ x, y, label }) => `${x},${y},${label}`), ""].join("\n");
}
