// On paper all folds are open.
"use strict";

{
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("article details:not([open])")];
    for (const fold of closed) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of closed) fold.open = false;
  });
}
