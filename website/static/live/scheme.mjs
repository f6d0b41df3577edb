/** Take the scheme that was chosen on the site's other pages, else that of the system. */
function followScheme() {
  const chosen = localStorage.getItem("mode");
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
followScheme();
