/** The page "One attention, by hand": one query, some keys and values of two numbers. */

import { get, make } from "./page.mjs";
import { softmax } from "./softmax.mjs";

const FAR = 3; // no coordinate is larger
const WIDTH = 2; // d
// The page begins with the words and the numbers of lesson 04.
const LESSON = [
  { text: "her", query: [2, 0], key: [0, 0], value: [0, 0] },
  { text: "red", query: [1, 0], key: [0, 2], value: [0, 1] },
  { text: "shoes", query: [0, 2], key: [2, 0], value: [1, 0] },
];
let words = [];

/** Numbers from 0 to 1 that look like chance, the same ones for the same seed. */
const chance = (seed) => (((Math.sin(seed * 12.9898) * 43758.5453) % 1) + 1) % 1;

function invent(texts, seed) {
  const ofLesson = LESSON.map(({ text }) => text).join(" ");
  if (seed === 0 && texts.join(" ") === ofLesson) return structuredClone(LESSON);
  return texts.map((text, i) => {
    const vector = (kind) => {
      // One word after the other around the circle, so that few arrows lie on each other.
      const angle = 2 * Math.PI * (i / texts.length + chance(seed + 7 * kind + 1)) + 0.5 * chance(seed + i);
      const length = 1.2 + 1.2 * chance(seed + 31 * i + 7 * kind + 2);
      return [length * Math.cos(angle), length * Math.sin(angle)];
    };
    return { text, query: vector(0), key: vector(1), value: vector(2) };
  });
}

/**
 * What one word gets: scores, weights (0 where masked) and the mixture of the values.
 *
 * @param {{query: number[], key: number[], value: number[]}[]} all
 * @param {number} asks the place of the word that asks
 * @param {boolean[]} seen which words may be seen
 * @param {number} divisor of the scores
 */
export function attention(all, asks, seen, divisor) {
  const { query } = all[asks];
  const scores = all.map(({ key }) => (query[0] * key[0] + query[1] * key[1]) / divisor);
  if (!seen.some(Boolean)) return { scores, weights: scores.map(() => 0), mixture: null };
  const weights = [...softmax(scores.map((score, i) => (seen[i] ? score : -Infinity)))];
  const mixture = [0, 1].map((axis) => all.reduce((sum, { value }, i) => sum + weights[i] * value[axis], 0));
  return { scores, weights, mixture };
}

function settings() {
  const asks = Number(get("asks").value);
  const last = words.length - 1;
  const seen = words.map((_, i) => !(get("causal").checked && i > asks) && !(get("padding").checked && i === last));
  const divisor = (get("scaled").checked ? Math.sqrt(WIDTH) : 1) * Number(get("temperature").value);
  return { asks, seen, divisor };
}

// --- Drawing -------------------------------------------------------------------------

const written = (number) => number.toFixed(2);

/** Draw everything anew; the arrow that has the focus keeps it. */
function show() {
  const focused = document.activeElement?.id;
  const { asks, seen, divisor } = settings();
  const found = attention(words, asks, seen, divisor);
  const plane = axes();
  words.forEach(({ text, key }, i) => plane.push(arrow(`key-${i}`, `key of ${text}`, "key", text, key, seen[i])));
  plane.push(arrow("query", `${words[asks].text} asks: its query`, "query", `${words[asks].text} asks`, words[asks].query, true));
  get("plane").replaceChildren(...plane);
  const points = axes();
  words.forEach(({ text, value }, i) => points.push(point(`value-${i}`, text, value, found.weights[i], seen[i])));
  if (found.mixture) points.push(make("circle", { cx: found.mixture[0], cy: -found.mixture[1], r: 0.14, class: "mixture" }));
  get("values").replaceChildren(...points);
  get("table").replaceChildren(...table(found, seen));
  get("status").textContent = told(found, asks);
  if (focused) get(focused)?.focus();
}

const axes = () => [make("path", { class: "axis", d: `M ${-FAR} 0 H ${FAR} M 0 ${-FAR} V ${FAR}` })];

function arrow(id, name, kind, text, [x, y], shown) {
  return handle(id, name, [x, y], shown,
    make("path", { class: `arrow ${kind}`, d: `M 0 0 L ${x} ${-y}` }),
    make("circle", { class: kind, cx: x, cy: -y, r: 0.16 }),
    label(text, x, y));
}

