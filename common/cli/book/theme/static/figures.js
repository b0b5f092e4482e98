// Figures with sliders. figures.py writes their first sentence into the page; without this script only that is there.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const rect = (x, y, width, height, kind) =>
    `<rect class="${kind}" x="${x}" y="${y}" width="${width}" height="${height}"/>`;
  const text = (x, y, words, kind = "") => `<text class="${kind}" x="${x}" y="${y}">${words}</text>`;
  const key = (x, kind, words) => rect(x, 1, 12, 10, kind) + text(x + 17, 10, words);
  const times = (count, draw) => [...Array(count).keys()].map(draw).join("");
  const counted = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

  // inputs: name, label, least, most, step, first value. draw: the picture, 336 wide, and the sentence below it.
  const figures = {
    sectors: {
      about: "Each cell is a float, and eight cells are a sector. The number is the thread that reads the float.",
      inputs: [["stride", "Stride (floats)", 1, 8, 1, 1], ["offset", "Offset (floats)", 0, 8, 1, 0]],
      height: 306,
      draw({ stride, offset }) {
        const found = workbookFigures.sectors(stride, offset);
        const cells = times(17 * 16, (element) => {
          const [x, y] = [(element % 16) * 20.5 + (element % 16 > 7 ? 8 : 0), 19 + 17 * Math.floor(element / 16)];
          const lane = found.elements.indexOf(element);
          if (lane >= 0) return rect(x, y, 19.5, 14, "read") + text(x + 9.75, y + 11, lane, "on");
          return rect(x, y, 19.5, 14, found.touched.includes(Math.floor(element / 8)) ? "wasted" : "free");
        });
        return [
          key(0, "read", "read") + key(60, "wasted", "transferred, not used") +
            key(215, "free", "not transferred") + cells,
          `Thread i reads element ${stride === 1 ? "" : `${stride} * `}i${offset ? ` + ${offset}` : ""}: ` +
            `${found.touched.length} sectors, ${found.used} of ${found.transferred} bytes used.`,
        ];
      },
    },
    banks: {
      about: "A tile of 32 rows. A warp reads its first column. Below: how many lanes each bank serves.",
      inputs: [["padding", "Padding (columns)", 0, 4, 1, 1]],
      height: 274,
      draw({ padding }) {
        const width = 32 + padding;
        const { lanesOf, used, wavefronts } = workbookFigures.banks(width);
        const cells = times(32 * width, (n) => {
          const [row, column] = [Math.floor(n / width), n % width];
          const [x, y] = [column * 9.3, 18 + row * 7];
          const kind = column === 0 ? "read" : column < 32 ? "wasted" : "free";
          return rect(x, y, 8.3, 6, kind) + (n % 32 === 0 ? rect(x + 1.5, y + 1, 5.3, 4, "bank") : "");
        });
        const served = times(32, (bank) => {
          const count = lanesOf[bank];
          const kind = count > 1 ? "conflict" : count ? "good" : "free";
          return rect(bank * 9.3, 256, 8.3, 16, kind) + text(bank * 9.3 + 4.1, 267, count || "", "on small");
        });
        return [
          key(0, "read", "read") + key(60, "bank", "in bank 0") + key(150, "free", "padding") + cells + served,
          `tile[32][${width}]: the 32 lanes use ${counted(used, "bank")}, so the request takes ` +
            `${counted(wavefronts, "wavefront")}: ${wavefronts > 1 ? `a ${wavefronts}-way` : "no"} bank conflict.`,
        ];
      },
    },
    occupancy: {
      about: "The 64 slots for warps of an SM (H200). The number in a slot is the block of its warp.",
      inputs: [
        ["threads", "Block size (threads)", 32, 1024, 32, 256],
        ["registers", "Registers per thread", 8, 255, 1, 16],
        ["shared", "Shared memory per block (KiB)", 0, 227, 1, 0],
      ],
      height: 178,
      draw({ threads, registers, shared }) {
        const found = workbookFigures.occupancy(threads, registers, 1024 * shared);
        const each = Math.ceil(threads / 32);
        const places = times(64, (warp) => {
          const [x, y] = [(warp % 16) * 21, 2 + 19 * Math.floor(warp / 16)];
          const block = Math.floor(warp / each);
          if (warp >= found.warps) return rect(x, y, 19.5, 16, "free");
          return rect(x, y, 19.5, 16, block % 2 ? "other" : "read") + text(x + 9.75, y + 12, block, "on");
        });
        const limits = found.limits.map(({ name, blocks, share }, number) => {
          const [y, limiting] = [100 + 21 * number, found.by.includes(name)];
          return text(0, y + 11, name, limiting ? "strong" : "") + rect(92, y, 150, 14, "free") +
            rect(92, y, 150 * share, 14, limiting ? "conflict" : "good") +
            text(250, y + 11, `${counted(blocks, "block")}${limiting ? ", limit" : ""}`, limiting ? "strong" : "");
        });
        const reason = found.by.join(" and ");
        return [
          places + text(92, 94, "in use", "small") + text(250, 94, "has room for", "small") + limits.join(""),
          found.blocks === 0
            ? "A block needs more registers than an SM has, so the launch fails: 0 of 64 warps, 0\u00a0%."
            : `${counted(found.blocks, "block")} of ${counted(each, "warp")}: ${found.warps} of 64 warps, ` +
              `${Number(((100 * found.warps) / 64).toFixed(1))}\u00a0%. Limit: ${reason}.`,
        ];
      },
    },
  };

  function setUp(figure) {
    const { about, inputs, height, draw } = figures[figure.dataset.figure];
    const says = figure.querySelector("figcaption");
    const sliders = inputs.map(([name, label, least, most, step, first]) =>
      `<label><span>${label}: <output></output></span>` +
      `<input type="range" aria-label="${label}" name="${name}" min="${least}" max="${most}" step="${step}" ` +
      `value="${first}"></label>`);
    says.insertAdjacentHTML("beforebegin", `<p>${about}</p><form>${sliders.join("")}</form>` +
      `<svg viewBox="0 0 336 ${height}" role="img" aria-label="${about}"></svg>`);
    says.setAttribute("aria-live", "polite");
    const refresh = () => {
      const values = {};
      for (const input of figure.querySelectorAll("input")) {
        values[input.name] = Number(input.value);
        input.previousElementSibling.querySelector("output").textContent = input.value;
      }
      [figure.querySelector("svg").innerHTML, says.textContent] = draw(values);
    };
    figure.addEventListener("input", refresh);
    // The keys that move a slider do not turn the page.
    figure.addEventListener("keydown", (event) => event.stopPropagation());
    refresh();
  }

  document.querySelectorAll("[data-figure]").forEach(setUp);
});
