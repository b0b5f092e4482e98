// Steps through one program's kernels: holds the current step and updates the views.

const TICK_MS = {
  slow: 1200,
  medium: 400,
  fast: 60
};

class Stepper {
  constructor(root, run, tooltip) {
    this.root = root;
    this.run = run;
    this.tooltip = tooltip;
    this.models = new Map();
    this.number = 0;
    this.wavefront = -1;
    this.finding = null;
    this.timer = null;
    this.hasCostly = false;
    this.current = null;
    const find = (selector) => root.querySelector(selector);
    this.part = {
      kernel: find(".kernel"),
      block: find(".block"),
      slider: find(".slider"),
      play: find(".play"),
      speed: find(".speed"),
      sentence: find(".sentence"),
      position: find(".position"),
      memories: find(".memories"),
      stage: find(".stage"),
      cap: find(".cap"),
    };
    find(".program").textContent = run.program;
    this.source = new SourceView(find(".source"), run, (line) => this.toLine(line));
    this.threads = new ThreadsView(find(".threads canvas"));
    this.request = new RequestView(find(".request canvas"), find(".request figcaption"));
    this.findings = new FindingsView(find(".findings"), run, (finding, place) => this.showFinding(finding, place));
    tooltip.watch(find(".threads canvas"), this.threads);
    this.fillChoices();
    this.connect(find);
    this.choose(this.firstKernel(), 0);
  }

  // The kernel with the largest excess cost, as in pictures.
  firstKernel() {
    const ofAccess = (access) => Math.max(0, access.units - access.ideal_units);
    const ofAll = (accesses) => accesses.reduce((sum, access) => sum + ofAccess(access), 0);
    const excess = (kernel) => (kernel.blocks.length ? ofAll(kernel.accesses) : -1);
    let best = 0;
    this.run.kernels.forEach((kernel, n) => {
      if (excess(kernel) > excess(this.run.kernels[best])) best = n;
    });
    return best;
  }

  fillChoices() {
    this.run.kernels.forEach((kernel, n) => {
      const shape = `grid ${tuple(kernel.grid, kernel.grid)}, block ${tuple(kernel.block, kernel.block)}`;
      this.part.kernel.append(new Option(`${kernel.name} · ${shape}`, String(n)));
    });
    this.part.kernel.addEventListener("change", () => this.choose(Number(this.part.kernel.value), 0));
    this.part.block.addEventListener("change", () => this.choose(this.kernelNumber, Number(this.part.block.value)));
  }

  connect(find) {
    const on = (selector, act) => find(selector).addEventListener("click", act);
    on(".to-first", () => this.go(0));
    on(".back", () => this.go(this.number - 1));
    on(".play", () => this.togglePlay());
    on(".forward", () => this.go(this.number + 1));
    on(".to-last", () => this.go(this.lastNumber()));
    on(".to-costliest", () => this.toCostliest());
    on(".to-barrier", () => this.toBarrier());
    on(".next-wavefront", () => this.nextWavefront());
    on(".stop-replay", () => this.endReplay());
    this.part.slider.addEventListener("input", () => this.go(Number(this.part.slider.value)));
    this.part.speed.addEventListener("change", () => {
      if (this.timer) this.restartTimer();
    });
  }

  model(kernelNumber, blockNumber) {
    const key = `${kernelNumber}/${blockNumber}`;
    if (!this.models.has(key)) {
      const kernel = this.run.kernels[kernelNumber];
      this.models.set(key, new BlockModel(kernel, kernel.blocks[blockNumber]));
    }
    return this.models.get(key);
  }

  choose(kernelNumber, blockNumber) {
    const kernel = this.run.kernels[kernelNumber];
    this.kernelNumber = kernelNumber;
    this.blockNumber = blockNumber;
    this.wavefront = -1;
    this.tooltip.hide();
    this.root.classList.toggle("empty", !kernel || !kernel.blocks.length);
    if (!kernel || !kernel.blocks.length) {
      this.current = null;
      this.hasCostly = false;
      this.part.memories.replaceChildren();
      this.part.position.textContent = "";
      this.part.sentence.textContent =
          kernel ? "No step of this kernel was recorded." : "No kernel ran, so there is nothing to step through.";
      this.showTotals(kernel);
      return;
    }
    this.part.kernel.value = String(kernelNumber);
    this.fillBlocks(kernel);
    this.part.block.value = String(blockNumber);
    this.current = this.model(kernelNumber, blockNumber);
    this.source.setKernel(kernel, this.current);
    this.makeMemories();
    this.showTotals(kernel);
    this.part.cap.textContent = this.capWords(kernel);
    this.part.slider.max = String(this.lastNumber());
    const cheap =
        kernel.blocks.every((_, n) => this.model(kernelNumber, n).steps.every((step) => excessOf(step) === 0));
    const button = this.root.querySelector(".to-costliest");
    button.disabled = cheap;
    this.hasCostly = !cheap;
    button.title = cheap ? "every request has the minimum cost" : "C";
    this.root.classList.toggle("no-steps", this.current.steps.length === 0);
    if (this.current.steps.length === 0)
      this.part.sentence.textContent = "This block accessed no memory that is counted.";
    this.layOut();
    this.go(0);
  }

