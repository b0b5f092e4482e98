// A banner for one of the errors that were found, and the replay of its accesses.

const threadWords = (place) => `thread (${place.thread.join(", ")}) of block (${place.block.join(", ")})`;

class FindingsView {
  // onShow(finding, place) goes to an access of an error.
  constructor(root, run, onShow) {
    this.root = root;
    this.run = run;
    this.onShow = onShow;
    this.part = (name) => root.querySelector(name);
    root.hidden = run.findings.length === 0;
    this.part(".next-error").hidden = run.findings.length < 2;
    this.part(".next-error").addEventListener("click", () => onShow((this.number + 1) % run.findings.length, 0));
    if (run.findings.length) this.show(0, null, run.findings[0].message);
  }

  // place: the shown access, or null; explanation: all that is known of the error.
  show(number, place, explanation) {
    const finding = this.run.findings[number];
    this.number = number;
    const heading = document.createElement("b");
    const often = finding.count > 1 ? `, ${finding.count.toLocaleString("en")} times` : "";
    const which = this.run.findings.length > 1 ? ` (${number + 1} of ${this.run.findings.length})` : "";
    heading.textContent = finding.heading + (finding.kernel ? ` in ${finding.kernel}` : "") + often + which;
    this.part(".found").replaceChildren(heading, finding.message);
    this.part(".found").title = finding.message;
    const isStep = ({thread}, n) => n === 0 || thread.length > 0;
    this.part(".places").replaceChildren(...finding.places.filter(isStep).map((of, n) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = `${n + 1}: ${of.operation}${of.line ? `, line ${of.line}` : ""}`;
      button.setAttribute("aria-pressed", String(n === place));
      button.addEventListener("click", () => this.onShow(number, n));
      return button;
    }));
    this.part(".replay p").textContent = explanation;
    this.part(".stop-replay").disabled = place === null;
  }
}

// The recorded steps of a finding's places: {kernel, block, thread, step, offset} for each place, or null. offset: the
// byte of the array.
function locateFinding(run, models, finding) {
  const kernel = run.kernels.findIndex((candidate) => candidate.name === finding.kernel && candidate.blocks.length);
  if (kernel < 0) return null;
  const blockOf = (place) => run.kernels[kernel].blocks.findIndex(
      (block) => place.block.length && block.block.every((n, axis) => n === place.block[axis]));
  const blocks = finding.places.map(blockOf);
  const spots = finding.places.map((place, n) => {
    if (blocks[n] < 0 || !place.thread.length) return null;
    const model = models(kernel, blocks[n]);
    const steps = model.stepsOf(place);
    const thread = model.threadNumber(place.thread);
    return {
      kernel,
      block: blocks[n],
      thread,
      step: steps.length ? steps[0].number : null,
      offset: steps.length ? steps[0].offset : null
    };
  });
  const [one, other] = spots;
  if (one && other && one.block === other.block) {
    const pair = models(kernel, one.block).racingSteps(finding.places);
    if (pair) {
      const model = models(kernel, one.block);
      spots.slice(0, 2).forEach((spot, n) => {
        spot.step = pair[n];
        spot.offset = model.stepsOf(finding.places[n]).find((step) => step.number === pair[n]).offset;
      });
    }
  }
  return spots;
}

// The order of the two accesses in this run, if both are steps of one block.
function orderWords(spots) {
  const [one, other] = spots;
  const areSteps = one && other && one.step !== null && other.step !== null;
  if (!areSteps || one.block !== other.block || one.step === other.step) return "";
  const [first, second] = one.step < other.step ? [1, 2] : [2, 1];
  return ` In this run, access ${first} came first; on a GPU, access ${second} can come first.`;
}

// A sentence about the missing synchronisation between the two accesses of a race.
function missingWords(finding, spots) {
  const places = finding.places;
  if (finding.kind !== "race" || places.length < 2) return "";
  const words = (place, n) => `${n + 1}: ${threadWords(place)}, the ${place.operation} at ${placeWords(place)}`;
  const start = `Two threads access the same element. ${places.slice(0, 2).map(words).join("; ")}. `;
  if (String(places[0].block) !== String(places[1].block)) {
    const unordered = "They are in different blocks: no barrier can order them, and blocks run in any order. ";
    const advice = "Use atomic functions for both accesses, or move the second access to a launch of its own.";
    return start + unordered + advice;
  }
  const warpOf = (spot) => spot && Math.floor(spot.thread / WARP_SIZE);
  const same = spots[0] && spots[1] && warpOf(spots[0]) === warpOf(spots[1]);
  const barrier = `__syncthreads()${same ? " or, within this warp, __syncwarp()" : ""}`;
  const undefinedOrder = "Without it, neither thread waits for the other, so the order is not defined.";
  return `${start}A barrier between them is missing: ${barrier}. ${undefinedOrder}`;
}
