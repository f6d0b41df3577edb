/** Take the scheme that was chosen on the site's other pages, else that of the system. */
function followScheme() {
  let chosen;
  try {
    chosen = localStorage.getItem("mode");
  } catch {
    chosen = null; // a browser may forbid a page to keep anything
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
followScheme();
