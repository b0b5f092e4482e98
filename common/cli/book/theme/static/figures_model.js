// The rules behind the book's figures. A test compares them with the simulator's counts and with a GPU's.
"use strict";

const workbookFigures = (() => {
  const lanes = [...Array(32).keys()];
  const roundUp = (value, unit) => Math.ceil(value / unit) * unit;

  // A warp reads floats: lane i reads element stride * i + offset of an array that starts at a sector's start.
  function sectors(stride, offset) {
    const elements = lanes.map((lane) => stride * lane + offset);
    const touched = [...new Set(elements.map((element) => Math.floor(element / 8)))];
    return { elements, touched, transferred: 32 * touched.length, used: 4 * new Set(elements).size };
  }

  // A warp reads one column of floats in shared memory: lane r reads row r. `width` is the number of floats per row.
  function banks(width) {
    const lanesOf = Array(32).fill(0);
    for (const row of lanes) lanesOf[(width * row) % 32] += 1;
    return { lanesOf, used: lanesOf.filter((count) => count > 0).length, wavefronts: Math.max(...lanesOf) };
  }

  // The blocks that an SM of compute capability 9.0 can hold at the same time. limits: how many of them each resource
  // permits, and the share of the resource that they use. Registers are allocated to warps, 256 at a time, and each
  // quarter of the SM has its own. CUDA itself uses 1 KiB of shared memory per block.
  function occupancy(threads, registers, sharedBytes) {
    const warps = Math.ceil(threads / 32);
    const ofWarp = roundUp(32 * registers, 256);
    const warpsWithRegisters = 4 * Math.floor(65536 / 4 / ofWarp);
    const ofBlock = roundUp(sharedBytes + 1024, 128);
    const limits = [
      { name: "warps", blocks: Math.floor(64 / warps), total: 64, each: warps },
      { name: "blocks", blocks: 32, total: 32, each: 1 },
      { name: "registers", blocks: Math.floor(warpsWithRegisters / warps), total: 65536, each: ofWarp * warps },
      { name: "shared memory", blocks: Math.floor(233472 / ofBlock), total: 233472, each: ofBlock },
    ];
    const blocks = Math.min(...limits.map((limit) => limit.blocks));
    for (const limit of limits) limit.share = (blocks * limit.each) / limit.total;
    const by = limits.filter((limit) => limit.blocks === blocks).map((limit) => limit.name);
    return { blocks, warps: blocks * warps, limits, by };
  }

  return { sectors, banks, occupancy };
})();

if (typeof module !== "undefined") module.exports = workbookFigures;
