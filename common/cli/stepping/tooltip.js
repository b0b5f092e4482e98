// Explains one cell of a canvas: the one under the pointer, a tapped one, or one chosen with Shift and the arrow keys.

const MOVES = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};

class Tooltip {
  constructor() {
    this.box = document.getElementById("tip");
    this.frame = document.getElementById("tip-cell");
    this.shown = null;
    document.addEventListener("pointerdown", (event) => {
      if (event.target.tagName !== "CANVAS") this.hide();
    });
    const leave = (event) => this.shown && event.target.contains(this.shown.canvas) && this.hide();
    window.addEventListener("scroll", leave, {passive: true, capture: true});
  }

  // view has cellAt(x, y), a cell [column, row] or null; placeOf(cell), its [x, y, width, height] or null; litCell(),
  // the cell to start with; and describe(cell), lines of text.
  watch(canvas, view) {
    let isPointed = false;  // a press gives the focus too, but explains the pressed cell
    const show = (event) => {
      isPointed = isPointed || event.type === "pointerdown";
      this.show(canvas, view, view.cellAt(event.offsetX, event.offsetY));
    };
    canvas.tabIndex = 0;
    canvas.setAttribute("aria-description", "Shift and the arrow keys explain its cells.");
    canvas.addEventListener("pointerdown", show);
    canvas.addEventListener("pointermove", show);
    canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.hide();
    });
    canvas.addEventListener("focus", () => {
      if (!isPointed) this.show(canvas, view, view.litCell());
    });
    canvas.addEventListener("blur", () => {
      isPointed = false;
      this.hide();
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.hide();
      if (!event.shiftKey || !MOVES[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      const cell = this.shown && this.shown.view === view ? this.shown.cell : view.litCell();
      const next = [cell[0] + MOVES[event.key][0], cell[1] + MOVES[event.key][1]];
      if (view.placeOf(next)) this.show(canvas, view, next);
    });
  }

  show(canvas, view, cell) {
    const place = cell && view.placeOf(cell);
    if (!place) return this.hide();
    this.shown = {canvas, view, cell};
    this.box.textContent = view.describe(cell).join("\n");
    this.box.hidden = this.frame.hidden = false;
    const {left, top} = canvas.getBoundingClientRect();
    const [x, y, width, height] = place;
    this.frame.style.cssText =
        `left: ${left + x - 2}px; top: ${top + y - 2}px; width: ${width + 3}px; height: ${height + 3}px`;
    const [wide, high] = [this.box.offsetWidth, this.box.offsetHeight];
    const below = top + y + height + 8;
    const fits = below + high < window.innerHeight;
    this.box.style.left = `${Math.max(4, Math.min(left + x, document.documentElement.clientWidth - wide - 4))}px`;
    this.box.style.top = `${fits ? below : Math.max(4, top + y - high - 8)}px`;
  }

  // After a step, the same cell has another state.
  refresh() {
    if (this.shown) this.show(this.shown.canvas, this.shown.view, this.shown.cell);
  }

  hide() {
    this.shown = null;
    this.box.hidden = this.frame.hidden = true;
  }
}
