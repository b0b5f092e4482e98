// Explains a term of the glossary when the pointer or the focus is on it. Without this script the term is a link.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const tip = document.createElement("div");
  tip.id = "term-tip";
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  document.body.append(tip);
  let shown = null;
  let leaving = 0;

  function hide() {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    tip.hidden = true;
  }

  function show(term) {
    clearTimeout(leaving);
    if (shown === term) return;
    hide();
    shown = term;
    tip.innerHTML = `<strong></strong> ${term.dataset.meaning}`;
    tip.firstElementChild.textContent = `${term.dataset.term}.`;
    tip.hidden = false;
    term.setAttribute("aria-describedby", tip.id);
    const place = term.getClientRects()[0];
    const left = Math.max(8, Math.min(place.left, document.documentElement.clientWidth - tip.offsetWidth - 8));
    const above = place.top - tip.offsetHeight - 4;
    const fits = place.bottom + 4 + tip.offsetHeight <= document.documentElement.clientHeight;
    tip.style.left = `${left + window.scrollX}px`;
    tip.style.top = `${(fits || above < 0 ? place.bottom + 4 : above) + window.scrollY}px`;
  }

  // The delay lets the pointer move to the explanation, to read and copy it.
  const leave = () => {
    leaving = setTimeout(hide, 200);
  };
  tip.addEventListener("pointerenter", () => clearTimeout(leaving));
  tip.addEventListener("pointerleave", leave);
  for (const term of document.querySelectorAll("a.term")) {
    let wasShown = true;
    term.addEventListener("pointerenter", (event) => {
      if (event.pointerType !== "touch") show(term);
    });
    term.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") leave();
    });
    term.addEventListener("focus", () => show(term));
    term.addEventListener("blur", leave);
    // On a touch screen, the first touch explains the term and the second touch follows the link.
    term.addEventListener("pointerdown", (event) => {
      wasShown = event.pointerType !== "touch" || shown === term;
    });
    term.addEventListener("click", (event) => {
      if (wasShown) return;
      event.preventDefault();
      show(term);
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
});
