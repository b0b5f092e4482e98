// One request: its sectors and their used bytes, or its wavefronts through the banks.

class RequestView {
  constructor(canvas, caption) {
    this.canvas = canvas;
    this.caption = caption;
  }

  // The height that the drawing and the caption of the largest request need: no step of the kernel changes it.
  reserve(model) {
    const largest = new Map();
    model.steps.forEach((step, number) => {
      if (step.kind !== "request") return;
      const other = largest.get(step.access);
      if (other === undefined || model.steps[other].units < step.units) largest.set(step.access, number);
    });
    this.height = 1;
    let text = "";
    for (const number of largest.values()) {
      this.draw(model, number, 0);
      this.height = Math.max(this.height, this.needed);
      if (this.caption.textContent.length > text.length) text = this.caption.textContent;
    }
    reserveFor(this.caption, text);
  }

  begin(width, height) {
    this.needed = height;
    return beginDrawing(this.canvas, width, Math.max(height, this.height));
  }

  // wavefront: the one to highlight, or -1 for all.
  draw(model, number, wavefront) {
    const step = model.steps[number];
    if (step.kind !== "request") {
      this.caption.textContent = "This step accesses no memory.";
      this.begin(10, 1);
      this.canvas.setAttribute("aria-label", "");
      return;
    }
    if (isShared(step))
      this.drawWavefronts(model, step, number, wavefront);
    else
      this.drawSectors(model, step);
    this.canvas.setAttribute("aria-label", this.caption.textContent);
  }

  // Each box is a sector of 32 bytes; its filled part is the bytes that the lanes requested.
  drawSectors(model, step) {
    const sectors = model.sectors(step);
    const used = step.access.bytes_per_lane * activeLanes(step).length;
    const different = count(sectors.length, "different sector");
    this.caption.textContent =
        `Transferred: ${count(step.units, "sector")} = ${(step.units * SECTOR_BYTES).toLocaleString("en")} bytes. ` +
        `Requested: ${used.toLocaleString("en")} bytes; ${count(step.ideal, "sector")} can hold the different ones.` +
        (step.units > sectors.length ?
             ` Each update of the same address transfers its sector again (${different}).` :
             "");
    const width = Math.max(240, Math.min(sizeOf(this.canvas.parentElement).width, 720));
    const across = Math.max(4, Math.min(16, Math.floor((width - 70) / 40)));
    const size = Math.floor((width - 70) / across);
    const rows = (n) => Math.ceil(Math.min(n, 64) / across);
    const drawing = this.begin(width, (rows(sectors.length) + rows(step.ideal)) * 17 + 8);
    words(drawing, "transferred", 64, 9, {align: "right", colour: colours.quiet});
    sectors.slice(0, 64).forEach(([, pieces], n) => {
      const [x, y] = [70 + (n % across) * size, Math.floor(n / across) * 17];
      box(drawing, x, y, size - 3, 14, colours.idle);
      hatch(drawing, x, y, size - 3, 14, colours.faint);
      for (const [from, to] of pieces) {
        box(drawing, x + (from / SECTOR_BYTES) * (size - 3), y, ((to - from) / SECTOR_BYTES) * (size - 3), 14,
            operationColour(step.access.operation));
      }
      box(drawing, x, y, size - 3, 14, null, colours.ink);
    });
    const top = rows(sectors.length) * 17 + 8;
    words(drawing, "minimum", 64, top + 9, {align: "right", colour: colours.quiet});
    for (let n = 0; n < Math.min(step.ideal, 64); ++n) {
      const [x, y] = [70 + (n % across) * size, top + Math.floor(n / across) * 17];
      const share = Math.min(1, used / SECTOR_BYTES - n);
      faded(drawing, 0.45, () => box(drawing, x, y, (size - 3) * share, 14, operationColour(step.access.operation)));
      box(drawing, x, y, size - 3, 14, null, colours.quiet);
    }
  }

  // Each row is a wavefront, each column a bank.
  drawWavefronts(model, step, number, wavefront) {
    const wavefronts = model.wavefronts(step, number);
    const only = wavefront >= 0 ? ` Wavefront ${wavefront + 1} is shown.` : "";
    this.caption.textContent =
        `${count(step.units, "wavefront")} through the 32 banks; ${enough(step.ideal)}.${only}`;
    const width = Math.max(240, Math.min(sizeOf(this.canvas.parentElement).width, 720));
    const cell = Math.floor((width - ROW_LABEL) / BANKS);
    // Of many wavefronts, only the highlighted one has a row of full height.
    const low = wavefronts.length > 8 ? 3 : 14;
    const drawing = this.begin(ROW_LABEL + BANKS * cell, (wavefronts.length - 1) * low + 32);
    axis(drawing, "bank", ROW_LABEL, cell);
    let y = 17;
    wavefronts.forEach((banks, n) => {
      const height = wavefront === n ? 14 : low;
      const isSeen = wavefront < 0 || wavefront === n;
      if (height > 3) {
        words(
            drawing, `wavefront ${n + 1}`, ROW_LABEL - 6, y + height / 2,
            {size: 10, align: "right", bold: wavefront === n});
      }
      const tall = height > 3 ? height - 1 : height;
      box(drawing, ROW_LABEL, y, BANKS * cell - 1, tall, colours.idle);
      for (const [bank, ...lanes] of banks) {
        const fill = wavefronts.length > step.ideal ? colours.conflict : operationColour(step.access.operation);
        faded(
            drawing, isSeen ? 1 : 0.3,
            () => box(drawing, ROW_LABEL + bank * cell, y, cell - 1, tall, fill, height > 3 ? colours.ink : null));
        if (cell >= 13 && height > 3) {
          const text = lanes.length > 1 ? `×${lanes.length}` : String(lanes[0]);
          words(
              drawing, text, ROW_LABEL + (bank + 0.5) * cell, y + height / 2,
              {size: 9, align: "center", bold: true, colour: "#1f2328"});
        }
      }
      y += height;
    });
    for (let bank = 1; bank < BANKS; ++bank) box(drawing, ROW_LABEL + bank * cell - 1, 17, 1, y - 17, colours.paper);
  }
}
