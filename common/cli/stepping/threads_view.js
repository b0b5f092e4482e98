// The block's threads: a row for each warp, a cell for each lane. Only the active warp has a row of full height.

const ROW_LABEL = 72;
const STATE_ROOM = 10;
const ACTIVE_HEIGHT = 17;
const HEAD = 17;
// Blocks of a few warps have room for taller rows.
const idleHeight = (model) => (model.warps > 8 ? 3 : 7);

class ThreadsView {
  constructor(canvas) { this.canvas = canvas; }

  // marks: the threads of a finding, [{thread, label}].
  draw(model, number, lanesOfWavefront, marks) {
    const step = model.steps[number];
    const width = Math.max(260, Math.min(sizeOf(this.canvas.parentElement).width, 720));
    const cell = Math.floor((width - ROW_LABEL - STATE_ROOM) / WARP_SIZE);
    const idle = idleHeight(model);
    const drawing = beginDrawing(
        this.canvas, ROW_LABEL + WARP_SIZE * cell + STATE_ROOM, (model.warps - 1) * idle + ACTIVE_HEIGHT + HEAD + 2);
    axis(drawing, "lane", ROW_LABEL, cell);
    const active = new Set(activeLanes(step));
    Object.assign(this, {model, number, cell});
    let y = HEAD;
    this.tops = [];
    for (let warp = 0; warp < model.warps; ++warp) {
      const isCurrent = warp === step.warp;
      const height = isCurrent ? ACTIVE_HEIGHT : idle;
      this.tops.push(y);
      this.drawWarp(drawing, model, number, {warp, y, height, cell, isCurrent, active, lanesOfWavefront});
      y += height;
    }
    if (step.kind === "barrier") words(drawing, "all have arrived", ROW_LABEL, y + 8, {size: 10, bold: true});
    for (const mark of marks) this.drawMark(drawing, mark, step, cell, idle);
    this.canvas.setAttribute("aria-label", this.spoken(model, step, active));
  }

  drawWarp(drawing, model, number, row) {
    const {warp, y, height, cell, isCurrent} = row;
    const step = model.steps[number];
    const state = step.kind === "barrier" ? "met" : isCurrent ? "acts" : model.stateOfWarp(warp, number);
    if (isCurrent) {
      const style = {size: 11, align: "right", bold: true};
      words(drawing, `warp ${warp}`, ROW_LABEL - 6, y + height / 2, style);
    }
    const lanes = Math.min(WARP_SIZE, model.threads - warp * WARP_SIZE);
    for (let lane = 0; lane < lanes; ++lane) this.drawLane(drawing, step, row, lane, state);
    const right = ROW_LABEL + WARP_SIZE * cell;
    if (state === "waits" || state === "met") {
      box(drawing, right + 3, y, 4, height, state === "met" ? colours.meet : colours.quiet);
    }
  }

  drawLane(drawing, step, {y, height, cell, isCurrent, active, lanesOfWavefront}, lane, state) {
    const x = ROW_LABEL + lane * cell;
    const gap = cell > 6 ? 1 : 0;
    if (!isCurrent) {
      const fill = state === "met" ? colours.meet : colours.idle;
      faded(drawing, state === "done" ? 0.45 : 1, () => box(drawing, x, y, cell - gap, Math.max(2, height - 1), fill));
      return;
    }
    if (!active.has(lane)) {
      box(drawing, x, y, cell - gap, height - 1, colours.dark);
      return;
    }
    const way = step.kind === "part" ? step.ways.findIndex((mask) => (mask >>> lane) & 1) : 0;
    const fill = step.kind === "request" ? operationColour(step.access.operation) :
        way % 2 === 1                    ? colours.idle :
                                           colours.meet;
    const inWavefront = !lanesOfWavefront || lanesOfWavefront.has(lane);
    faded(drawing, inWavefront ? 1 : 0.25, () => box(drawing, x, y, cell - gap, height - 1, fill, colours.ink));
    if (cell >= 13 && inWavefront) {
      const source = step.kind === "meet" && step.sources.length ? step.sources[[...active].indexOf(lane)] : lane;
      words(
          drawing, String(step.kind === "part" ? "AB"[way] || way : source), x + cell / 2, y + height / 2,
          {size: 10, align: "center", colour: way % 2 ? colours.ink : "#1f2328"});
    }
  }

  drawMark(drawing, mark, step, cell, idle) {
    const warp = Math.floor(mark.thread / WARP_SIZE);
    const x = ROW_LABEL + (mark.thread % WARP_SIZE) * cell;
    const [y, height] = [this.tops[warp], warp === step.warp ? ACTIVE_HEIGHT : idle];
    box(drawing, x - 1, y - 1, cell + 1, height + 1, null, colours.conflict, 3);
    drawing.beginPath();
    drawing.arc(x + cell / 2, y + height / 2, 7, 0, 7);
    drawing.fillStyle = colours.conflict;
    drawing.fill();
    words(
        drawing, mark.label, x + cell / 2, y + height / 2 + 0.5,
        {size: 10, bold: true, align: "center", colour: "#fff"});
  }

  cellAt(x, y) {
    const warp = this.tops.findIndex((top, n) => y >= top && y < (this.tops[n + 1] || top + ACTIVE_HEIGHT));
    return warp < 0 ? null : [Math.floor((x - ROW_LABEL) / this.cell), warp];
  }

  placeOf([lane, warp]) {
    const exists = lane >= 0 && lane < WARP_SIZE && warp >= 0 && warp * WARP_SIZE + lane < this.model.threads;
    const height = warp === this.model.steps[this.number].warp ? ACTIVE_HEIGHT : idleHeight(this.model);
    return exists ? [ROW_LABEL + lane * this.cell, this.tops[warp], this.cell, height] : null;
  }

  litCell() {
    const step = this.model.steps[this.number];
    return [activeLanes(step)[0] || 0, step.warp || 0];
  }

  describe([lane, warp]) {
    const {model, number} = this;
    const found = model.lastRequest(number, (step, of) => step.warp === warp && of === lane);
    const name = threadsWords(model, warp, [lane]);
    if (!found) return [name, "no access up to this step"];
    const {access, array} = found.step;
    return [
      name, `${whenWords(found, number)}: ${access.operation}`,
      addressWords(model.arrays[array], found.offset, access.bytes_per_lane)
    ];
  }

  spoken(model, step, active) {
    if (step.kind === "barrier") return `All ${model.warps} warps have arrived at the barrier.`;
    return `Warp ${step.warp} of ${model.warps} is active: ${laneWords([...active])}.`;
  }
}
