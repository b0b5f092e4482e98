// An array that the block accesses: global memory as a matrix with sectors, shared memory as words in 32 banks.

const MOST_ROWS = 34;
const MOST_COLUMNS = 64;
const LABEL = 52;
const TOP = 14;

class MemoryView {
  constructor(figure, model, number) {
    this.figure = figure;
    this.canvas = figure.querySelector("canvas");
    this.model = model;
    this.number = number;
    this.array = model.arrays[number];
    this.isShared = this.array.memory === "shared";
    this.element = this.isShared ? WORD_BYTES : this.array.element_bytes;
    this.columns = this.isShared ? BANKS : this.array.columns;
    this.touched = this.touchedRows();
    this.rows = Math.min(MOST_ROWS, this.touched.length);
    this.width = this.isShared ? BANKS : this.shownWidth();
    const title = figure.querySelector(".title");
    title.textContent = title.title = this.title();
  }

  title() {
    const {array} = this;
    if (this.isShared) return `${array.shown_name}: shared memory, words of 4 bytes in 32 banks`;
    const rows = Math.ceil(array.bytes / array.element_bytes / this.columns);
    const shape = array.has_rows ? `${rows} × ${this.columns}` : `cut into rows of ${this.columns}`;
    return `${array.shown_name}: ${array.memory} memory, ${shape}, elements of ${count(array.element_bytes, "byte")}`;
  }

  touchedRows() {
    if (!this.isShared) return [...this.array.rows].sort((a, b) => a - b);
    const rows = new Set();
    for (const element of this.array.first.keys()) {
      const begin = element * this.array.element_bytes + this.array.begin_in_line;
      rows.add(Math.floor(begin / (BANKS * WORD_BYTES)));
      rows.add(Math.floor((begin + this.array.element_bytes - 1) / (BANKS * WORD_BYTES)));
    }
    return [...rows].sort((a, b) => a - b);
  }

  // The cells of a request: cell number -> lanes. A cell is an element or, in shared memory, a word.
  cellsOf(step) {
    const cells = new Map();
    const add = (cell, lane) => {
      if (!cells.has(cell)) cells.set(cell, []);
      if (!cells.get(cell).includes(lane)) cells.get(cell).push(lane);
    };
    if (step.kind !== "request" || step.array !== this.number) return cells;
    if (!this.isShared) {
      this.model.eachElement(step, add);
      return cells;
    }
    eachLane(step, (lane, offset) => {
      if (offset < 0 || offset >= this.array.bytes) return;
      const begin = offset + this.array.begin_in_line;
      const last = Math.floor((begin + step.access.bytes_per_lane - 1) / WORD_BYTES);
      for (let word = Math.floor(begin / WORD_BYTES); word <= last; ++word) add(word, lane);
    });
    return cells;
  }

  // The rows and columns to show: all that the block accesses or, if there are too many, those around the request.
  viewOf(cells) {
    const rows = new Set();
    let [left, right] = [Infinity, -1];
    for (const cell of cells.keys()) {
      rows.add(Math.floor(cell / this.columns));
      left = Math.min(left, cell % this.columns);
      right = Math.max(right, cell % this.columns);
    }
    if (cells.size === 0) [left, right] = this.lastColumns || [this.array.left, this.array.left];
    this.lastColumns = [left, right];
    return {rows: this.shownRows([...rows].sort((a, b) => a - b)), ...this.shownColumns(left, right)};
  }

  shownRows(wanted) {
    const all = this.touched;
    if (all.length <= MOST_ROWS) return all;
    if (wanted.length === 0) wanted = this.lastRows || [all[0]];
    this.lastRows = wanted;
    const [first, last] = [all.indexOf(wanted[0]), all.indexOf(wanted[wanted.length - 1])];
    if (last - first >= MOST_ROWS) return wanted.slice(0, MOST_ROWS);
    const page = Math.floor(first / 16) * 16;
    const start = last < page + MOST_ROWS ? page : first;
    return all.slice(start, start + MOST_ROWS);
  }

