// The choice of a model: a list, and a filter when there are many.

import { byId, setText, show } from "./elements.js";
import { count } from "./text.js";

const FEW = 12; // without a filter
const MAX_OPTIONS = 200; // a longer list is slow to open on a phone

export class ModelChoice {
  constructor(onChoice) {
    this.names = [];
    this.chosen = "";
    this.onChoice = onChoice;
    this.select = byId("model");
    this.filter = byId("filter");
    this.select.addEventListener("change", () => this.choose(this.select.value));
    this.filter.addEventListener("input", () => this.list());
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && this.matches().length > 0) this.choose(this.matches()[0]);
    });
  }

  setNames(names) {
    this.names = names;
    show(byId("choice"), names.length > 1);
    show(byId("filter-field"), names.length > FEW);
    this.list();
  }

  choose(name) {
    this.chosen = name;
    this.list();
    this.onChoice(name);
  }

  matches() {
    const wanted = this.filter.value.trim().toLowerCase();
    return wanted ? this.names.filter((name) => name.toLowerCase().includes(wanted)) : this.names;
  }

  // Write the options: names that match, and the chosen one.
  list() {
    const found = this.matches();
    const listed = found.slice(0, MAX_OPTIONS);
    if (this.chosen && !listed.includes(this.chosen)) listed.unshift(this.chosen);
    const present = [...this.select.options].map((option) => option.value);
    const isSame = present.length === listed.length && present.every((name, index) => name === listed[index]);
    if (!isSame) this.select.replaceChildren(...listed.map((name) => new Option(name, name)));
    this.select.value = this.chosen;
    setText(byId("matches"), this.words(found.length));
  }

  words(found) {
    if (this.names.length <= FEW) return "";
    const limit = found > MAX_OPTIONS ? `; the first ${MAX_OPTIONS} are listed` : "";
    if (!this.filter.value.trim()) return `${count(found)} models${limit}.`;
    if (found === 0) return "No name contains this text.";
    return `${count(found)} of ${count(this.names.length)} names match; Enter chooses the first.`;
  }
}
