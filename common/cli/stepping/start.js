// Starts one stepper, or two next to each other, when the page is complete.

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  readColours();
  const place = document.getElementById("steppers");
  const template = document.getElementById("stepper");
  const tooltip = new Tooltip();
  document.body.classList.toggle("pair", data.runs.length > 1);
  const steppers = data.runs.map((run) => {
    const root = template.content.firstElementChild.cloneNode(true);
    place.append(root);
    return new Stepper(root, run, tooltip);
  });
  if (steppers.length === 1) steppers[0].root.querySelector(".head").append(document.querySelector(".help"));
  showNotes(data);
  listenToKeys(steppers);
  const redraw = () => {
    readColours();
    forgetSizes();
    steppers.forEach((stepper) => stepper.layOut());
    // Two programs are compared row by row, so their sentences have one height.
    const sentences = steppers.map((stepper) => stepper.part.sentence);
    const height = Math.max(...sentences.map((sentence) => sentence.offsetHeight));
    for (const sentence of sentences) sentence.style.minHeight = steppers.length > 1 ? `${height}px` : "";
    steppers.forEach((stepper) => stepper.draw());
  };
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  document.getElementById("needs").remove();
  document.getElementById("page").hidden = false;
  redraw();
}

function showNotes(data) {
  const list = document.getElementById("notes");
  for (const text of data.notes) {
    const note = document.createElement("li");
    note.textContent = text;
    list.append(note);
  }
  list.hidden = data.notes.length === 0;
}

function listenToKeys(steppers) {
  const linked = document.getElementById("linked");
  document.getElementById("linking").hidden = steppers.length < 2;
  const addressed = () => {
    if (linked.checked) return steppers;
    const focused = steppers.filter((stepper) => stepper.root.contains(document.activeElement));
    return focused.length ? focused : [steppers[0]];
  };
  // A program without a costly request goes to the same step as the program that has one.
  const leader = () => steppers.find((stepper) => stepper.hasCostly) || steppers[0];
  const acts = {
    ArrowRight: (stepper) => stepper.go(stepper.number + 1),
    ArrowLeft: (stepper) => stepper.go(stepper.number - 1),
    PageDown: (stepper) => stepper.go(stepper.number + 32),
    PageUp: (stepper) => stepper.go(stepper.number - 32),
    Home: (stepper) => stepper.go(0),
    End: (stepper) => stepper.go(stepper.lastNumber()),
    " ": (stepper) => stepper.togglePlay(),
    c: (stepper) => stepper.toCostliest(leader().number),
    b: (stepper) => stepper.toBarrier(),
    f: (stepper) => stepper.nextFinding(),
    p: (stepper) => stepper.nextWavefront(),
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const takesSpace = /^(BUTTON|SUMMARY|INPUT|A)$/.test(target.tagName) && target.type !== "range";
    const takesKeys = target.tagName === "SELECT" || (event.key === " " && takesSpace);
    if (event.ctrlKey || event.altKey || event.metaKey || takesKeys || !acts[event.key]) return;
    event.preventDefault();
    const moved = [...addressed()];
    if (event.key === "c") moved.sort((a, b) => Number(b.hasCostly) - Number(a.hasCostly));
    moved.forEach(acts[event.key]);
  });
}

start();
