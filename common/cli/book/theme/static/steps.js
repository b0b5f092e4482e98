// Pages for stepping use the light or dark theme of the page around them, not the system's.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const frames = [...document.querySelectorAll(".steps iframe")];
  const follow = () => {
    const theme = document.body.dataset.theme;
    for (const frame of frames) frame.style.colorScheme = theme === "light" || theme === "dark" ? theme : "";
  };
  new MutationObserver(follow).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
});
