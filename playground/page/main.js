// The page: state, controls, and the run that they show.

const ADDRESS_DELAY_MS = 300; // after the last change; browsers limit how often an address may change

class App {
  constructor(kernels) {
    this.kernels = kernels;
    this.plot = new Plot(byId("plot"));
    this.charts = ["bounds", "proof", "counts", "margins"].map((name) => [name, new Chart(`${name}-figure`)]);
    this.weights = new WeightsView("weights-figure");
    this.state = initialState();
    this.timer = null;
    this.addressTimer = null;
    this._fillControls();
    this.plot.resize();
    const isFromLink = this._adoptLink("The page shows a preset instead.");
    if (!isFromLink) Object.assign(this.state, this.presetOf(FIRST_PRESET, this.state.seed));
    this.editor = new Editor(this);
    this._connect();
    this.refresh();
    this._noteAddress();
  }

  /** Adopt the state of the link, if there is one. A link that cannot be read leaves the state; `otherwise` says what is shown. */
  _adoptLink(otherwise) {
    try {
      const found = stateFromLink(location.hash, (preset, seed) => this.presetOf(preset, seed).points);
      if (!found) return false;
      if (found.preset && csvOf(this.presetOf(found.preset, found.seed).points) !== csvOf(found.points)) found.preset = ""; // of another version
      this.state = found;
      this._showControls();
      this.hideError();
      return true;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.say(`This link cannot be used: ${error.message}. ${otherwise}`, true);
      return false;
    }
  }

  say(words, isError = false) {
    byId(isError ? "alert-words" : "status").textContent = words;
    if (isError) byId("alert").hidden = false;
  }

  /** Hide what an earlier error said: it is not about the state that is shown now. */
  hideError() {
    byId("alert").hidden = true;
  }

