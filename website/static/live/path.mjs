/** The page "Your path": what has been read, and the road to a lesson. */

import { STORE, forget, keep, kept, replace } from "./kept.mjs";
import { get, make } from "./page.mjs";

/**
 * The lessons to read for one of them, in order: what it needs, and it; read ones left out.
 *
 * @param {{number: string, needs: string[]}[]} lessons all of them, in order
 * @param {string} goal the number of the lesson that is wanted
 * @param {Set<string>} read numbers of the lessons that have been read
 */
export function road(lessons, goal, read = new Set()) {
  const of = new Map(lessons.map((lesson) => [lesson.number, lesson]));
  const wanted = new Set();
  const add = (number) => {
    if (wanted.has(number) || read.has(number) || !of.has(number)) return;
    wanted.add(number);
    of.get(number).needs.forEach(add);
  };
  add(goal);
  return lessons.filter(({ number }) => wanted.has(number));
}

// --- The page "Your path" ------------------------------------------------------------

let lessons = [];
const link = ({ page, title }) => make("a", { href: `../notebooks/${page}.html` }, title);

function show() {
  const path = kept();
  const rows = lessons.map((lesson) => {
    const { read = false, questions = 0, answers = {} } = path[lesson.page] ?? {};
    const given = Object.values(answers);
    const box = make("input", { type: "checkbox", "aria-label": `${lesson.title} has been read`, "data-page": lesson.page });
    box.checked = read;
    const right = given.filter((one) => one.right).length;
    const told = given.length ? `${right} of ${given.length} right, ${questions} asked` : "–";
    return make("tr", {}, make("td", {}, box), make("th", { scope: "row" }, link(lesson)), make("td", {}, told), make("td", {}, lesson.reading || "–"));
  });
  get("lessons").replaceChildren(...rows);
  const done = new Set(lessons.filter(({ page }) => path[page]?.read).map(({ number }) => number));
  get("status").textContent = `${done.size} of ${lessons.length} lessons have been read.`;
  const goal = get("goal").value;
  const steps = road(lessons, goal, done);
  get("road").replaceChildren(...steps.map((lesson) => make("li", {}, link(lesson), lesson.reading ? ` (${lesson.reading})` : "")));
  get("wanted").textContent = `I want to ${get("goal").selectedOptions[0].text}.`;
  get("arrived").textContent = steps.length ? "" : "You have read that lesson: there is nothing left on this road.";
}

/** What one wants to be able to do, by lesson. */
function goals() {
  return lessons.map(({ number, title, goals }) =>
    make("optgroup", { label: title }, ...goals.map((goal) => make("option", { value: number }, goal))));
}

function save() {
  const file = new Blob([JSON.stringify(kept(), null, 1)], { type: "application/json" });
  const address = URL.createObjectURL(file);
  make("a", { href: address, download: "attention-course-path.json" }).click();
  URL.revokeObjectURL(address);
}

async function load(file) {
  try {
    replace(JSON.parse(await file.text()));
    show();
    get("told").textContent = "The file has been loaded.";
  } catch (error) {
    get("told").textContent = error instanceof SyntaxError ? "This file isn't JSON: choose one that “Save” has written." : error.message;
  }
}

if (globalThis.document) {
  lessons = await (await fetch(new URL("../lessons.json", import.meta.url))).json();
  get("goal").replaceChildren(...goals());
  get("goal").addEventListener("change", show);
  get("lessons").addEventListener("change", ({ target }) => (keep(target.dataset.page, { read: target.checked }), show()));
  get("save").addEventListener("click", save);
  get("load").addEventListener("change", ({ target }) => target.files[0] && load(target.files[0]));
  get("print").addEventListener("click", () => print());
  get("delete").addEventListener("click", () => {
    forget();
    show();
    get("told").textContent = "All has been deleted.";
  });
  show();
  if (STORE.refused) get("told").textContent = "This browser keeps nothing for this page: what you tick is gone with it, unless you save it.";
}
