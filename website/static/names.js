/* Parts of the pages that come from the theme and from MyST-NB get the names that a screen
   reader needs. */
"use strict";
{
  // The search shows "Search Ctrl+K", a fold "Show code cell output": these are their names.
  const own = "button.search-button-field, details.hide > summary";
  for (const one of document.querySelectorAll(own)) one.removeAttribute("aria-label");
  // The arrow that opens a part of the contents has no words.
  for (const arrow of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    arrow.setAttribute("aria-label", "Pages of this part");
  }
}