  // The number of columns to show: all that the block accesses or, if there are too many, those of its widest request.
  shownWidth() {
    const {array} = this;
    const per = this.perSector = Math.max(1, Math.floor(SECTOR_BYTES / this.element));
    this.begin = Math.floor(array.left / per) * per;
    this.end = Math.ceil((array.right + 1) / per) * per;
    const widest = Math.ceil(array.span / per + 1) * per;
    return Math.min(this.end - this.begin, Math.max(MOST_COLUMNS, Math.min(widest, 4 * MOST_COLUMNS)));
  }

  shownColumns(left, right) {
    if (this.isShared) return {left: 0, end: BANKS};
    const page = this.begin + Math.floor((left - this.begin) / 32) * 32;
    const start = right < page + this.width ? page : Math.floor(left / this.perSector) * this.perSector;
    const shown = Math.max(this.begin, Math.min(start, this.end - this.width));
    return {left: shown, end: Math.min(this.columns, shown + this.width)};
  }

  draw(number, lanesOfWavefront, marked) {
    const step = this.model.steps[number];
    const cells = this.cellsOf(step);
    const isCurrent = step.kind === "request" && step.array === this.number;
    this.figure.classList.toggle("current", isCurrent);
    const view = this.viewOf(cells);
    const {cell, row} = this;
    const drawing = beginDrawing(this.canvas, LABEL + this.width * cell + 2, this.rows * row + TOP + 2);
    const at = {drawing, view, cell, row, step, number};
    Object.assign(this, {view, shownStep: number, cells});
    this.drawFrame(at);
    view.rows.forEach((line, n) => this.drawRowLabel(at, line, n));
    this.drawQuietCells(at);
    this.drawLitCells(at, cells, lanesOfWavefront);
    if (isCurrent && !this.isShared) this.drawSectors(at, cells);
    if (marked) this.drawMarked(at, marked);
    this.tell(cells, view, isCurrent);
  }

  // Describes in words the cells outside of the view and the highlighted cells.
  tell(cells, view, isCurrent) {
    const isOutside = (of) => !view.rows.includes(Math.floor(of / this.columns)) || of % this.columns >= view.end;
    const outside = [...cells.keys()].filter(isOutside).length;
    const words = outside ? `${count(outside, "cell")} of this request not shown` : "";
    this.figure.querySelector(".outside").textContent = words;
    const name = this.array.shown_name;
    const lit = `Highlighted in ${name}: ${count(cells.size, "cell")}.`;
    this.canvas.setAttribute("aria-label", isCurrent ? lit : `${name}: not accessed at this step.`);
  }

  drawFrame({drawing, view, cell}) {
    const name = this.isShared ? "bank" : "column";
    words(drawing, name, LABEL - 10, 7, {size: 10, colour: colours.quiet, align: "right"});
    const every = cell >= 12 ? 4 : cell >= 6 ? 8 : 32;
    for (let column = view.left; column < view.end; column += every) {
      words(
          drawing, String(column), LABEL + (column - view.left + 0.5) * cell, 7,
          {size: 10, colour: colours.quiet, align: "center"});
    }
  }

  drawRowLabel({drawing, view, cell, row}, line, n) {
    const y = TOP + n * row;
    const isGap = n > 0 && view.rows[n - 1] !== line - 1;
    if (isGap) box(drawing, LABEL - 4, y - 1, (view.end - view.left) * cell + 8, 1, colours.quiet);
    const every = row >= 10 ? 1 : row >= 6 ? 2 : 4;
    if (n % every === 0 || (isGap && every === 1)) {
      const label = this.isShared ? `word ${line * BANKS}` : `row ${line}`;
      words(drawing, label, LABEL - 6, y + row / 2, {size: 10, colour: colours.quiet, align: "right"});
    }
  }