  /** Take the address as that of the present state: it is changed only when the state is. */
  _noteAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = null;
    this.address = { hash: location.hash, link: linkOf(this.state) };
  }

  /** Put the state into the address soon, so that a reload shows it again. */
  _keepAddress() {
    clearTimeout(this.addressTimer);
    this.addressTimer = setTimeout(() => { if (!this.timer) this._writeAddress(); }, ADDRESS_DELAY_MS);
  }

  /** Put the state into the address, unless it is that of the address, or the address has changed and its event is still to come. */
  _writeAddress(link = linkOf(this.state)) {
    if (!this.address || link === this.address.link || location.hash !== this.address.hash) return;
    try {
      history.replaceState(null, "", link);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error; // the browser refuses: the address remains that of an earlier state
    }
    this._noteAddress();
  }

  /** The part of the state that a preset determines. */
  presetOf(preset, seed) {
    const points = PRESETS[preset].make(this.kernels, seed);
    return { preset, seed, points, view: viewOf(points) };
  }

  /** Show other points, and whatever of the state changes with them, and begin again. */
  adoptPoints(part) {
    Object.assign(this.state, part);
    this.hideError();
    this.refreshFromStart();
  }

  /** Compute everything for changed points or settings. A run that was shown at its end is shown at its end again. */
  refreshFromStart(isAtEnd = this.run !== null && this.state.step > 0 && this.state.step === this.run.count - 1) {
    this.state.step = isAtEnd ? Infinity : 0;
    this.refresh();
  }

  /** Compute everything for the present points and settings, and draw it. */
  refresh() {
    this.pause();
    this.geometry = geometryOf(this.kernels, this.state);
    this.run = runOf(this.kernels, this.state, this.geometry);
    this.state.step = Math.min(this.state.step, (this.run?.count ?? 1) - 1);
    this._showLearner();
    showVerdict(this.geometry, this.state.intercept);
    this.redraw();
  }

  /** Draw everything again, in the present size and colours. */
  redraw() {
    this.plot.resize();
    this.plot.showPoints(this.state, this.geometry);
    this._showCharts();
    this.showStep();
  }

  _showCharts() {
    const { run } = this;
    const specs = {
      bounds: run?.family === "batch" ? boundsSpec(run) : null,
      proof: run?.family === "online" ? proofSpec(run) : null,
      counts: run?.family === "online" ? countSpec(run) : run ? gapSpec(run) : null,
      margins: run?.family === "online" ? marginSpec(run) : null,
    };
    this.specs = specs;
    const isDistance = this.state.learner === "pa1" || this.state.learner === "pa2";
    byId("proof-title").textContent = isDistance ? "The distance to v*/γ" : "Both sides of the proof";
    const what = run?.learner.counts === "updates" ? "Updates" : "Mistakes";
    byId("counts-title").textContent = run?.family === "batch" ? "The gap" : `${what} against the bound`;
    byId("margins-title").textContent = this.state.learner === "arow" ? "The variances" : "The margin from both sides";
    for (const [name, chart] of this.charts) chart.show(specs[name]);
    this.weights.show(run);
    showKey(run);
    byId("ticks").setAttribute("d", this._tickMarks());
  }

  /** A mark on the timeline for each mistake. */
  _tickMarks() {
    const { run } = this;
    if (run?.family !== "online" || run.count < 2) return "";
    const most = 400;
    const marks = run.updates.filter(({ isMistake }) => isMistake);
    const leap = Math.ceil(marks.length / most);
    return marks.filter((_, i) => i % leap === 0).map(({ frame }) => `M${shortest((1000 * frame) / (run.count - 1))} 0V6`).join("");
  }

  /** Draw the present step. */
  showStep() {
    const { run, state } = this;
    const last = (run?.count ?? 1) - 1;
    this.plot.showFrame(run, state.step);
    const slider = byId("timeline");
    slider.max = last;
    slider.value = state.step;
    const shown = run?.family === "batch" ? run.at(state.step).steps : state.step;
    const total = run?.family === "batch" ? run.at(last).steps : last;
    const pass = run?.family === "online" && state.step > 0 ? `, pass ${run.at(state.step).visit.pass + 1}` : "";
    byId("position").textContent = `${format(shown)} of ${format(total)}${pass}`;
    slider.setAttribute("aria-valuetext", byId("position").textContent);
    for (const id of ["first", "back", "back-update"]) byId(id).disabled = state.step === 0;
    for (const id of ["next", "next-update", "last", "play"]) byId(id).disabled = state.step >= last && !(id === "play" && last > 0);
    const words = run ? wordsOf(run, state.step) : this._wordsWithoutRun();
    showWords(words);
    showFacts(run ? factsOf(run, state.step) : []);
    for (const [name, chart] of this.charts) if (this.specs[name]) chart.mark(this.specs[name].at(state.step), this.specs[name].values(state.step));
    if (run) this.weights.mark(run, state.step);
    byId("ending").textContent = this._ending();
    this._keepAddress();
    if (!this.timer) this.say([`${words.title}.`, ...words.sentences, byId("ending").textContent].join(" ").trim());
  }

  _wordsWithoutRun() {
    const isMargin = this.geometry.verdict !== null;
    return {
      title: isMargin ? "There is no largest margin" : "Points of both classes are needed", outcome: "start", source: "",
      sentences: [isMargin
        ? "The points are not separable, so the threshold (1 − ε)γ does not exist. Choose the threshold (1 − ε)|v|/M, or move a point."
        : "Click on the plane to put positive and negative points, or choose a set of points."],
    };
  }

  _ending() {
    const { run, state } = this;
    if (!run || state.step < run.count - 1 || run.count < 2) return "";
    if (run.family === "batch") return run.converged ? "" : "The solver stopped after its largest number of steps.";
    if (run.converged) return `The last pass made no ${state.learner === "margin" ? "update" : "mistake"}: the run has ended.`;
    if (run.isCut) return `The playground shows at most ${format(MAX_VISITS)} examples: these are the first ${run.settings.passes} of ${format(state.passes)} passes.`;
    return `The run ended after ${counted(state.passes, "pass", "passes")}, the last of which still made ${state.learner === "margin" ? "updates" : "mistakes"}.`;
  }

  go(frame) {
    this.state.step = Math.min(Math.max(frame, 0), (this.run?.count ?? 1) - 1);
    this.showStep();
  }

  play() {
    if (!this.run || this.run.count < 2) return;
    this._writeAddress(); // now, because it is not written while the run plays
    if (this.state.step >= this.run.count - 1) this.state.step = 0;
    byId("play").textContent = "Pause";
    let due = performance.now();
    const tick = () => {
      const isLast = this.state.step + 1 >= this.run.count - 1;
      if (isLast) this.pause(); // first, so that the last step is announced
      else {
        due = Math.max(due + 1000 / this.state.speed, performance.now()); // by the clock: drawing takes none of the interval
        this.timer = setTimeout(tick, due - performance.now());
      }
      this.go(this.state.step + 1);
    };
    this.timer = setTimeout(tick, 0);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    byId("play").textContent = "Play";
  }
}

/** Start when the page is loaded: it contains the kernels, so nothing is requested. */
async function start() {
  try {
    globalThis.playground = new App(await Kernels.load(bytesOf(byId("kernels").textContent)));
  } catch (error) {
    byId("alert-words").textContent = "This browser cannot run the playground: it needs WebAssembly and a current version.";
    byId("alert").hidden = false;
    throw error;
  }
}
