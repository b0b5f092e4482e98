// Arrow keys between pages, the sidebar's position, and links to sections that have moved to other pages or are folded.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const follow = () => {
    const anchor = decodeURIComponent(location.hash.slice(1));
    const pages = JSON.parse(document.getElementById("moved")?.dataset.moved ?? "{}");
    const page = pages[anchor.toLowerCase().replace(/[^a-z0-9]/g, "")];
    if (page) location.replace(page + location.hash);
    const fold = document.getElementById(anchor);
    if (fold?.tagName === "DETAILS") fold.open = true;
  };
  window.addEventListener("hashchange", follow);
  follow();

  // The sidebar shows the current page without scrolling.
  const here = document.querySelector(".sidebar-tree .current-page");
  const box = here?.closest(".sidebar-scroll");
  const distance = here ? here.getBoundingClientRect().top - box.getBoundingClientRect().top : 0;
  box?.scrollBy({ top: distance - box.clientHeight / 3, behavior: "instant" });

  // These use the arrow keys themselves; so does a block that scrolls sideways.
  const hasArrows = (element) =>
    element.closest("input, textarea, select, [contenteditable], [role=slider], iframe, .stepper") ||
    element.scrollWidth > element.clientWidth;
  document.addEventListener("keydown", (event) => {
    const isModified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (event.defaultPrevented || event.repeat || isModified) return;
    const way = { ArrowLeft: ".prev-page", ArrowRight: ".next-page" }[event.key];
    if (!way || (event.target !== document.body && hasArrows(event.target))) return;
    document.querySelector(way)?.click();
  });
});