  // Cells that were accessed earlier are tinted, with a dot for a store and a dash for a load; other cells are empty.
  // All cells of one kind are filled at once: a page has thousands, and a step must not take longer than a frame.
  drawQuietCells({drawing, view, cell, row, number}) {
    const paths = {"idle": new Path2D(), "was-load": new Path2D(), "was-store": new Path2D(), "quiet": new Path2D()};
    const gap = cell > 4 && row > 4 ? 1 : 0;
    const end = this.array.bytes + (this.isShared ? this.array.begin_in_line : 0);
    view.rows.forEach((line, n) => {
      const y = TOP + n * row;
      for (let column = view.left; column < view.end; ++column) {
        const of = line * this.columns + column;
        if (of * this.element >= end) break;
        const x = LABEL + (column - view.left) * cell;
        const state = this.stateOf(of, number);
        paths[state].rect(x, y, cell - gap, row - gap);
        if (cell < 9 || row < 6 || state === "idle") continue;
        const [width, height] = state === "was-load" ? [6, 1] : [3, 3];
        paths.quiet.rect(x + (cell - gap - width) / 2, y + (row - gap - height) / 2, width, height);
      }
    });
    for (const [name, path] of Object.entries(paths)) {
      drawing.fillStyle = colours[name];
      drawing.fill(path);
    }
  }

  stateOf(cell, number) {
    const {array} = this;
    const begin = cell * WORD_BYTES - array.begin_in_line;
    const touch = array.first.get(this.isShared ? Math.floor(begin / array.element_bytes) : cell);
    if (touch && touch.store <= number) return "was-store";
    return touch && touch.load <= number ? "was-load" : "idle";
  }

  drawLitCells({drawing, view, cell, row, step}, cells, lanesOfWavefront) {
    const conflicts = this.isShared ? conflictingCells(step, cells) : new Set();
    const gap = cell > 4 && row > 4 ? 1 : 0;
    const rowOf = new Map(view.rows.map((line, n) => [line, n]));
    for (const [of, lanes] of cells) {
      const [n, column] = [rowOf.get(Math.floor(of / this.columns)), of % this.columns];
      if (n === undefined || column < view.left || column >= view.end) continue;
      const [x, y] = [LABEL + (column - view.left) * cell, TOP + n * row];
      const inWavefront = !lanesOfWavefront || lanes.some((lane) => lanesOfWavefront.has(lane));
      const fill = conflicts.has(of) ? colours.conflict : operationColour(step.access.operation);
      const frame = cell > 5 ? colours.ink : null;
      faded(drawing, inWavefront ? 1 : 0.3, () => box(drawing, x, y, cell - gap, row - gap, fill, frame));
      if (cell < 13 || row < 9 || !inWavefront) continue;
      const text = lanes.length === 1 ? String(lanes[0]) : `×${lanes.length}`;
      const style = {size: Math.min(10, row - 1), align: "center", bold: true, colour: "#1f2328"};
      words(drawing, text, x + (cell - gap) / 2, y + row / 2, style);
    }
  }

  // Frames around the transferred sectors, with the bytes that were not requested hatched.
  drawSectors({drawing, view, cell, row}, cells) {
    const begin = this.array.begin_in_line;
    const sectors = new Set();
    for (const of of cells.keys()) sectors.add(Math.floor((begin + of * this.element) / SECTOR_BYTES));
    const rowPlace = new Map(view.rows.map((line, n) => [line, TOP + n * row]));
    for (const sector of sectors) {
      const first = Math.max(0, Math.ceil((sector * SECTOR_BYTES - begin) / this.element));
      const end = Math.ceil(((sector + 1) * SECTOR_BYTES - begin) / this.element);
      for (let from = first; from < end;) {
        const line = Math.floor(from / this.columns);
        const to = Math.min(end, (line + 1) * this.columns);
        const y = rowPlace.get(line);
        const [left, right] =
            [Math.max(from - line * this.columns, view.left), Math.min(to - line * this.columns, view.end)];
        if (y !== undefined && left < right) this.drawSector(drawing, {y, left, right, line, view, cell, row}, cells);
        from = to;
      }
    }
  }

  drawSector(drawing, {y, left, right, line, view, cell, row}, cells) {
    for (let column = left; column < right;) {
      let end = column;
      while (end < right && !cells.has(line * this.columns + end)) ++end;
      if (end > column)
        hatch(drawing, LABEL + (column - view.left) * cell, y, (end - column) * cell - 1, row - 1, colours.quiet);
      column = end + 1;
    }
    box(drawing, LABEL + (left - view.left) * cell - 1, y - 1, (right - left) * cell + 1, row + 1, null, colours.ink,
        2);
  }

