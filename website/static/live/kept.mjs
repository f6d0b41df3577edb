/** What a reader has read and answered; it is kept in this browser and nowhere else. */

const KEY = "course-path";

/** The browser's store; where it is refused, one that lasts as long as the page. */
export function storage(window = globalThis) {
  try {
    window.localStorage.getItem(KEY);
    return window.localStorage;
  } catch {
    const held = new Map();
    return {
      refused: true,
      getItem: (key) => held.get(key) ?? null,
      setItem: (key, text) => held.set(key, text),
      removeItem: (key) => held.delete(key),
    };
  }
}

export const STORE = storage();

/** The path that is kept: page name to {read, questions, answers: {form: {letter, right}}}. */
export function kept(store = STORE) {
  try {
    return checked(JSON.parse(store.getItem(KEY) ?? "{}"));
  } catch {
    return {}; // damaged: as if nothing had been kept
  }
}

/** Keep what a change makes of one page's entry. */
export function keep(page, change, store = STORE) {
  const path = kept(store);
  path[page] = { read: false, questions: 0, answers: {}, ...path[page], ...change };
  store.setItem(KEY, JSON.stringify(path));
  return path;
}

/** Put a path that was saved in the place of the one that is kept. */
export function replace(data, store = STORE) {
  store.setItem(KEY, JSON.stringify(checked(data)));
}

export const forget = (store = STORE) => store.removeItem(KEY);

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
