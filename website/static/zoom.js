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
    dialog.setAttribute("aria-label", picture.alt.slice(0, 120));
    dialog.showModal();
  }

  function makeButton(...content) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "zoom-button";
    button.append(...content);
    return button;
  }

  for (const picture of document.querySelectorAll(".bd-article .cell_output img")) {
    const place = document.createComment("");
    picture.before(place);
    const button = makeButton(picture);
    button.title = "Enlarge";
    place.replaceWith(button);
    button.addEventListener("click", () => enlarge(picture, button));
  }
}