  fillBlocks(kernel) {
    const why = {first: "the first", costliest: "the costliest", finding: "with an error"};
    this.part.block.replaceChildren();
    kernel.blocks.forEach((block, n) => {
      const launch = kernel.launches > 1 ? ` of launch ${block.launch.toLocaleString("en")}` : "";
      const name = `block ${tuple(block.block, kernel.grid)}${launch}, ${why[block.reason] || block.reason}`;
      this.part.block.append(new Option(name, String(n)));
    });
  }

  // The recorded part of the run, so that the page is not taken for the whole run.
  capWords(kernel) {
    const {block, steps} = this.current;
    const number = (value) => value.toLocaleString("en");
    const kept = count(kernel.blocks.length, "block");
    const ran = `${number(kernel.blocks_run)} that ran in ${count(kernel.launches, "launch", "launches")}`;
    const which = kernel.blocks.length > 1 ? "the first, and the costliest or those with an error" : "the first";
    const left =
        `This block has its first ${number(steps.length)} steps here; ${number(block.left_out)} more were left out.`;
    return [
      `Recorded step by step: ${kept} of ${ran}: ${which}.`,
      ...(block.left_out ? [left] : []),
      "The table below counts the whole run.",
    ].join(" ");
  }

  makeMemories() {
    this.part.memories.replaceChildren();
    this.memories = [];
    this.current.arrays.forEach((array, n) => {
      if (!array.first.size) return;
      const figure = document.getElementById("memory").content.firstElementChild.cloneNode(true);
      this.part.memories.append(figure);
      const memory = new MemoryView(figure, this.current, n);
      this.tooltip.watch(memory.canvas, memory);
      this.memories.push(memory);
    });
  }

  // Reserves the room of the largest step, so that a step moves nothing, and gives memory the height that is left.
  layOut() {
    if (!this.current || !this.current.steps.length || !this.root.clientWidth) return;
    const {stage, sentence, memories} = this.part;
    reserveFor(sentence, longestStepWords(this.current));
    this.request.reserve(this.current);
    const isWide = getComputedStyle(stage).gridTemplateColumns.includes(" ");
    const topOf = (element) => element.getBoundingClientRect().top + window.scrollY;
    const left = (element) => window.innerHeight - topOf(element) - 10;
    stage.style.height = isWide ? `${left(stage)}px` : "";
    if (isWide)
      arrange(memories, this.memories, memories.clientHeight, 5);
    else
      arrange(memories, this.memories, Math.max(320, left(memories)), 6);
    forgetSizes();
  }

  showTotals(kernel) {
    const place = this.root.querySelector(".totals");
    place.replaceChildren();
    if (kernel) place.append(...totalsOf(kernel));
  }

  lastNumber() { return this.current ? Math.max(0, this.current.steps.length - 1) : 0; }

  go(number) {
    if (!this.current || !this.current.steps.length) return;
    const wanted = Math.max(0, Math.min(this.lastNumber(), number));
    if (wanted !== this.number) this.wavefront = -1;
    this.number = wanted;
    this.draw();
  }

  toLine(line) {
    const numbers = this.current.stepsOfLine.get(line) || [];
    const next = numbers.find((number) => number > this.number);
    this.go(next === undefined ? numbers[0] : next);
  }

  // otherwise: the step to go to if every request has the minimum cost.
  toCostliest(otherwise = this.number) {
    if (!this.hasCostly) {
      this.go(otherwise);
      return;
    }
    const {blocks} = this.run.kernels[this.kernelNumber];
    const costs = blocks.map((_, n) => {
      const model = this.model(this.kernelNumber, n);
      return model.steps.length ? excessOf(model.steps[model.costliest()]) : -1;
    });
    const best = costs.indexOf(Math.max(...costs));
    if (best !== this.blockNumber && costs[best] > costs[this.blockNumber]) this.choose(this.kernelNumber, best);
    this.go(this.current.costliest());
  }

  toBarrier() {
    if (!this.current) return;
    const {steps} = this.current;
    const from = (start) => steps.findIndex((step, n) => n >= start && step.kind === "barrier");
    const next = from(this.number + 1);
    this.go(next >= 0 ? next : Math.max(0, from(0)));
  }

  nextWavefront() {
    const step = this.current && this.current.steps[this.number];
    if (!step || !isShared(step)) return;
    const wavefronts = this.current.wavefronts(step, this.number).length;
    this.wavefront = this.wavefront + 1 < wavefronts ? this.wavefront + 1 : -1;
    this.draw();
  }

