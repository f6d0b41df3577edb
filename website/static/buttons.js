/* Two buttons of the theme name what they do in an attribute, which the pages' policy
   (course_site/policy.py) doesn't run; theme.py gives them a name for it instead. And on
   paper nothing can be opened, so solutions are opened before a page is printed; and a
   dark page becomes light, but for its drawings: the light ones haven't been fetched. */
"use strict";
{
  const does = { print: () => window.print(), fullscreen: () => window.toggleFullScreen() };
  for (const button of document.querySelectorAll("button[data-does]")) {
    button.addEventListener("click", does[button.dataset.does]);
  }

  const page = document.documentElement;
  const solutions = [...document.querySelectorAll("details.solution")];
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = solutions.filter((solution) => !solution.open);
    for (const solution of folded) solution.open = true;
    page.classList.toggle("was-dark", page.dataset.theme === "dark");
    page.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    for (const solution of folded) solution.open = false;
    if (page.classList.contains("was-dark")) page.dataset.theme = "dark";
    page.classList.remove("was-dark");
  });
}
