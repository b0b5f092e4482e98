// The block's threads: a row for each warp, a cell for each lane.

const ROW_LABEL = 70;
const STATE_ROOM = 62;

class ThreadsView {
  constructor(canvas) { this.canvas = canvas; }

  // marks: the threads of a finding, [{thread, label}].
  draw(model, number, lanesOfWavefront, marks) {
    const step = model.steps[number];
    const width = Math.max(260, Math.min(sizeOf(this.canvas.parentElement).width, 720));
    const cell = Math.floor((width - ROW_LABEL - STATE_ROOM) / WARP_SIZE);
    const small = model.warps > 8 ? 11 : Math.min(cell, 16);
    const tall = Math.max(18, Math.min(cell, 20));
    const drawing =
        beginDrawing(this.canvas, ROW_LABEL + WARP_SIZE * cell + STATE_ROOM, model.warps * small + tall + 22);
    words(drawing, "lane", ROW_LABEL - 6, 8, {size: 10, colour: colours.quiet, align: "right"});
    for (const lane of [0, 8, 16, 24, 31]) {
      words(
          drawing, String(lane), ROW_LABEL + (lane + 0.5) * cell, 8,
          {size: 10, colour: colours.quiet, align: "center"});
    }
    const active = new Set(activeLanes(step));
    let y = 18;
    for (let warp = 0; warp < model.warps; ++warp) {
      const isCurrent = warp === step.warp;
      const height = isCurrent ? tall : small;
      this.drawWarp(drawing, model, number, {warp, y, height, cell, isCurrent, active, lanesOfWavefront});
      for (const mark of marks) {
        if (Math.floor(mark.thread / WARP_SIZE) === warp) this.drawMark(drawing, mark, y, height, cell);
      }
      y += height;
    }
    this.canvas.setAttribute("aria-label", this.spoken(model, step, active));
  }

  drawWarp(drawing, model, number, row) {
    const {warp, y, height, cell, isCurrent} = row;
    const step = model.steps[number];
    const state = step.kind === "barrier" ? "met" : isCurrent ? "acts" : model.stateOfWarp(warp, number);
    const small = height < 12 && !isCurrent;
    if (!small || warp % 4 === 0) {
      words(
          drawing, `warp ${warp}`, ROW_LABEL - 6, y + height / 2,
          {size: small ? 9 : 11, align: "right", bold: isCurrent});
    }
    const lanes = Math.min(WARP_SIZE, model.threads - warp * WARP_SIZE);
    for (let lane = 0; lane < lanes; ++lane) this.drawLane(drawing, step, row, lane, state);
    const right = ROW_LABEL + WARP_SIZE * cell;
    if (state === "waits" || state === "met") {
      box(drawing, right + 3, y, 4, height, state === "met" ? colours.meet : colours.quiet);
    }
    if (!small || isCurrent) {
      const text = {
        waits: "waits",
        met: "arrived",
        acts: step.kind === "part" ? "diverges" : "active",
        done: "done",
        works: ""
      }[state];
      words(
          drawing, text, right + 11, y + height / 2,
          {size: 10, colour: isCurrent ? colours.ink : colours.quiet, bold: isCurrent});
    }
  }

  drawLane(drawing, step, {y, height, cell, isCurrent, active, lanesOfWavefront}, lane, state) {
    const x = ROW_LABEL + lane * cell;
    const gap = cell > 6 ? 1 : 0;
    if (!isCurrent) {
      const fill = state === "met" ? colours.meet : colours.idle;
      faded(drawing, state === "done" ? 0.45 : 1, () => box(drawing, x, y, cell - gap, height - 1, fill));
      return;
    }
    if (!active.has(lane)) {
      box(drawing, x, y, cell - gap, height - 1, colours.dark);
      return;
    }
    const way = step.kind === "part" ? step.ways.findIndex((mask) => (mask >>> lane) & 1) : 0;
    const fill = step.kind === "request" ? operationColour(step.access.operation) :
        way % 2 === 1                    ? colours.store :
                                           colours.meet;
    const inWavefront = !lanesOfWavefront || lanesOfWavefront.has(lane);
    faded(drawing, inWavefront ? 1 : 0.25, () => box(drawing, x, y, cell - gap, height - 1, fill, colours.ink));
    if (cell >= 13 && inWavefront) {
      const source = step.kind === "meet" && step.sources.length ? step.sources[[...active].indexOf(lane)] : lane;
      words(
          drawing, String(step.kind === "part" ? "AB"[way] || way : source), x + cell / 2, y + height / 2,
          {size: 10, align: "center", colour: "#1f2328"});
    }
  }

  drawMark(drawing, mark, y, height, cell) {
    const x = ROW_LABEL + (mark.thread % WARP_SIZE) * cell;
    box(drawing, x - 1, y - 1, cell + 1, height + 1, null, colours.conflict, 3);
    drawing.beginPath();
    drawing.arc(x + cell / 2, y + height / 2, 7, 0, 7);
    drawing.fillStyle = colours.conflict;
    drawing.fill();
    words(
        drawing, mark.label, x + cell / 2, y + height / 2 + 0.5,
        {size: 10, bold: true, align: "center", colour: "#fff"});
  }

  spoken(model, step, active) {
    if (step.kind === "barrier") return `All ${model.warps} warps have arrived at the barrier.`;
    return `Warp ${step.warp} of ${model.warps} is active: ${laneWords([...active])}.`;
  }
}
