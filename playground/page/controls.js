// Buttons, fields and shortcuts.

const RANGES = { passes: "a whole number from 1 to 1,000", seed: "a whole number from 0 to 4,294,967,295" };

Object.assign(App.prototype, {
  _fillControls() {
    const fill = (id, entries) => byId(id).replaceChildren(...entries.map(([value, { name }]) => new Option(name, value)));
    fill("learner", Object.entries(LEARNERS));
    fill("preset", [["", { name: "Your own points" }], ...Object.entries(PRESETS)]);
    this._showControls();
  },

  /** Show the state in the controls. */
  _showControls() {
    const { state } = this;
    for (const name of ["learner", "threshold", "loss", "seed", "passes", "preset"]) byId(name).value = state[name];
    for (const name of ["intercept", "shuffle", "hulls"]) byId(name).checked = state[name];
    byId("C").value = Math.log10(state.C);
    byId("r").value = Math.log10(state.r);
    byId("epsilon").value = state.epsilon;
    byId("speed").value = SPEEDS.indexOf(state.speed);
    this._showValues();
  },

  _showValues() {
    const { state } = this;
    byId("C-value").textContent = format(state.C, 3);
    byId("r-value").textContent = format(state.r, 3);
    byId("epsilon-value").textContent = format(state.epsilon, 2);
    byId("speed-value").textContent = `${state.speed}/s`;
    byId("C").setAttribute("aria-valuetext", format(state.C, 3));
    byId("r").setAttribute("aria-valuetext", format(state.r, 3));
    byId("speed").setAttribute("aria-valuetext", `${counted(state.speed, "step")} per second`);
  },

  /** Show which settings the learner has, and what is proven about it. */
  _showLearner() {
    const learner = LEARNERS[this.state.learner];
    for (const element of document.querySelectorAll("[data-setting]")) element.hidden = !learner.settings.includes(element.dataset.setting);
    for (const element of document.querySelectorAll("[data-family]")) element.hidden = element.dataset.family !== learner.family;
    showTheorem({ ...learner, theorem: (!this.state.intercept && learner.theoremThroughOrigin) || learner.theorem });
    byId("python").textContent = pythonOf(this.state, this.geometry);
    byId("preset").value = this.state.preset;
  },

  /** Change one setting, and compute everything again from the first step. */
  _setSetting(name, value) {
    const { accepts } = SETTINGS[name];
    if (accepts && !accepts(value)) return this._refuseNumber(name);
    this._hideRange();
    this.state[name] = value;
    this._showValues();
    this.hideError();
    if (name === "learner") this.refreshFromStart(LEARNERS[value].family === "batch"); // a solver first shows its solution
    else this.refreshFromStart();
  },

  /** Say which numbers a field takes, and show the last one that was good. */
  _refuseNumber(name) {
    this._showControls();
    const words = `${{ passes: "The number of passes", seed: "The seed" }[name]} must be ${RANGES[name]}. It remains ${this.state[name]}.`;
    byId("range-hint").textContent = words;
    byId("range-hint").hidden = false;
    byId(name).setAttribute("aria-describedby", "range-hint");
    this.say(words);
  },

  _hideRange() {
    byId("range-hint").hidden = true;
    for (const name of Object.keys(RANGES)) byId(name).removeAttribute("aria-describedby");
  },

  _connect() {
    const on = (id, event, action) => byId(id).addEventListener(event, action);
    for (const name of ["learner", "threshold", "loss"]) on(name, "change", () => this._setSetting(name, byId(name).value));
    for (const name of ["intercept", "shuffle"]) on(name, "change", () => this._setSetting(name, byId(name).checked));
    for (const name of ["C", "r"]) on(name, "input", () => this._setSetting(name, Number((10 ** Number(byId(name).value)).toPrecision(3))));
    on("epsilon", "input", () => this._setSetting("epsilon", Number(byId("epsilon").value)));
    on("passes", "change", () => this._setSetting("passes", byId("passes").valueAsNumber));
    on("seed", "change", () => this._changeSeed(byId("seed").valueAsNumber));
    on("hulls", "change", () => { this.state.hulls = byId("hulls").checked; this.redraw(); });
    on("speed", "input", () => { this.state.speed = SPEEDS[Number(byId("speed").value)]; this._showValues(); this._keepAddress(); });
    on("preset", "change", () => { if (byId("preset").value) this.editor.change(this.presetOf(byId("preset").value, this.state.seed)); });
    for (const element of document.querySelectorAll("[name=tool]")) element.addEventListener("change", () => { this.editor.tool = element.value; });
    this._connectSteps(on);
    this._connectFiles(on);
    on("alert-close", "click", () => this.hideError());
    on("fit", "click", () => { this.state.view = viewOf(this.state.points); this.redraw(); });
    on("undo", "click", () => this.editor.undo());
    on("redo", "click", () => this.editor.redo());
    document.addEventListener("keydown", (event) => this._shortcut(event));
    document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); byId("why").focus(); }); // the address keeps its link
    addEventListener("hashchange", () => {
      this.editor.finish();
      const before = { ...this.state };
      if (this._adoptLink("The page is left as it was.")) {
        this.editor.record(before, { ...this.state });
        this.refresh();
      }
      this._noteAddress();
    });
    new ResizeObserver(() => this.redraw()).observe(byId("plot"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  },

  _connectSteps(on) {
    on("first", "click", () => { this.pause(); this.go(0); });
    on("back", "click", () => { this.pause(); this.go(this.state.step - 1); });
    on("next", "click", () => { this.pause(); this.go(this.state.step + 1); });
    on("back-update", "click", () => { this.pause(); this.go(this.run?.neighbour(this.state.step, -1) ?? 0); });
    on("next-update", "click", () => { this.pause(); this.go(this.run?.neighbour(this.state.step, 1) ?? 0); });
    on("last", "click", () => { this.pause(); this.go(Infinity); });
    on("play", "click", () => {
      if (!this.timer) return this.play();
      this.pause();
      this.showStep();
    });
    on("timeline", "input", () => { this.pause(); this.go(Number(byId("timeline").value)); });
  },

  _connectFiles(on) {
    on("csv-open", "click", () => byId("csv-file").click());
    on("csv-file", "change", () => this._readFile(byId("csv-file")));
    on("csv-paste", "click", () => { this._tellCsv(""); byId("csv-dialog").showModal(); });
    on("csv-text", "input", () => this._tellCsv(""));
    on("csv-text", "paste", (event) => this._checkPaste(event));
    on("csv-adopt", "click", (event) => {
      const trouble = this._adoptCsv(byId("csv-text").value);
      if (trouble === null) return; // and the dialog closes
      event.preventDefault();
      this._tellCsv(trouble);
      byId("csv-text").focus();
    });
    on("csv-save", "click", () => download(new Blob([csvOf(this.state.points)], { type: "text/csv" }), "points.csv"));
    on("svg-save", "click", () => download(new Blob([svgText(this.plot.svg)], { type: "image/svg+xml" }), "novikoff.svg"));
    on("png-save", "click", async () => download(await pngOf(this.plot.svg), "novikoff.png"));
    on("link", "click", () => this._copyLink());
    on("python-copy", "click", () => this._copy(byId("python").textContent, "The Python code is copied.", "Select the text instead."));
  },

  _changeSeed(seed) {
    if (!SETTINGS.seed.accepts(seed)) return this._refuseNumber("seed");
    this._hideRange();
    const { preset } = this.state;
    if (preset) this.editor.change(this.presetOf(preset, seed));
    else this._setSetting("seed", seed);
  },

  async _readFile(input) {
    const [file] = input.files;
    const text = await file?.text().catch(() => null);
    const trouble = text === null ? `${file.name} cannot be read. Is it still there, and may the browser open it?` : file ? this._adoptCsv(text) : null;
    if (trouble !== null) this.say(trouble, true);
    input.value = "";
  },

  /** Say in the dialog what is wrong with its text; nothing is wrong if there are no words. */
  _tellCsv(words) {
    byId("csv-alert").textContent = words;
    byId("csv-alert").hidden = words === "";
    byId("csv-text").setAttribute("aria-invalid", words !== "");
  },

  /** Refuse to paste more lines than can be drawn: a browser takes seconds to lay out some hundred thousand. */
  _checkPaste(event) {
    try {
      refuseManyLines(event.clipboardData.getData("text"));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      event.preventDefault();
      this._tellCsv(error.message);
    }
  },

  /** Show the points of a text. Returns what is wrong with it, or null. */
  _adoptCsv(text) {
    try {
      const points = pointsFromCsv(text);
      this.editor.change({ preset: "", points, view: viewOf(points) }, `${counted(points.length, "point")} read.`);
      return null;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return error.message;
    }
  },

  async _copyLink() {
    const link = linkOf(this.state);
    history.replaceState(null, "", link);
    this._noteAddress();
    await this._copy(location.href.split("#")[0] + link, "The link is copied, and it is in the address bar.", "The link is in the address bar.");
  },

  async _copy(text, words, otherwise) {
    try {
      await navigator.clipboard.writeText(text);
      this.say(words);
    } catch {
      this.say(`The browser does not allow copying. ${otherwise}`);
    }
    byId("copied").textContent = byId("status").textContent;
  },

  _shortcut(event) {
    const key = keyOf(event);
    if ((event.ctrlKey || event.metaKey) && key === "z" && !event.target.matches("textarea")) {
      event.preventDefault();
      return event.shiftKey ? this.editor.redo() : this.editor.undo();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || needsKey(event.target, key)) return;
    const click = (id) => { if (!byId(id).disabled) byId(id).click(); };
    const keys = { ArrowRight: event.shiftKey ? "next-update" : "next", ArrowLeft: event.shiftKey ? "back-update" : "back", Home: "first", End: "last", k: "play" };
    if (!(key in keys)) return;
    event.preventDefault();
    click(keys[key]);
  },
});

start();
