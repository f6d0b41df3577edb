/** What a reader has read and answered; it is kept in this browser and nowhere else. */

import { get, make } from "./page.mjs";

const KEY = "course-path";

/** The path that is kept: page name to {read, questions, answers: {form: {letter, right}}}. */
export function kept(store = localStorage) {
  try {
    return checked(JSON.parse(store.getItem(KEY) ?? "{}"));
  } catch {
    return {}; // damaged: as if nothing had been kept
  }
}

/** Keep what a change makes of one page's entry. */
export function keep(page, change, store = localStorage) {
  const path = kept(store);
  path[page] = { read: false, questions: 0, answers: {}, ...path[page], ...change };
  store.setItem(KEY, JSON.stringify(path));
  return path;
}

/** Take from a file only what a path may hold; an error says what is wrong. */
export function checked(data) {
  const plain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!plain(data)) throw new Error("This file holds no path: expected what “Save” has written.");
  const path = {};
  for (const [page, entry] of Object.entries(data)) {
    if (!/^\d\d[a-z]?_\w+$/.test(page) || !plain(entry)) throw new Error(`“${page.slice(0, 40)}” is no lesson of this course.`);
    const given = plain(entry.answers) ? Object.entries(entry.answers) : [];
    const answers = given.filter(([id, one]) => /^quiz-\d+$/.test(id) && plain(one) && /^[a-h]$/.test(one.letter));
    path[page] = {
      read: entry.read === true,
      questions: Number.isInteger(entry.questions) ? entry.questions : 0,
      answers: Object.fromEntries(answers.map(([id, one]) => [id, { letter: one.letter, right: one.right === true }])),
    };
  }
  return path;
}

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
  get("path-lessons").replaceChildren(...rows);
  const done = new Set(lessons.filter(({ page }) => path[page]?.read).map(({ number }) => number));
  get("status").textContent = `${done.size} of ${lessons.length} lessons have been read.`;
  const goal = get("goal").value;
  const steps = road(lessons, goal, done);
  get("road").replaceChildren(...steps.map((lesson) => make("li", {}, link(lesson), lesson.reading ? ` (${lesson.reading})` : "")));
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
    localStorage.setItem(KEY, JSON.stringify(checked(JSON.parse(await file.text()))));
    show();
    get("told").textContent = "The file has been loaded.";
  } catch (error) {
    get("told").textContent = error instanceof SyntaxError ? "This file isn't JSON: choose one that “Save” has written." : error.message;
  }
}

if (globalThis.document && get("path-lessons")) {
  lessons = await (await fetch(new URL("../lessons.json", import.meta.url))).json();
  get("goal").replaceChildren(...goals());
  get("goal").addEventListener("change", show);
  get("path-lessons").addEventListener("change", ({ target }) => (keep(target.dataset.page, { read: target.checked }), show()));
  get("save").addEventListener("click", save);
  get("load").addEventListener("change", ({ target }) => target.files[0] && load(target.files[0]));
  get("print").addEventListener("click", () => print());
  get("delete").addEventListener("click", () => {
    localStorage.removeItem(KEY);
    show();
    get("told").textContent = "All has been deleted.";
  });
  show();
}
