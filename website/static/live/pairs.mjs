/** The page "Byte pairs, merge by merge", and the learning of the merges, as in lesson 07. */

import { get, make } from "./page.mjs";
import { Tokenizer } from "./tokenizer.mjs";

const MOST = 200; // merges

/** Count neighbours: pairs, written "left right", to how often they stand together. */
export function countPairs(words) {
  const counts = new Map();
  for (const { parts, times } of words) {
    for (let i = 0; i + 1 < parts.length; i++) {
      const pair = `${parts[i]} ${parts[i + 1]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + times);
    }
  }
  return counts;
}

/** Pairs and counts, the most frequent first; of equal ones that with the older pieces. */
export function ranked(counts, ids) {
  const places = (pair) => pair.split(" ").map((piece) => ids.get(piece));
  const older = ([a, b], [c, d]) => a - c || b - d;
  return [...counts].sort(([one, m], [other, n]) => n - m || older(places(one), places(other)));
}

/** Write one piece for each occurrence of a pair, from left to right. */
export function join(parts, [left, right]) {
  const joined = [];
  for (let i = 0; i < parts.length; i++) {
    const both = parts[i] === left && parts[i + 1] === right;
    joined.push(both ? left + parts[++i] : parts[i]);
  }
  return joined;
}

/**
 * Learn merges from a text.
 *
 * @returns {{states: object[][], merges: {pair: string[], times: number}[], ids: Map}}
 *   states[k] is what the words look like after k merges; ids are the pieces' places in
 *   the vocabulary, letters first
 */
export function learn(text, most = MOST) {
  const counts = new Map();
  for (const word of new Tokenizer([], []).words(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let words = [...counts].map(([word, times]) => ({ parts: [...word], times }));
  const letters = [...new Set(words.flatMap(({ parts }) => parts))].sort();
  const ids = new Map(letters.map((letter, id) => [letter, id]));
  const states = [words];
  const merges = [];
  while (merges.length < most) {
    const [found, times] = ranked(countPairs(words), ids)[0] ?? ["", 0];
    if (times < 2) break; // what occurs once teaches nothing
    const pair = found.split(" ");
    merges.push({ pair, times });
    if (!ids.has(pair.join(""))) ids.set(pair.join(""), ids.size);
    words = words.map(({ parts, times }) => ({ parts: join(parts, pair), times }));
    states.push(words);
  }
  return { states, merges, ids };
}

let learned;

function begin() {
  learned = learn(get("text").value);
  get("step").max = learned.merges.length;
  get("step").value = Math.min(3, learned.merges.length);
  show();
}

function show() {
  const { states, merges, ids } = learned;
  const step = Number(get("step").value);
  get("of").textContent = `${step} of ${merges.length} merges`;
  get("back").disabled = step === 0;
  get("forth").disabled = step === merges.length;
  get("merges").replaceChildren(
    ...merges.slice(0, step).map(({ pair, times }) => make("li", {}, make("code", {}, `${pair[0]} + ${pair[1]}`), ` ${times} times`)),
  );
  const next = ranked(countPairs(states[step]), ids).slice(0, 8);
  get("next").replaceChildren(...next.map(([pair, times]) => make("li", {}, make("code", {}, pair.replace(" ", " + ")), ` ${times} times`)));
  get("words").replaceChildren(
    ...states[step].flatMap(({ parts, times }) => [
      make("span", { class: "word" }, ...parts.map((part) => make("span", { class: "token" }, part)), make("small", {}, ` ×${times}`)), " ",
    ]),
  );
  const tokens = states[step].reduce((sum, { parts, times }) => sum + parts.length * times, 0);
  get("told").textContent = `The text has ${tokens} tokens now; it had ${states[0].reduce((sum, { parts, times }) => sum + parts.length * times, 0)} letters and signs.`;
  const pairs = merges.slice(0, step).map(({ pair }) => pair);
  const tokenizer = new Tokenizer([], pairs);
  get("cut").replaceChildren(
    ...tokenizer.words(get("other").value).flatMap((word) => tokenizer.pieces(word).map((part) => make("span", { class: "token" }, part))),
  );
}

if (globalThis.document) {
  get("text").addEventListener("input", begin);
  get("other").addEventListener("input", show);
  get("step").addEventListener("input", show);
  for (const [id, way] of [["back", -1], ["forth", 1]]) {
    get(id).addEventListener("click", () => {
      get("step").value = Number(get("step").value) + way;
      show();
    });
  }
  begin();
}
