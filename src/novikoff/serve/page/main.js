// The live page: chooses a model, follows its overviews, and says so when the server cannot be reached.

import { getJson, token, Watch } from "./connection.js";
import { byId, setText, show } from "./elements.js";
import { ModelChoice } from "./models.js";
import { plural } from "./text.js";
import { View } from "./view.js";

const RELOAD_NAMES = 60_000; // milliseconds
const view = new View();
const choice = new ModelChoice(watch);
let current = null; // the Watch of the chosen model
let watched = ""; // its name
let latest = null; // its latest overview
let isPaused = false;
let retryNow = start;

function setConnection(state, words) {
  byId("connection").dataset.state = state;
  setText(byId("connection"), words);
}

function notify(words, canRetry = false) {
  show(byId("notice"), words !== "");
  setText(byId("notice-words"), words);
  show(byId("retry"), canRetry);
}

function hideOverview() {
  latest = null;
  setConnection("lost", "Not connected");
  for (const id of ["overview", "empty", "stopped", "learning", "pause"]) show(byId(id), false);
}

function askForToken(error) {
  hideOverview();
  const isFirst = token.read() === "";
  notify(isFirst ? "" : error.message);
  token.forget();
  show(byId("forget"), false);
  show(byId("token-form"), true);
  byId("token").focus();
}

// The names of the models; the choice stays as it is if it still exists.
async function loadNames() {
  const { models } = await getJson("v1/models");
  choice.setNames(models.map((model) => (typeof model === "string" ? model : model.name)));
}

async function start() {
  current?.stop();
  current = null;
  setConnection("wait", "Connecting");
  try {
    await loadNames();
  } catch (error) {
    if (error.needsToken) return askForToken(error);
    return lost(error, 5, start);
  }
  notify("");
  show(byId("token-form"), false);
  show(byId("forget"), token.read() !== "");
  show(byId("metrics"), token.read() === ""); // a link cannot send the token
  const named = new URLSearchParams(location.hash.slice(1)).get("model");
  const wanted = [named, choice.chosen, "default", choice.names[0]].find((name) => choice.names.includes(name));
  if (wanted !== undefined) choice.choose(wanted);
  else showEmpty("", "This command makes one:", curl("PUT", "v1/models/default", '{"learner": "perceptron"}'));
}

function watch(model) {
  current?.stop();
  latest = null;
  notify("");
  setConnection("wait", "Connecting");
  history.replaceState(null, "", `#model=${encodeURIComponent(model)}`);
  document.title = `${model} · novikoff`;
  if (model !== watched) setPaused(false);
  watched = model;
  current = new Watch(model, { onOverview, onLost: (error, seconds) => lost(error, seconds, null), onRefused });
  retryNow = () => current.retry();
}

function onOverview(overview) {
  latest = overview;
  setConnection("live", isPaused ? "Paused" : "Live");
  notify("");
  if (!isPaused) showOverview(overview);
}

function showOverview(overview) {
  const { server, counts, model } = overview;
  show(byId("pause"), true);
  const isStopped = server.learning === "stopped";
  setText(byId("learning"), isStopped ? "Learning stopped" : "Learning on");
  byId("learning").dataset.state = isStopped ? "lost" : "live";
  show(byId("learning"), true);
  show(byId("stopped"), isStopped);
  setText(byId("stopped-reason"), server.reason ?? "");
  const isEmpty = !(counts.examples > 0);
  if (isEmpty) {
    const command = curl("POST", `v1/models/${model}/learn`, '{"x": {"free": 1, "money": 2}, "y": "spam"}');
    showEmpty(model, "Send one. The answer says what had been predicted:", command);
  }
  show(byId("empty"), isEmpty);
  view.set(overview);
}

function showEmpty(model, words, command) {
  show(byId("empty"), true);
  setText(byId("empty-h"), model ? "No example has been learned yet" : "There are no models yet");
  setText(byId("empty-words"), words);
  setText(byId("empty-command"), command);
  show(byId("empty-after"), model !== "");
  if (model) return;
  setConnection("live", "Connected");
  retryLater(5, start);
}

function curl(method, path, body = null) {
  const parts = ["curl", ...(method === "PUT" ? ["-X PUT"] : []), new URL(path, document.baseURI).href];
  if (token.read()) parts.push('-H "Authorization: Bearer $TOKEN"');
  if (body !== null) parts.push("-H 'Content-Type: application/json'", `-d '${body}'`);
  return parts.join(" ");
}

// Say that the server is away. again: what to call after these seconds, if the caller does not try again itself.
function lost(error, seconds, again) {
  setConnection("lost", "Not connected");
  const reason = error.status ? error.message : "The server cannot be reached.";
  const shown = latest ? " The numbers below are the last that arrived." : "";
  notify(`${reason}${shown} Next attempt in ${plural(Math.max(1, Math.round(seconds)), "second")}.`, true);
  if (again) {
    retryNow = again;
    retryLater(seconds, again);
  }
}

let timer = 0;
function retryLater(seconds, again) {
  clearTimeout(timer);
  timer = setTimeout(again, 1000 * seconds);
}

// The token is missing or wrong, or the model was deleted.
function onRefused(error) {
  current = null;
  retryNow = start;
  if (error.needsToken) return askForToken(error);
  hideOverview();
  notify(`${error.message} Choose another model.`, true);
  loadNames().catch(() => {});
}

function setPaused(value) {
  isPaused = value;
  byId("pause").setAttribute("aria-pressed", String(value));
  if (!latest) return;
  if (byId("connection").dataset.state === "live") setConnection("live", value ? "Paused" : "Live");
  if (!value) showOverview(latest);
}

byId("pause").addEventListener("click", () => setPaused(!isPaused));
byId("retry").addEventListener("click", () => {
  clearTimeout(timer);
  retryNow();
});
byId("forget").addEventListener("click", () => {
  token.forget();
  location.reload();
});
byId("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token.write(byId("token").value.trim());
  byId("token").value = "";
  start();
});
window.addEventListener("online", () => retryNow());
window.addEventListener("hashchange", () => {
  const named = new URLSearchParams(location.hash.slice(1)).get("model");
  if (named !== null && named !== choice.chosen && choice.names.includes(named)) choice.choose(named);
});
// A page that nobody sees does not keep a connection.
document.addEventListener("visibilitychange", () => {
  if (!choice.chosen || !current) return;
  if (document.hidden) current.stop();
  else watch(choice.chosen);
});
setInterval(() => {
  if (!document.hidden && current) loadNames().catch(() => {});
}, RELOAD_NAMES);

start();
