// The recorded block, prepared for fast access at every step. Offsets and sizes are in bytes.

const WARP_SIZE = 32;
const SECTOR_BYTES = 32;
const BANKS = 32;
const WORD_BYTES = 4;

// The report's lists (docs/simulator.md) as objects. A request's runs of lanes stay unchanged.
function decodeStep(raw, kernel) {
  if (typeof raw[0] === "number") {
    const [access, warp, array, units, ideal, approximate] = raw;
    return {
      kind: "request",
      access: kernel.accesses[access],
      warp,
      array,
      units,
      ideal,
      approximate,
      runs: raw.slice(6)
    };
  }
  const place = kernel.places[raw[1]];
  if (raw[0] === "barrier") return {kind: "barrier", place, threads: raw[2]};
  if (raw[0] === "part") return {kind: "part", place, warp: raw[2], ways: raw.slice(3)};
  return {kind: "meet", place, warp: raw[2], lanes: raw[3], operation: raw[4], sources: raw.slice(5)};
}

// Calls visit(lane, offset) for each active lane of a request.
function eachLane(step, visit) {
  for (let i = 0; i < step.runs.length; i += 4) {
    const [first, count, offset, stride] = [step.runs[i], step.runs[i + 1], step.runs[i + 2], step.runs[i + 3]];
    for (let n = 0; n < count; ++n) visit(first + n, offset + n * stride);
  }
}

function lanesOfMask(mask) {
  const lanes = [];
  for (let lane = 0; lane < WARP_SIZE; ++lane)
    if ((mask >>> lane) & 1) lanes.push(lane);
  return lanes;
}

// The lanes that are active at a step; empty for a barrier, at which all threads arrive.
function activeLanes(step) {
  const lanes = [];
  if (step.kind === "request") eachLane(step, (lane) => lanes.push(lane));
  if (step.kind === "part") step.ways.forEach((way) => lanes.push(...lanesOfMask(way)));
  if (step.kind === "meet") lanes.push(...lanesOfMask(step.lanes));
  return lanes.sort((a, b) => a - b);
}

function placeOf(step) { return step.kind === "request" ? step.access : step.place; }

const isShared = (step) => step.kind === "request" && step.access.memory === "shared";
const excessOf = (step) => (step.kind === "request" ? Math.max(0, step.units - step.ideal) : 0);
const product = (extent) => extent[0] * extent[1] * extent[2];

class BlockModel {
  constructor(kernel, block) {
    this.kernel = kernel;
    this.block = block;
    this.threads = product(kernel.block);
    this.warps = Math.ceil(this.threads / WARP_SIZE);
    this.steps = block.steps.map((raw) => decodeStep(raw, kernel));
    this.arrays =
        block.arrays.map((array) => ({...array, first: new Map(), rows: new Set(), left: Infinity, right: 0, span: 0}));
    this.stepsOfLine = new Map();
    this.phases = [{end: Infinity, last: new Int32Array(this.warps).fill(-1)}];
    this.phaseOf = [];
    this.steps.forEach((step, number) => this.learn(step, number));
  }

  learn(step, number) {
    const place = placeOf(step);
    const line = `${place.file}:${place.line}`;
    if (!this.stepsOfLine.has(line)) this.stepsOfLine.set(line, []);
    this.stepsOfLine.get(line).push(number);
    const phase = this.phases[this.phases.length - 1];
    this.phaseOf.push(this.phases.length - 1);
    if (step.kind === "barrier") {
      phase.end = number;
      this.phases.push({end: Infinity, last: new Int32Array(this.warps).fill(-1)});
      return;
    }
    phase.last[step.warp] = number;
    if (step.kind === "request") this.learnTouches(step, number);
  }

  learnTouches(step, number) {
    const array = this.arrays[step.array];
    const isLoad = step.access.operation === "load";
    let [first, last] = [Infinity, 0];
    this.eachElement(step, (element) => {
      const touch = array.first.get(element);
      if (!touch)
        array.first.set(element, {load: isLoad ? number : Infinity, store: isLoad ? Infinity : number});
      else if (isLoad)
        touch.load = Math.min(touch.load, number);
      else
        touch.store = Math.min(touch.store, number);
      const column = element % array.columns;
      array.rows.add((element - column) / array.columns);
      first = Math.min(first, column);
      last = Math.max(last, column);
    });
    array.left = Math.min(array.left, first);
    array.right = Math.max(array.right, last);
    array.span = Math.max(array.span, last + 1 - first);
  }

