/* Lets a reader enlarge the pictures of a page, above their numbers; Escape or a click
   closes them again. */
"use strict";
{
  const dialog = document.createElement("dialog");
  dialog.className = "zoom";
  dialog.tabIndex = 0; // it scrolls, also by keyboard
  dialog.addEventListener("click", (event) => {
    if (!event.target.closest("details")) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dialog.close(); // the theme's search may take the key
  });
  document.body.append(dialog);

  // The table that follows a picture, before the next picture.
  function tableOf(button) {
    const places = [...document.querySelectorAll(".zoom-button, details.figure-data")];
    const next = places[places.indexOf(button) + 1];
    return next?.matches("details") ? [next] : [];
  }

  function enlarge(picture, button) {
    const shown = [picture, ...tableOf(button)].map((one) => one.cloneNode(true));
    dialog.replaceChildren(...shown);
    const text = picture.alt ?? picture.getAttribute("aria-label");
    dialog.setAttribute("aria-label", text.slice(0, 120));
    dialog.showModal();
  }

  function makeButton(...content) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "zoom-button";
    button.append(...content);
    return button;
  }

  const PICTURES = ".bd-article :is(.cell_output img:not(.only-dark), svg.bars)";
  for (const picture of document.querySelectorAll(PICTURES)) {
    // A drawing has a twin for the other colour scheme; only one of them is seen.
    const twin = picture.nextElementSibling;
    const both = twin?.matches("img.only-dark") ? [picture, twin] : [picture];
    const place = document.createComment("");
    picture.before(place);
    const button = makeButton(...both);
    button.title = "Enlarge";
    place.replaceWith(button);
    button.addEventListener("click", () => {
      enlarge(both.find((one) => one.getClientRects().length), button);
    });
  }

  // The map has links in it, so it can't be a button itself.
  for (const map of document.querySelectorAll("svg.course-map")) {
    const button = makeButton("Enlarge the map");
    button.classList.add("zoom-map");
    map.parentElement.before(button);
    button.addEventListener("click", () => enlarge(map, button));
  }
}
