// Sentences that describe a step.

const count = (number, what, plural) => `${number.toLocaleString("en")} ${number === 1 ? what : plural || what + "s"}`;
const baseName = (file) => file.slice(file.lastIndexOf("/") + 1);
const enough = (number) => `${number} ${number === 1 ? "is" : "are"} enough`;
const placeWords = (place) => (place.file ? `${baseName(place.file)}:${place.line}` : "an unknown line");
const tuple = (index, extent) => {
  const used = extent[2] > 1 ? 3 : extent[1] > 1 ? 2 : 1;
  return used === 1 ? String(index[0]) : `(${index.slice(0, used).join(", ")})`;
};

// "0–15, 20"
function laneRanges(lanes) {
  const ranges = [];
  for (const lane of lanes) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] === lane - 1)
      last[1] = lane;
    else
      ranges.push([lane, lane]);
  }
  const words = ranges.slice(0, 4).map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
  return words.join(", ") + (ranges.length > 4 ? ", ..." : "");
}

const laneWords = (lanes) => {
  if (lanes.length === WARP_SIZE) return "all 32 lanes";
  return lanes.length === 1 ? `lane ${lanes[0]}` : `${lanes.length} lanes (${laneRanges(lanes)})`;
};

const VERBS = {
  load: "loads from",
  store: "stores to",
  atomic: "updates",
  copy: "copies to"
};

function requestWords(model, step) {
  const array = model.arrays[step.array];
  const lanes = activeLanes(step);
  const each = count(step.access.bytes_per_lane, "byte");
  const verb = VERBS[step.access.operation] || "accesses";
  const what = `Warp ${step.warp} ${verb} ${array.shown_name}: ${laneWords(lanes)}, ${each} each. `;
  const dark = lanes.length < WARP_SIZE ? " The other lanes are dark: they are inactive." : "";
  const guess = step.approximate ? " The simulator guessed which lanes belong together." : "";
  return what + (isShared(step) ? wavefrontWords(step) : sectorWords(model, step, lanes)) + dark + guess;
}

function sectorWords(model, step, lanes) {
  const moved = `${count(step.units, "sector")} of 32 bytes ${step.units === 1 ? "is" : "are"} transferred`;
  if (step.units === step.ideal) return `${moved}, the minimum for these bytes.`;
  if (step.access.operation === "atomic" && model.sectors(step).length < step.units) {
    const why = "because updates of the same address are serialised";
    return `${moved}, ${why}; ${enough(step.ideal)} for consecutive addresses.`;
  }
  return `${moved}; ${enough(step.ideal)} if the requested bytes are contiguous.`;
}

function wavefrontWords(step) {
  if (step.units <= step.ideal) {
    return step.units === 1 ? "One wavefront through the 32 banks serves all lanes." :
                              `${step.units} wavefronts through the banks, the minimum for these bytes.`;
  }
  const conflict = "Lanes need different words of the same bank: a bank conflict.";
  return `${step.units} wavefronts through the 32 banks, one after the other; ${enough(step.ideal)}. ${conflict}`;
}

const MEETINGS = {
  synchronise: "wait for each other (__syncwarp)",
  shuffle: "exchange register values (a shuffle): each cell shows the lane that its value comes from",
  ballot: "vote: each lane gets a mask of the lanes whose condition is true",
  match: "compare values: each lane gets a mask of the lanes with the same value",
  reduce: "combine their values into one",
  active_mask: "get a mask of the active lanes",
};

function stepWords(model, number) {
  const step = model.steps[number];
  if (step.kind === "request") return requestWords(model, step);
  if (step.kind === "barrier") {
    const threads = count(step.threads, "thread");
    const after = "Now they all continue, and see the values that the others have written.";
    return `Barrier: ${threads} of the block have arrived here. ${after}`;
  }
  if (step.kind === "part") {
    const ways = step.ways.map((way) => laneWords(lanesOfMask(way)));
    const after = "The warp executes the paths one after the other; lanes on another path are dark.";
    return `The lanes of warp ${step.warp} diverge. One path: ${ways.join("; another path: ")}. ${after}`;
  }
  const meeting = MEETINGS[step.operation] || "execute a warp function";
  return `Warp ${step.warp}: ${laneWords(lanesOfMask(step.lanes))} ${meeting}.`;
}

function longestStepWords(model) {
  let longest = "";
  model.steps.forEach((_, number) => {
    const text = stepWords(model, number);
    if (text.length > longest.length) longest = text;
  });
  return longest;
}

// "thread (5, 0), lane 5 of warp 0", or the lanes of several threads.
function threadsWords(model, warp, lanes) {
  if (lanes.length > 1) return `${laneWords(lanes)} of warp ${warp}`;
  const index = model.threadIndex(warp * WARP_SIZE + lanes[0]);
  return `thread ${tuple(index, model.kernel.block)}, lane ${lanes[0]} of warp ${warp}`;
}

// The position of bytes in their array, and their sector or bank.
function addressWords(array, begin, bytes) {
  const from = array.begin_in_line + begin;
  const unit = array.memory === "shared" ? `bank ${Math.floor(from / WORD_BYTES) % BANKS}` :
                                           `sector ${Math.floor(from / SECTOR_BYTES).toLocaleString("en")}`;
  const last = (begin + bytes - 1).toLocaleString("en");
  return `bytes ${begin.toLocaleString("en")} to ${last} of ${array.shown_name}, ${unit}`;
}

const whenWords = (found, number) =>
    `${found.number === number ? "this step" : `step ${(found.number + 1).toLocaleString("en")}`}, ${
        placeWords(found.step.access)}`;

function phaseWords(phase, barriers) {
  if (barriers === 0) return "";
  if (phase === 0) return " · before the first barrier";
  return phase === barriers ? " · after the last barrier" : ` · after barrier ${phase} of ${barriers}`;
}

// The line above the sentence: the position in the run.
function positionWords(model, number) {
  const [step, steps] = [(number + 1).toLocaleString("en"), model.steps.length.toLocaleString("en")];
  const phase = phaseWords(model.phaseOf[number], model.phases.length - 1);
  return `Step ${step} of ${steps} · ${placeWords(placeOf(model.steps[number]))}${phase}`;
}
