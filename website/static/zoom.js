/* Lets a reader enlarge the pictures of a lesson, above their numbers; Escape or a click
   closes them again. */
"use strict";
{
  const dialog = document.createElement("dialog");
  dialog.className = "zoom";
  dialog.tabIndex = 0; // it scrolls, also by keyboard
  const large = document.createElement("img");
  const numbers = document.createElement("div");
  dialog.append(large, numbers);
  dialog.addEventListener("click", (event) => {
    if (!numbers.contains(event.target)) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dialog.close(); // the theme's search may take the key
  });
  document.body.append(dialog);

  // The table that follows a picture, before the next picture.
  const tableOf = (button) => {
    const places = [...document.querySelectorAll(".zoom-button, details.figure-data")];
    const next = places[places.indexOf(button) + 1];
    return next?.matches("details") ? next : null;
  };

  for (const picture of document.querySelectorAll(".bd-article .cell_output img")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "zoom-button";
    button.title = "Enlarge";
    picture.replaceWith(button);
    button.append(picture);
    button.addEventListener("click", () => {
      large.src = picture.currentSrc || picture.src;
      large.alt = picture.alt;
      dialog.setAttribute("aria-label", picture.alt.slice(0, 120));
      const table = tableOf(button);
      numbers.replaceChildren(...(table ? [table.cloneNode(true)] : []));
      dialog.showModal();
    });
  }
}
