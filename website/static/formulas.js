/* A formula that is wider than the page scrolls; the keyboard must be able to reach it. */
"use strict";
window.addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  for (const formula of document.querySelectorAll("mjx-container[display]")) {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = formula;
    if (scrollWidth > clientWidth || scrollHeight > clientHeight) formula.tabIndex = 0;
  }
});