  cellAt(x, y) { return [Math.floor((x - LABEL) / this.cell), Math.floor((y - TOP) / this.row)]; }

  placeOf([column, row]) {
    const {view, cell} = this;
    const exists = column >= 0 && row >= 0 && view.left + column < view.end && row < view.rows.length;
    return exists ? [LABEL + column * cell, TOP + row * this.row, cell, this.row] : null;
  }

  litCell() {
    const first = this.cells.keys().next().value || 0;
    const row = this.view.rows.indexOf(Math.floor(first / this.columns));
    return [Math.max(0, (first % this.columns) - this.view.left), Math.max(0, row)];
  }

  describe([column, row]) {
    const {array, model, view, shownStep} = this;
    const [x, y] = [view.left + column, view.rows[row]];
    const begin = (y * this.columns + x) * this.element - (this.isShared ? array.begin_in_line : 0);
    const found = model.lastRequest(
        shownStep, (step, _, offset) => step.array === this.number && offset < begin + this.element &&
                                        offset + step.access.bytes_per_lane > begin);
    const shape = this.isShared ? `word ${y * BANKS + x}` :
        array.has_rows          ? `row ${y}, column ${x}` :
                                  `element ${y * this.columns + x}`;
    const access = found && `${found.step.access.operation} by ${threadsWords(model, found.step.warp, found.lanes)}`;
    return [
      `${array.shown_name}: ${shape}`, addressWords(array, begin, this.element),
      found ? `${whenWords(found, shownStep)}: ${access}` : "not accessed up to this step"
    ];
  }

  drawMarked({drawing, view, cell, row}, marked) {
    for (const offset of marked) {
      const of = Math.floor((offset + (this.isShared ? this.array.begin_in_line : 0)) / this.element);
      const n = view.rows.indexOf(Math.floor(of / this.columns));
      const column = of % this.columns;
      if (n < 0 || column < view.left || column >= view.end) continue;
      const [x, y] = [LABEL + (column - view.left) * cell, TOP + n * row];
      box(drawing, x - 3, y - 3, cell + 5, row + 5, null, colours.conflict, 3);
    }
  }
}

// Arranges arrays in as many columns as give the largest cells. lowest: the lowest row, in CSS pixels.
function arrange(panel, views, height, lowest) {
  const [gap, frame, head] = [6, 20, 17 + TOP + 8];
  const width = panel.clientWidth;
  let best = {score: -1};
  for (let across = 1; across <= Math.min(3, views.length); ++across) {
    const room = (width - gap * (across - 1)) / across - frame - LABEL;
    let [lines, rows] = [0, 0];
    for (let n = 0; n < views.length; n += across) {
      ++lines;
      rows += Math.max(...views.slice(n, n + across).map((view) => view.rows));
    }
    const row = Math.max(1, Math.min(18, Math.floor((height - lines * (head + gap)) / rows)));
    const cells = views.map((view) => Math.max(1, Math.min(22, Math.floor(room / view.width))));
    // Low or narrow cells are hard to read, however large their area is.
    const scores = cells.map((cell) => Math.min(cell, 2.2 * row) * Math.min(row, 1.5 * cell) * Math.min(cell, row));
    const score = Math.min(...scores);
    if (score > best.score) best = {score, across, row, cells};
  }
  panel.style.gridTemplateColumns = `repeat(${best.across}, minmax(0, 1fr))`;
  views.forEach((view, n) => {
    view.cell = best.cells[n];
    view.row = Math.max(lowest, Math.min(best.row, 2 * view.cell));
  });
}

// The cells of a request that are in the same bank as another cell of it.
function conflictingCells(step, cells) {
  const found = new Set();
  if (step.kind !== "request" || step.units <= step.ideal) return found;
  const byBank = new Map();
  for (const cell of cells.keys()) {
    const bank = cell % BANKS;
    byBank.set(bank, [...(byBank.get(bank) || []), cell]);
  }
  for (const of of byBank.values())
    if (of.length > 1) of.forEach((cell) => found.add(cell));
  return found;
}