  showFinding(number, place) {
    const finding = this.run.findings[number];
    const spots = locateFinding(this.run, (kernel, block) => this.model(kernel, block), finding);
    this.finding = {number, finding, spots: spots || [], place};
    const spot = spots && (spots[place] || spots.find(Boolean));
    if (spot) {
      if (spot.kernel !== this.kernelNumber || spot.block !== this.blockNumber) this.choose(spot.kernel, spot.block);
      this.go(spot.step === null ? this.number : spot.step);
    } else {
      this.draw();
    }
    this.findings.show(number, place, this.replayWords());
    this.root.dataset.finding = String(number);
  }

  replayWords() {
    const {finding, spots, place} = this.finding;
    const shown = spots[place];
    const isStep = shown && shown.step !== null;
    const marked = shown ? "its thread and its line are marked" : "its line is marked";
    const look = isStep ? `Shown: access ${place + 1}, step ${(shown.step + 1).toLocaleString("en")}.` :
                          `The access is not a recorded step: ${marked}.`;
    return `${missingWords(finding, spots) || `${finding.heading}. ${finding.message}`}${orderWords(spots)} ${look}`;
  }

  nextFinding() {
    if (!this.run.findings.length) return;
    const last = this.finding;
    if (last && last.place === 0 && last.finding.places.length > 1 && last.spots[1])
      this.showFinding(last.number, 1);
    else
      this.showFinding(last ? (last.number + 1) % this.run.findings.length : 0, 0);
  }

  endReplay() {
    this.findings.show(this.finding.number, null, this.replayWords());
    this.finding = null;
    delete this.root.dataset.finding;
    this.draw();
  }

  togglePlay() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.number === this.lastNumber()) this.go(0);
    this.restartTimer();
    this.part.play.textContent = "Pause";
    this.part.sentence.setAttribute("aria-live", "off");  // a screen reader is slower than the steps
  }

  restartTimer() {
    clearInterval(this.timer);
    this.timer = setInterval(() => {
      if (this.number >= this.lastNumber())
        this.stop();
      else
        this.go(this.number + 1);
    }, TICK_MS[this.part.speed.value]);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.part.play.textContent = "Play";
    this.part.sentence.setAttribute("aria-live", "polite");
  }

  marksOf() {
    if (!this.finding) return {threads: [], lines: [], spots: [], place: null};
    const {finding, spots, place} = this.finding;
    const isStep = spots[place] && spots[place].step !== null;
    const isHere = (spot) => spot && spot.kernel === this.kernelNumber && spot.block === this.blockNumber;
    const here = spots.map((spot, n) => ({spot, label: String(n + 1)})).filter(({spot}) => isHere(spot));
    return {
      threads: here.map(({spot, label}) => ({thread: spot.thread, label})),
      lines: finding.places.map((place, n) => ({file: place.file, line: place.line, label: String(n + 1)})),
      spots: here.map(({spot}) => spot).filter((spot) => spot.offset !== null),
      place: isStep ? null : finding.places[place],
    };
  }

  draw() {
    if (!this.current || !this.current.steps.length) return;
    const step = this.current.steps[this.number];
    const marks = this.marksOf();
    const lanesOfWavefront = this.lanesOfWavefront(step);
    this.part.position.textContent = positionWords(this.current, this.number);
    this.part.sentence.textContent = stepWords(this.current, this.number);
    this.part.slider.value = String(this.number);
    this.part.slider.setAttribute("aria-valuetext", `step ${this.number + 1} of ${this.current.steps.length}`);
    this.root.querySelector(".next-wavefront").disabled = !(isShared(step) && step.units > 1);
    this.source.light(placeOf(step), marks.lines, marks.place);
    this.threads.draw(this.current, this.number, lanesOfWavefront, marks.threads);
    this.request.draw(this.current, this.number, this.wavefront);
    for (const memory of this.memories) {
      const marked = marks.spots.filter((spot) => this.current.steps[spot.step].array === memory.number)
                         .map((spot) => spot.offset);
      memory.draw(this.number, lanesOfWavefront, marked.length ? marked : null);
    }
    this.writeAttributes(step);
    this.tooltip.refresh();
  }

  // The lanes of the highlighted wavefront; null if all wavefronts are shown.
  lanesOfWavefront(step) {
    if (this.wavefront < 0 || !isShared(step)) return null;
    const banks = this.current.wavefronts(step, this.number)[this.wavefront];
    return new Set(banks.flatMap(([, ...lanes]) => lanes));
  }

  // Writes the step to attributes, for tests and for inspection of the page.
  writeAttributes(step) {
    this.root.dataset.step = String(this.number);
    this.root.dataset.lit = step.kind === "barrier" ? "all" : activeLanes(step).join(" ");
    this.root.dataset.units = step.kind === "request" ? String(step.units) : "";
    this.root.dataset.warp = step.warp === undefined ? "" : String(step.warp);
  }
}
