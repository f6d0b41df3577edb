/* Lets a reader enlarge the pictures of a lesson; Escape or a click closes them again. */
"use strict";
{
  const dialog = document.createElement("dialog");
  dialog.className = "zoom";
  dialog.tabIndex = 0; // it scrolls, also by keyboard
  const large = document.createElement("img");
  dialog.append(large);
  dialog.addEventListener("click", () => dialog.close());
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Escape") dialog.close(); // the theme's search may take the key
  });
  document.body.append(dialog);

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
      dialog.showModal();
    });
  }
}