  // Calls visit(element, lane) for each element that a lane of a request accesses. Lanes that access a different array
  // than the first lane are not drawn.
  eachElement(step, visit) {
    const array = this.arrays[step.array];
    eachLane(step, (lane, offset) => {
      if (offset < 0 || offset >= array.bytes) return;
      const first = Math.floor(offset / array.element_bytes);
      const end = Math.ceil((offset + step.access.bytes_per_lane) / array.element_bytes);
      for (let element = first; element < end; ++element) visit(element, lane);
    });
  }

  // The sectors of a request, each with its used bytes as [from, to) within the sector.
  sectors(step) {
    const array = this.arrays[step.array];
    const used = new Map();
    eachLane(step, (lane, offset) => {
      let begin = offset + array.begin_in_line;
      const end = begin + step.access.bytes_per_lane;
      while (begin < end) {
        const sector = Math.floor(begin / SECTOR_BYTES);
        const to = Math.min(end, (sector + 1) * SECTOR_BYTES);
        if (!used.has(sector)) used.set(sector, []);
        used.get(sector).push([begin - sector * SECTOR_BYTES, to - sector * SECTOR_BYTES]);
        begin = to;
      }
    });
    return [...used].sort((a, b) => a[0] - b[0]);
  }

  // The wavefronts of a shared request, as lists [bank, lane, ...]. A single one is not recorded: it has all lanes.
  wavefronts(step, number) {
    const recorded = this.block.wavefront_lists[this.block.wavefront_list_of[number]];
    if (recorded) return recorded;
    const banks = new Map();
    const array = this.arrays[step.array];
    eachLane(step, (lane, offset) => {
      const first = Math.floor((offset + array.begin_in_line) / WORD_BYTES);
      const last = Math.floor((offset + array.begin_in_line + step.access.bytes_per_lane - 1) / WORD_BYTES);
      for (let word = first; word <= last; ++word) {
        const bank = ((word % BANKS) + BANKS) % BANKS;
        if (!banks.has(bank)) banks.set(bank, [bank]);
        banks.get(bank).push(lane);
      }
    });
    return [[...banks.values()]];
  }

  // The state of a warp after a step: "works", "waits" (at the next barrier) or "done".
  stateOfWarp(warp, number) {
    const phase = this.phases[this.phaseOf[number]];
    if (phase.last[warp] > number) return "works";
    return phase.end === Infinity ? "done" : "waits";
  }

  costliest() {
    let best = 0;
    this.steps.forEach((step, number) => {
      if (excessOf(step) > excessOf(this.steps[best])) best = number;
    });
    return best;
  }

  threadNumber(index) {
    const [x, y] = this.kernel.block;
    return index[0] + x * (index[1] + y * index[2]);
  }

  threadIndex(number) {
    const [x, y] = this.kernel.block;
    return [number % x, Math.floor(number / x) % y, Math.floor(number / x / y)];
  }

  // The last request up to a step with a lane that `accesses` these bytes of an array: {number, step, lanes, offset}.
  lastRequest(number, accesses) {
    for (let n = number; n >= 0; --n) {
      const step = this.steps[n];
      if (step.kind !== "request") continue;
      const found = {number: n, step, lanes: [], offset: 0};
      eachLane(step, (lane, offset) => {
        if (!accesses(step, lane, offset)) return;
        found.lanes.push(lane);
        found.offset = offset;
      });
      if (found.lanes.length) return found;
    }
    return null;
  }

  // The steps of a race within this block, one per place: the nearest two steps of the places' threads that access the
  // same byte with no barrier between them. Null if they were not recorded.
  racingSteps(places) {
    const [one, other] = places.map((place) => this.stepsOf(place));
    let best = null;
    for (const a of one) {
      for (const b of other) {
        if (a.number === b.number && one.length > 1) continue;
        const together = this.phaseOf[a.number] === this.phaseOf[b.number];
        const same = this.steps[a.number].array === this.steps[b.number].array;
        if (!together || !same || a.offset >= b.end || b.offset >= a.end) continue;
        const distance = Math.abs(a.number - b.number);
        if (!best || distance < best.distance) best = {distance, numbers: [a.number, b.number]};
      }
    }
    return best && best.numbers;
  }

  // The requests of a finding's thread at its place, with the bytes that the thread accessed.
  stepsOf(place) {
    const thread = this.threadNumber(place.thread);
    const found = [];
    for (const number of this.stepsOfLine.get(`${place.file}:${place.line}`) || []) {
      const step = this.steps[number];
      if (step.kind !== "request" || step.warp !== Math.floor(thread / WARP_SIZE)) continue;
      if (step.access.column !== place.column || step.access.operation !== place.operation) continue;
      eachLane(step, (lane, offset) => {
        if (lane !== thread % WARP_SIZE) return;
        found.push({number, offset, end: offset + step.access.bytes_per_lane});
      });
    }
    return found;
  }
}
