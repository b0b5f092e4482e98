// Drawing on a canvas with the size of its element, in the screen's pixels.

const COLOUR_NAMES = [
  "ink", "quiet", "faint", "paper", "load", "store", "atomic", "meet", "conflict", "idle", "dark", "was-load",
  "was-store"
];
const colours = {};

// Reads the colours from the style sheet, which has light and dark ones.
function readColours() {
  const style = getComputedStyle(document.documentElement);
  for (const name of COLOUR_NAMES) colours[name] = style.getPropertyValue(`--${name}`).trim();
}

const operationColour = (operation) => colours[operation === "copy" ? "store" : operation] || colours.store;

// Widths and heights of elements, in CSS pixels, since the window last changed its size. Reading them at each step
// would make the browser lay out the page during the step.
let sizes = new Map();

function forgetSizes() { sizes = new Map(); }

function sizeOf(element) {
  const known = sizes.get(element);
  if (known) return known;
  const size = {width: element.clientWidth, height: element.clientHeight};
  if (size.width > 0) sizes.set(element, size);
  return size;
}

// Gives an element the height of this text, the longest one that it will show, so that a step does not change it.
function reserveFor(element, text) {
  element.style.height = element.style.minHeight = "";
  element.textContent = text;
  element.style.height = `${element.offsetHeight}px`;
}

// Returns an empty drawing of this size, in CSS pixels.
function beginDrawing(canvas, width, height) {
  const zoom = window.devicePixelRatio || 1;
  const [w, h] = [Math.round(width * zoom), Math.round(height * zoom)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const drawing = canvas.getContext("2d");
  drawing.setTransform(zoom, 0, 0, zoom, 0, 0);
  drawing.clearRect(0, 0, width, height);
  drawing.textBaseline = "middle";
  drawing.workbookFont = "";
  return drawing;
}

function box(drawing, x, y, width, height, fill, stroke, lineWidth = 1) {
  if (fill) {
    drawing.fillStyle = fill;
    drawing.fillRect(x, y, width, height);
  }
  if (stroke) {
    drawing.strokeStyle = stroke;
    drawing.lineWidth = lineWidth;
    drawing.strokeRect(x + lineWidth / 2, y + lineWidth / 2, width - lineWidth, height - lineWidth);
  }
}

function words(drawing, text, x, y, {size = 11, colour = colours.ink, align = "left", bold = false} = {}) {
  const font = `${bold ? "bold " : ""}${size}px ${FONT}`;
  if (drawing.workbookFont !== font) drawing.font = drawing.workbookFont = font;  // setting the font is slow
  drawing.fillStyle = colour;
  drawing.textAlign = align;
  drawing.fillText(text, x, y);
}

// The numbers of 32 lanes or banks, above their cells.
function axis(drawing, name, left, cell) {
  words(drawing, name, left - 6, 8, {size: 10, colour: colours.quiet, align: "right"});
  for (const n of [0, 8, 16, 24, 31])
    words(drawing, String(n), left + (n + 0.5) * cell, 8, {size: 10, colour: colours.quiet, align: "center"});
}

// Stripes, which are visible without colour.
function hatch(drawing, x, y, width, height, colour) {
  drawing.save();
  drawing.beginPath();
  drawing.rect(x, y, width, height);
  drawing.clip();
  drawing.strokeStyle = colour;
  drawing.lineWidth = 1;
  drawing.beginPath();
  for (let at = x - height; at < x + width; at += 4) {
    drawing.moveTo(at, y + height);
    drawing.lineTo(at + height, y);
  }
  drawing.stroke();
  drawing.restore();
}

function faded(drawing, share, draw) {
  drawing.globalAlpha = share;
  draw();
  drawing.globalAlpha = 1;
}

const FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif";
