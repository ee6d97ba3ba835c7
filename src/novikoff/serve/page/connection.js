// The connection to the server: requests with the token, and a stream of events that is opened again when it ends.

import { eventsOf } from "./events.js";
import { parsed } from "./text.js";

const TOKEN = "novikoff-token";
const FIRST_DELAY = 1000; // milliseconds before the first new attempt; doubled each time
const MAX_DELAY = 30_000;
const MAX_WAIT = 15_000; // for an answer that is not a stream
const MAX_SILENCE = 40_000; // without an event or comment, the connection counts as lost

export const token = {
  read: () => sessionStorage.getItem(TOKEN) ?? "",
  write: (text) => sessionStorage.setItem(TOKEN, text),
  forget: () => sessionStorage.removeItem(TOKEN),
};

// An answer with an error. Its message is the one of the server.
export class AnswerError extends Error {
  constructor(status, message, retryAfter) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  get needsToken() {
    return this.status === 401 || this.status === 403;
  }
}

async function checked(response) {
  if (response.ok) return response;
  let message = `The server answered with status ${response.status}.`;
  try {
    message = parsed(await response.text()).error.message ?? message;
  } catch {
    // the answer is not from this server, but perhaps from a proxy before it
  }
  throw new AnswerError(response.status, message, Number(response.headers.get("Retry-After")) || 0);
}

function get(path, options = {}) {
  const headers = token.read() ? { Authorization: `Bearer ${token.read()}` } : {};
  return fetch(path, { headers, cache: "no-store", credentials: "same-origin", ...options }).then(checked);
}

export async function getJson(path) {
  return parsed(await (await get(path, { signal: AbortSignal.timeout(MAX_WAIT) })).text());
}

// The overviews of one model, until stop() is called.
// handlers: onOverview(overview), onLost(error, seconds until the next attempt), onRefused(error).
export class Watch {
  constructor(model, handlers) {
    this.path = encodeURIComponent(model);
    this.handlers = handlers;
    this.stopped = new AbortController();
    this.failures = 0;
    this.wake = () => {};
    this.run();
  }

  stop() {
    this.stopped.abort();
    this.wake();
  }

  retry() {
    this.wake();
  }

  async run() {
    while (!this.stopped.signal.aborted) {
      try {
        await this.read();
        throw new Error("The server closed the connection.");
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        if (error.needsToken || error.status === 404) return this.handlers.onRefused(error);
        await this.pause(error);
      }
    }
  }

  // One overview at once, then the stream.
  async read() {
    this.give(await getJson(`v1/models/${this.path}/overview`));
    const attempt = new AbortController();
    const signal = AbortSignal.any([this.stopped.signal, attempt.signal]);
    let timer = setTimeout(() => attempt.abort(), MAX_SILENCE);
    try {
      const response = await get(`events?model=${this.path}`, { signal });
      for await (const [event, data] of eventsOf(response)) {
        clearTimeout(timer);
        timer = setTimeout(() => attempt.abort(), MAX_SILENCE);
        if (event === "overview") this.give(parsed(data));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  give(overview) {
    if (this.stopped.signal.aborted) return;
    this.failures = 0;
    this.handlers.onOverview(overview);
  }

  // Wait longer after each failure, with some randomness so that many pages do not come back at the same moment.
  async pause(error) {
    const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** this.failures) * (0.75 + 0.5 * Math.random());
    const wait = Math.max(delay, 1000 * (error.retryAfter ?? 0));
    this.failures += 1;
    this.handlers.onLost(error, wait / 1000);
    await new Promise((resolve) => {
      this.wake = resolve;
      setTimeout(resolve, wait);
    });
  }
}
