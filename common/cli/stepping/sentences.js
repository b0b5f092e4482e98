// What happens at a step, in words.

const count = (number, what, plural) => `${number.toLocaleString("en")} ${number === 1 ? what : plural || what + "s"}`;
const baseName = (file) => file.slice(file.lastIndexOf("/") + 1);
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
  const verb = VERBS[step.access.operation] || "uses";
  const what = `Warp ${step.warp} ${verb} ${array.shown_name}: ${laneWords(lanes)}, ${each} each. `;
  const dark = lanes.length < WARP_SIZE ? " The other lanes are dark: they take no part." : "";
  const guess = step.approximate ? " Which lanes go together is a guess here." : "";
  return what + (isShared(step) ? passWords(step) : sectorWords(model, step, lanes)) + dark + guess;
}

function sectorWords(model, step, lanes) {
  const moved = `${count(step.units, "sector")} of 32 bytes ${step.units === 1 ? "moves" : "move"}`;
  if (step.units < step.ideal) return `${moved}: lanes share what they ask for.`;
  if (step.units === step.ideal)
    return `${moved}, the fewest that can hold ${step.units === 1 && lanes.length === 1 ? "it" : "them"}.`;
  if (step.access.operation === "atomic" && model.sectors(step).length < step.units) {
    const why = "as updates of one address come one after the other";
    return `${moved}, ${why}; ${step.ideal} would do for addresses side by side.`;
  }
  return `${moved}; ${step.ideal} would do if neighbouring lanes had neighbouring addresses.`;
}

function passWords(step) {
  if (step.units <= step.ideal) {
    return step.units === 1 ? "One pass through the 32 banks serves all." :
                              `${step.units} passes through the banks, the fewest for so many bytes.`;
  }
  const conflict = "Lanes want different words of one bank: a bank conflict.";
  return `${step.units} passes through the 32 banks, one after the other; ${step.ideal} would do. ${conflict}`;
}

const MEETINGS = {
  synchronise: "wait for each other (__syncwarp)",
  shuffle: "exchange values (a shuffle): each gets a register of the lane whose number is in its cell, without memory",
  ballot: "vote: each learns which lanes say yes",
  match: "compare values: each learns which lanes have the same",
  reduce: "combine their values into one",
  active_mask: "ask which lanes are active",
};

function stepWords(model, number) {
  const step = model.steps[number];
  if (step.kind === "request") return requestWords(model, step);
  if (step.kind === "barrier") {
    const threads = count(step.threads, "thread");
    const after = "All may go on, and see what the others wrote.";
    return `Barrier: ${threads} of the block have arrived here, each warp as it got done. ${after}`;
  }
  if (step.kind === "part") {
    const ways = step.ways.map((way) => laneWords(lanesOfMask(way)));
    const after = "The ways run one after the other; lanes that are not on it are dark.";
    return `The lanes of warp ${step.warp} part. One way: ${ways.join("; another: ")}. ${after}`;
  }
  return `Warp ${step.warp}: ${laneWords(lanesOfMask(step.lanes))} ${MEETINGS[step.operation] || "meet"}.`;
}

function phaseWords(phase, barriers) {
  if (barriers === 0) return "";
  if (phase === 0) return " · before the first barrier";
  return phase === barriers ? " · after the last barrier" : ` · after barrier ${phase} of ${barriers}`;
}

// Above the sentence: where in the run this is.
function positionWords(model, number) {
  const [step, steps] = [(number + 1).toLocaleString("en"), model.steps.length.toLocaleString("en")];
  const phase = phaseWords(model.phaseOf[number], model.phases.length - 1);
  return `Step ${step} of ${steps} · ${placeWords(placeOf(model.steps[number]))}${phase}`;
}
