// The learner's source, with the cost of each line in the left column.

const LINE_HEIGHT = 20;  // as in the style sheet
const STEP_NAMES = {
  barrier: "barrier",
  part: "lanes diverge",
  meet: "warp function"
};

class SourceView {
  constructor(root, run, onLine) {
    this.root = root;
    this.run = run;
    this.onLine = onLine;
    this.tabs = root.querySelector(".tabs");
    this.list = root.querySelector(".lines");
    this.shown = null;
    this.scrolled = 0;
    this.lit = [];
    this.list.classList.toggle("has-badges", run.findings.length > 0);
    this.list.addEventListener("scroll", () => {
      this.scrolled = this.list.scrollTop;
    }, {passive: true});
  }

  setKernel(kernel, model) {
    this.kernel = kernel;
    this.model = model;
    this.shown = null;
    const files = new Set(kernel.accesses.map((access) => access.file));
    if (model)
      for (const step of model.steps) files.add(placeOf(step).file);
    for (const finding of this.run.findings) finding.places.forEach((place) => files.add(place.file));
    this.files = [...files].filter((file) => this.run.sources[file]);
    this.tabs.replaceChildren();
    for (const file of this.files) {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.textContent = baseName(file);
      tab.addEventListener("click", () => this.show(file));
      this.tabs.append(tab);
    }
    this.tabs.hidden = this.files.length < 2;
    if (this.files.length)
      this.show(this.mainFile());
    else
      this.list.replaceChildren();
  }

  mainFile() {
    const first = this.kernel.accesses.find((access) => this.run.sources[access.file]);
    return first ? first.file : this.files[0];
  }

  show(file) {
    if (!file || this.shown === file || !this.run.sources[file]) return;
    this.shown = file;
    [...this.tabs.children].forEach((tab, n) => tab.setAttribute("aria-pressed", String(this.files[n] === file)));
    const costs = this.costs(file);
    const most = Math.max(1, ...[...costs.values()].map((cost) => cost.units));
    this.rows = new Map();
    this.list.replaceChildren();
    highlighted(this.run.sources[file])
        .forEach((nodes, n) => this.list.append(this.row(file, n + 1, nodes, costs.get(n + 1), most)));
    this.scrolled = this.list.scrollTop;
    const longest = Math.max(0, ...[...this.rows.values()].map((row) => row.firstChild.textContent.length));
    this.list.style.setProperty("--gutter", `${longest + 4}ch`);
  }

  // The cost of each line: units, ideal units and the accesses.
  costs(file) {
    const costs = new Map();
    for (const access of this.kernel.accesses) {
      if (access.file !== file) continue;
      if (!costs.has(access.line)) costs.set(access.line, {units: 0, ideal: 0, parts: []});
      const cost = costs.get(access.line);
      cost.units += access.units;
      cost.ideal += access.ideal_units;
      cost.parts.push(access);
    }
    return costs;
  }

  row(file, number, nodes, cost, most) {
    const row = document.createElement("div");
    row.className = "line";
    const heat = this.heat(file, number, cost, most);
    const name = document.createElement("span");
    name.className = "number";
    name.textContent = String(number);
    const code = document.createElement("code");
    code.append(...nodes);
    row.append(heat, name, code);
    this.rows.set(number, row);
    return row;
  }

  heat(file, number, cost, most) {
    const line = `${file}:${number}`;
    const hasSteps = this.model && this.model.stepsOfLine.has(line);
    const heat = document.createElement(hasSteps ? "button" : "span");
    heat.className = "heat";
    if (hasSteps) {
      heat.type = "button";
      heat.addEventListener("click", () => this.onLine(line));
    }
    if (cost) {
      heat.textContent = this.averages(cost).join(" · ");
      heat.style.setProperty("--share", `${Math.round((100 * cost.units) / most)}%`);
      heat.style.setProperty("--ideal", `${Math.round((100 * Math.min(cost.ideal, cost.units)) / most)}%`);
      heat.classList.toggle("costly", cost.units > 1.05 * cost.ideal);
      heat.title = cost.parts.map((access) => this.costWords(access)).join("\n");
      if (hasSteps) heat.setAttribute("aria-label", `Line ${number}: ${heat.title}. Go to its next step.`);
    } else if (hasSteps) {
      heat.textContent = STEP_NAMES[this.model.steps[this.model.stepsOfLine.get(line)[0]].kind] || "";
      heat.setAttribute("aria-label", `Line ${number}: ${heat.textContent}. Go to its next step.`);
    }
    return heat;
  }

  // The average cost of a request, and its minimum: "32/4 s" in sectors, "2/1 w" in wavefronts.
  averages(cost) {
    const shown = (units, requests) => {
      const average = units / Math.max(1, requests);
      return average >= 10 || Number.isInteger(average) ? String(Math.round(average)) : average.toFixed(1);
    };
    const words = [];
    for (const [unit, isOfUnit] of [
             ["s", (access) => access.memory !== "shared"], ["w", (access) => access.memory === "shared"]]) {
      const parts = cost.parts.filter(isOfUnit);
      const sum = (name) => parts.reduce((total, access) => total + access[name], 0);
      if (parts.length)
        words.push(`${shown(sum("units"), sum("requests"))}/${shown(sum("ideal_units"), sum("requests"))} ${unit}`);
    }
    return words;
  }

  costWords(access) {
    const unit = access.memory === "shared" ? ["wavefront", "wavefronts"] : ["sector", "sectors"];
    return (
        `${access.operation}, ${access.memory} memory: ${count(access.requests, "request")}, ` +
        `${count(access.units, ...unit)} in total, minimum ${access.ideal_units.toLocaleString("en")}`);
  }

  // Highlights the step's line and marks a finding's places. For a finding without a step, shows the finding's file.
  light(place, marks, findingPlace) {
    this.show(findingPlace ? findingPlace.file : place.file);
    for (const row of this.lit.splice(0)) {
      row.classList.remove("here", "marked");
      row.removeAttribute("data-label");
      row.removeAttribute("aria-current");
    }
    for (const mark of marks) {
      const row = mark.file === this.shown && this.rows && this.rows.get(mark.line);
      if (!row) continue;
      row.classList.add("marked");
      this.lit.push(row);
      const before = row.getAttribute("data-label");
      row.setAttribute("data-label", before ? `${before} ${mark.label}` : mark.label);
    }
    const lit = place.file === this.shown && this.rows && this.rows.get(place.line);
    if (lit) {
      lit.classList.add("here");
      this.lit.push(lit);
      lit.setAttribute("aria-current", "step");
    }
    const row = findingPlace ? this.rows && this.rows.get(findingPlace.line) : lit;
    const marked = marks.filter((mark) => mark.file === this.shown).map((mark) => mark.line);
    if (row) this.scrollTo([(findingPlace || place).line, ...marked]);
  }

  // Shows the first of these lines, and all of them if they fit. Only the list scrolls, and only if it must.
  scrollTo(lines) {
    const {height} = sizeOf(this.list);
    let [top, last] = [Math.min(...lines), Math.max(...lines)].map((line) => LINE_HEIGHT * (line - 1));
    if (last - top > height - 3 * LINE_HEIGHT) top = last = LINE_HEIGHT * (lines[0] - 1);
    if (top >= this.scrolled + LINE_HEIGHT && last <= this.scrolled + height - 2 * LINE_HEIGHT) return;
    this.scrolled = this.list.scrollTop = Math.max(0, (top + last + LINE_HEIGHT - height) / 2);
  }
}
