// The kernels of the library, compiled to WebAssembly from playground/kernels: points are copied into their memory, and results out of it.

const VISIT_FIELDS = [
  "row", "pass", "score", "step", "isMistake", "hasMoved", "w1", "w2", "b", "a1", "a2", "a0",
  "variance1", "variance2", "variance0", "squaredLength", "steps", "marginBound", "mistakes", "updates",
];
const FRAME_FIELDS = ["steps", "w1", "w2", "b", "lower", "upper"];
const INTERCEPTS = { none: 0, free: 1, feature: 2 };

/** A table of doubles: row k, field by name. */
class Table {
  constructor(values, fields, width) {
    this.values = values;
    this.fields = fields;
    this.width = width;
    this.count = values.length / width;
  }

  at(k) {
    const found = {};
    const first = k * this.width;
    for (let place = 0; place < this.fields.length; ++place) found[this.fields[place]] = this.values[first + place];
    return found;
  }

  column(name) {
    const place = this.fields.indexOf(name);
    const found = new Float64Array(this.count);
    for (let k = 0; k < this.count; ++k) found[k] = this.values[k * this.width + place];
    return found;
  }

  /** The numbers of row k after its fields. */
  rest(k) {
    return this.values.subarray(k * this.width + this.fields.length, (k + 1) * this.width);
  }
}

class Kernels {
  /** Compile the module. The functions of the system that its C library names are never called. */
  static async load(bytes) {
    const refuse = () => { throw new Error("The kernels called the system."); };
    const module = await WebAssembly.compile(bytes);
    const system = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (system[from] ??= {})[name] = refuse;
    const instance = await WebAssembly.instantiate(module, system);
    instance.exports._initialize?.();
    return new Kernels(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
    if (exports.online_fields() !== VISIT_FIELDS.length || exports.frame_fields() !== FRAME_FIELDS.length)
      throw new Error("The kernels are of another version than the page. Run: make play");
  }

  /** A copy of some doubles in the memory of the module, which may move when it grows. */
  _copied(address, count) {
    return new Float64Array(this.exports.memory.buffer, address, count).slice();
  }

  /** Call `use` with the points in the memory of the module. */
  _withPoints(points, use) {
    const { exports } = this;
    const own = exports.points_new(points.length);
    try {
      const coordinates = new Float64Array(exports.memory.buffer, exports.points_coordinates(own), 2 * points.length);
      const codes = new Int32Array(exports.memory.buffer, exports.points_codes(own), points.length);
      points.forEach((point, i) => {
        coordinates[2 * i] = point.x;
        coordinates[2 * i + 1] = point.y;
        codes[i] = point.label > 0 ? 1 : 0;
      });
      exports.points_measure(own);
      return use(own);
    } finally {
      exports.points_free(own);
    }
  }

  /** All visits of an online learner. */
  online(points, settings) {
    const { exports } = this;
    return this._withPoints(points, (own) => {
      const record = exports.online_new(
        own, settings.kind, settings.keep, settings.parameter, settings.intercept, settings.shuffle, settings.seed,
        settings.passes, settings.maxVisits,
      );
      const count = exports.online_count(record);
      const values = this._copied(exports.online_visits(record), count * VISIT_FIELDS.length);
      const converged = exports.online_converged(record) !== 0;
      exports.online_free(record);
      return { visits: new Table(values, VISIT_FIELDS, VISIT_FIELDS.length), converged };
    });
  }

  /** The votes of the voted perceptron, from -1 to 1, at places x, y, x, y, ... after so many visits. */
  votes(points, settings, visits, places) {
    const { exports } = this;
    return this._withPoints(points, (own) => {
      const buffer = exports.numbers_new(places.length);
      new Float64Array(exports.memory.buffer, buffer, places.length).set(places);
      exports.votes_at(own, settings.intercept, settings.shuffle, settings.seed, visits, buffer, places.length / 2);
      const found = this._copied(buffer, places.length / 2);
      exports.numbers_free(buffer);
      return found;
    });
  }

  _frames(points, create) {
    const { exports } = this;
    return this._withPoints(points, (own) => {
      const frames = create(own);
      const width = FRAME_FIELDS.length + points.length;
      const values = this._copied(exports.frames_data(frames), exports.frames_count(frames) * width);
      exports.frames_free(frames);
      return new Table(values, FRAME_FIELDS, width);
    });
  }

  hardMargin(points, intercept, maxSteps, tol) {
    return this._frames(points, (own) => this.exports.hard_margin_new(own, INTERCEPTS[intercept], maxSteps, tol));
  }

  softMargin(points, C, squared, intercept, maxSteps, tol) {
    return this._frames(points, (own) => this.exports.soft_margin_new(own, C, squared, intercept, maxSteps, tol));
  }

  /** Uniform random numbers from 0 to 1. */
  uniform(count, seed) {
    const { exports } = this;
    const buffer = exports.numbers_new(count);
    exports.fill_uniform(buffer, count, seed);
    const found = this._copied(buffer, count);
    exports.numbers_free(buffer);
    return found;
  }
}

/** The bytes of the module, which the page contains as text. */
function bytesOf(base64) {
  return Uint8Array.from(atob(base64.trim()), (character) => character.charCodeAt(0));
}