function point(id, text, [x, y], weight, shown) {
  return handle(id, `value of ${text}`, [x, y], shown,
    make("circle", { class: "value", cx: x, cy: -y, r: 0.1 + 0.3 * Math.sqrt(weight) }),
    label(text, x, y));
}

/** A group that can be dragged, or moved with the arrow keys. */
function handle(id, name, [x, y], shown, ...parts) {
  const said = `${name}: ${written(x)}, ${written(y)}${shown ? "" : ", masked"}`;
  const around = make("circle", { class: "around", cx: x, cy: -y, r: 0.35 }); // for a finger
  return make("g", { id, tabindex: 0, role: "button", "aria-label": said, class: shown ? "handle" : "handle masked" }, around, ...parts);
}

const label = (text, x, y) => make("text", { x: x + 0.2, y: -y - 0.15 }, text);

function table({ scores, weights, mixture }, seen) {
  const head = ["word", "score", "weight", "", "value"].map((text) => make("th", { scope: "col" }, text));
  const rows = words.map(({ text, value }, i) =>
    make("tr", { class: seen[i] ? "" : "masked" },
      make("th", { scope: "row" }, text),
      make("td", {}, seen[i] ? written(scores[i]) : "masked"),
      make("td", {}, written(weights[i])),
      make("td", {}, make("div", { class: "bar", weight: weights[i] })),
      make("td", {}, value.map(written).join(", "))));
  const last = make("tr", {}, make("th", { scope: "row" }, "mixture"), make("td", {}), make("td", {}, written(weights.reduce((a, b) => a + b))), make("td", {}),
    make("td", {}, mixture ? mixture.map(written).join(", ") : "none"));
  return [make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows, last)];
}

function told({ weights, mixture }, asks) {
  if (!mixture) return "Nothing may be seen: a softmax over nothing has no answer. Take a mask away.";
  const best = weights.indexOf(Math.max(...weights));
  return `“${words[asks].text}” looks most at “${words[best].text}” (${written(weights[best])}) and gets ${mixture.map(written).join(", ")}.`;
}

// --- What the reader does ------------------------------------------------------------

/** The vector behind a handle's id. */
function vectorOf(id) {
  const [kind, i] = id.split("-");
  return kind === "query" ? words[Number(get("asks").value)].query : words[Number(i)][kind];
}

function move(id, x, y) {
  const vector = vectorOf(id);
  [vector[0], vector[1]] = [x, y].map((number) => Math.max(-FAR, Math.min(FAR, number)));
  show();
}

/** Let the handles of a picture be dragged, or moved with the arrow keys. */
function movable(plane) {
  let held = null;
  plane.addEventListener("pointerdown", (event) => {
    held = event.target.closest(".handle")?.id ?? null;
    if (!held) return;
    plane.setPointerCapture(event.pointerId);
    get(held).focus();
    event.preventDefault();
  });
  // A finger on a handle drags it; anywhere else it scrolls, as on the rest of the page.
  plane.addEventListener("touchstart", (event) => event.target.closest(".handle") && event.preventDefault(), { passive: false });
  plane.addEventListener("pointermove", (event) => {
    if (!held) return;
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(plane.getScreenCTM().inverse());
    move(held, x, -y);
  });
  plane.addEventListener("pointerup", () => (held = null));
  plane.addEventListener("pointercancel", () => (held = null));
  plane.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
    const id = event.target.closest(".handle")?.id;
    if (!step || !id) return;
    event.preventDefault();
    const [x, y] = vectorOf(id);
    move(id, x + step[0], y + step[1]);
  });
}

let seed = 0;
function begin() {
  const texts = get("words").value.trim().split(/\s+/).filter(Boolean);
  if (texts.length < 3 || texts.length > 6) {
    get("status").textContent = `These are ${texts.length} words: write three to six.`;
    return;
  }
  words = invent(texts, seed);
  const before = Math.min(Number(get("asks").value), texts.length - 1);
  get("asks").replaceChildren(...texts.map((text, i) => make("option", { value: i }, `${i + 1} ${text}`)));
  get("asks").value = before;
  show();
}

if (globalThis.document) {
  movable(get("plane"));
  movable(get("values"));
  get("words").addEventListener("change", begin);
  get("again").addEventListener("click", () => ((seed += 101), begin()));
  get("form").addEventListener("input", (event) => {
    if (event.target.id === "words") return;
    get("temperature").nextElementSibling.textContent = Number(get("temperature").value).toFixed(1);
    show();
  });
  begin();
}
