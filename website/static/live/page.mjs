/** What the live pages share: they ask the worker, and put on the page what it says. */

/** Take the scheme that was chosen on the site's other pages, else that of the system. */
function followScheme() {
  const chosen = localStorage.getItem("mode");
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}
if (globalThis.document && !document.documentElement.dataset.theme) followScheme();

/** Start the worker; the function that comes back asks it and gives a promise. */
export function startWorker() {
  const worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
  const waiting = new Map();
  worker.onmessage = ({ data: { id, answer, error, progress } }) => {
    const { resolve, reject, report } = waiting.get(id);
    if (progress !== undefined) return report?.(progress);
    waiting.delete(id);
    return error === undefined ? resolve(answer) : reject(new Error(error));
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error("The model's program stopped: load the page again."));
    waiting.clear();
  };
  let last = 0;
  return (ask, request, report) =>
    new Promise((resolve, reject) => {
      waiting.set(++last, { resolve, reject, report });
      worker.postMessage({ id: last, ask, ...request });
    });
}

/** Make an element; text is always text, never HTML. */
export function make(tag, properties = {}, ...children) {
  const svg = ["svg", "g", "rect", "circle", "text", "path", "title"].includes(tag);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "weight") element.style.setProperty("--weight", value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const get = (id) => document.getElementById(id);

export const token = (piece, newest, more = {}) =>
  make("span", { class: newest ? "token newest" : "token", ...more }, piece);

/** Rows of a table: the most probable next tokens, and a ✓ at the one that was taken. */
export const nextTokens = (best) =>
  best.map(({ piece, probability, taken }) =>
    make("tr", { class: taken ? "chosen" : "" },
      make("th", { scope: "row" }, taken ? `${piece} ✓` : piece),
      make("td", {}, probability.toFixed(3)),
      make("td", {}, make("div", { class: "bar", weight: probability }))));
