// An array that the block accesses: global memory as a matrix with sectors, shared memory as words in 32 banks.

const MOST_ROWS = 34;
const MOST_COLUMNS = 64;
const LABEL = 58;

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
    figure.querySelector("figcaption").textContent = this.title();
  }

  title() {
    const {array} = this;
    const size = `${array.bytes.toLocaleString("en")} bytes`;
    if (this.isShared) {
      return `${array.shown_name}: shared memory of the block, ${
          size}. Columns are the 32 banks; cells are words of 4 bytes.`;
    }
    const rows = Math.ceil(array.bytes / array.element_bytes / this.columns);
    const known = `${rows} rows of ${this.columns} elements`;
    const shape = array.has_rows ? known : `cut into rows of ${this.columns} for display`;
    const cells = `Cells are elements of ${array.element_bytes} bytes.`;
    return `${array.shown_name}: ${array.memory} memory, ${size}, ${shape}. ${cells}`;
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
  view(cells) {
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

  shownColumns(left, right) {
    if (this.isShared) return {left: 0, end: BANKS};
    const perSector = Math.max(1, Math.floor(SECTOR_BYTES / this.element));
    const [begin, end] = [
      Math.floor(this.array.left / perSector) * perSector, Math.ceil((this.array.right + 1) / perSector) * perSector
    ];
    if (end - begin <= MOST_COLUMNS) return {left: begin, end: Math.min(end, this.columns)};
    const page = begin + Math.floor((left - begin) / 32) * 32;
    const start = right < page + MOST_COLUMNS ? page : Math.floor(left / perSector) * perSector;
    return {
      left: start,
      end: Math.min(this.columns, Math.max(start + MOST_COLUMNS, Math.min(right + 1, start + 4 * MOST_COLUMNS)))
    };
  }

  draw(number, lanesOfWavefront, marked) {
    const step = this.model.steps[number];
    const cells = this.cellsOf(step);
    const isCurrent = step.kind === "request" && step.array === this.number;
    this.figure.classList.toggle("current", isCurrent);
    const view = this.view(cells);
    const columns = view.end - view.left;
    const room = Math.max(230, Math.min(sizeOf(this.figure).width - 24, 720));
    const cell = Math.max(3, Math.min(20, Math.floor((room - LABEL) / columns)));
    const height = Math.min(this.touched.length, MOST_ROWS) * Math.max(cell, 8) + 20;
    const drawing = beginDrawing(this.canvas, LABEL + columns * cell + 2, height);
    const at = {drawing, view, cell, row: Math.max(cell, 8), step, number};
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
    const verb = outside === 1 ? "is" : "are";
    const words = outside ? `${count(outside, "cell")} of this request ${verb} outside of the shown part.` : "";
    this.figure.querySelector(".outside").textContent = words;
    const name = this.array.shown_name;
    const lit = `Highlighted in ${name}: ${count(cells.size, "cell")}.`;
    this.canvas.setAttribute("aria-label", isCurrent ? lit : `${name}: not accessed at this step.`);
  }

  drawFrame({drawing, view, cell}) {
    const name = this.isShared ? "bank" : "column";
    words(drawing, name, LABEL - 6, 8, {size: 10, colour: colours.quiet, align: "right"});
    const every = cell >= 12 ? 4 : cell >= 6 ? 8 : 32;
    for (let column = view.left; column < view.end; column += every) {
      words(
          drawing, String(column), LABEL + (column - view.left + 0.5) * cell, 8,
          {size: 10, colour: colours.quiet, align: "center"});
    }
  }

  drawRowLabel({drawing, view, cell, row}, line, n) {
    const y = 18 + n * row;
    const isGap = n > 0 && view.rows[n - 1] !== line - 1;
    if (isGap) box(drawing, LABEL - 4, y - 1, (view.end - view.left) * cell + 8, 1, colours.quiet);
    if (row >= 11 || n % 4 === 0 || isGap) {
      const label = this.isShared ? `word ${line * BANKS}` : `row ${line}`;
      words(drawing, label, LABEL - 6, y + row / 2, {size: Math.min(10, row), colour: colours.quiet, align: "right"});
    }
  }

  // Cells that were accessed earlier are tinted, with a dot for a store and a dash for a load; other cells are empty.
  // All cells of one kind are filled at once: a page has thousands, and a step must not take longer than a frame.
  drawQuietCells({drawing, view, cell, row, number}) {
    const paths = {"idle": new Path2D(), "was-load": new Path2D(), "was-store": new Path2D(), "quiet": new Path2D()};
    const gap = cell > 4 ? 1 : 0;
    const end = this.array.bytes + (this.isShared ? this.array.begin_in_line : 0);
    view.rows.forEach((line, n) => {
      const y = 18 + n * row;
      for (let column = view.left; column < view.end; ++column) {
        const of = line * this.columns + column;
        if (of * this.element >= end) break;
        const x = LABEL + (column - view.left) * cell;
        const state = this.stateOf(of, number);
        paths[state].rect(x, y, cell - gap, row - gap);
        if (cell < 9 || state === "idle") continue;
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
    const gap = cell > 4 ? 1 : 0;
    const rowOf = new Map(view.rows.map((line, n) => [line, n]));
    for (const [of, lanes] of cells) {
      const [n, column] = [rowOf.get(Math.floor(of / this.columns)), of % this.columns];
      if (n === undefined || column < view.left || column >= view.end) continue;
      const [x, y] = [LABEL + (column - view.left) * cell, 18 + n * row];
      const inWavefront = !lanesOfWavefront || lanes.some((lane) => lanesOfWavefront.has(lane));
      const fill = conflicts.has(of) ? colours.conflict : operationColour(step.access.operation);
      const frame = cell > 5 ? colours.ink : null;
      faded(drawing, inWavefront ? 1 : 0.3, () => box(drawing, x, y, cell - gap, row - gap, fill, frame));
      if (cell < 13 || !inWavefront) continue;
      const text = lanes.length === 1 ? String(lanes[0]) : `×${lanes.length}`;
      const style = {size: 10, align: "center", bold: true, colour: "#1f2328"};
      words(drawing, text, x + (cell - gap) / 2, y + row / 2, style);
    }
  }

  // Frames around the transferred sectors, with the bytes that were not requested hatched.
  drawSectors({drawing, view, cell, row}, cells) {
    const begin = this.array.begin_in_line;
    const sectors = new Set();
    for (const of of cells.keys()) sectors.add(Math.floor((begin + of * this.element) / SECTOR_BYTES));
    const rowPlace = new Map(view.rows.map((line, n) => [line, 18 + n * row]));
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

  drawMarked({drawing, view, cell, row}, marked) {
    for (const offset of marked) {
      const of = Math.floor((offset + (this.isShared ? this.array.begin_in_line : 0)) / this.element);
      const n = view.rows.indexOf(Math.floor(of / this.columns));
      const column = of % this.columns;
      if (n < 0 || column < view.left || column >= view.end) continue;
      box(drawing, LABEL + (column - view.left) * cell - 3, 18 + n * row - 3, cell + 5, row + 5, null, colours.conflict,
          3);
    }
  }
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
