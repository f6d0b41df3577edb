/* Lets the pages within a lesson follow the colour scheme of the lesson's page. Each is a
   document of its own that knows only the system's scheme. A live page takes another one
   from an attribute; the style of an attention viewer is changed on the way in. */
"use strict";
{
  const system = matchMedia("(prefers-color-scheme: dark)");
  const viewers = [...document.querySelectorAll("iframe[srcdoc]")]
    .map((frame) => ({ frame, stored: frame.srcdoc }));

  function follow() {
    const theme = document.documentElement.dataset.theme;
    const dark = theme === "dark";
    const media = dark ? "@media all" : "@media not all";
    for (const viewer of viewers) {
      const { frame, stored } = viewer;
      const changed = stored.includes("[data-theme=")
        ? stored.replace("<html ", `<html data-theme="${theme}" `)
        : stored
          .replaceAll("@media (prefers-color-scheme: dark)", media)
          .replaceAll("color-scheme: light dark", `color-scheme: ${theme}`);
      const wanted = dark === system.matches ? stored : changed;
      if (frame.srcdoc === wanted) continue;
      // A new element, because a document that is still being read may win in the old one.
      viewer.frame = frame.cloneNode();
      viewer.frame.srcdoc = wanted;
      frame.replaceWith(viewer.frame);
    }
  }

  new MutationObserver(follow)
    .observe(document.documentElement, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", follow);
  follow();
}
