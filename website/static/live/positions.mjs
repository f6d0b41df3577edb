/** The page "Positions": waves, a learned table and turned vectors, as in lesson 06. */

import { learned } from "./learned.mjs";
import { get, make } from "./page.mjs";

const BASE = 10_000; // how slow the slowest pair gets
const HANDS = 4; // pairs that are drawn as clocks

/** How far pair i of a vector of `width` numbers turns with each position, in radians. */
export const speed = (i, width) => BASE ** ((-2 * i) / width);

/** The sinusoidal vector of a position: even columns sine, odd ones cosine. */
export function waves(position, width) {
  return Array.from({ length: width }, (_, column) => {
    const angle = position * speed(column >> 1, width);
    return column % 2 ? Math.cos(angle) : Math.sin(angle);
  });
}

/**
 * Turn a vector by its position (rotary): number i makes a pair with number i + D/2.
 *
 * @param {number[]} vector a query or a key (D)
 * @param {number} position by which each pair is turned, at its own speed
 */
export function turned(vector, position) {
  const half = vector.length / 2;
  return vector.map((_, i) => {
    const angle = position * speed(i % half, vector.length);
    const [x, y] = [vector[i % half], vector[(i % half) + half]];
    return i < half ? x * Math.cos(angle) - y * Math.sin(angle) : x * Math.sin(angle) + y * Math.cos(angle);
  });
}

export const product = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

/** One vector for each position: what is added, or (rotary) one vector, turned. */
function vectorsOf(form, width, length) {
  const positions = [...Array(length).keys()];
  if (form === "waves") return positions.map((position) => waves(position, width));
  if (form === "rotary") return positions.map((position) => turned(Array(width).fill(1), position));
  return learned().slice(0, length);
}

// --- Drawing -------------------------------------------------------------------------

const TOLD = {
  waves: "A vector of waves is added to each word. Fast waves stand at the left, slow ones at the right.",
  learned: "The shipped translator's own table: it began with random numbers and was learned with the rest.",
  rotary: "Nothing is added. Here one vector of ones, as a query and as a key, is turned by its position.",
};

function show() {
  const form = document.querySelector('input[name="form"]:checked').value;
  const length = Number(get("length").value);
  for (const id of ["asks", "other"]) {
    get(id).max = length - 1;
    get(id).value = Math.min(get(id).value, length - 1);
  }
  for (const id of ["length", "width", "asks", "other"]) get(id).nextElementSibling.textContent = get(id).value;
  get("width").disabled = form === "learned";
  const vectors = vectorsOf(form, Number(get("width").value), length);
  const [asks, other] = ["asks", "other"].map((id) => Number(get(id).value));
  const products = vectors.map((vector) => product(vectors[asks], vector));
  get("told").textContent = TOLD[form];
  get("grid").replaceChildren(...cells(vectors, asks, other));
  get("grid").setAttribute("viewBox", `0 0 ${vectors[0].length} ${length}`);
  get("bars").replaceChildren(...bars(products, asks, other));
  get("hands-part").hidden = form === "learned";
  if (form !== "learned") get("hands").replaceChildren(...hands(vectors[0].length, asks, other));
  const far = Math.abs(asks - other);
  get("status").textContent =
    `Positions ${asks} and ${other}: ${far} apart, product ${products[other].toFixed(2)}. ` + moved(vectors, asks, other);
}

/** Both words one step further on: is the product the same? */
function moved(vectors, asks, other) {
  const far = Math.max(asks, other) + 1;
  if (far >= vectors.length) return "One step further on there is no position: make the text longer.";
  const then = product(vectors[asks + 1], vectors[other + 1]).toFixed(2);
  return `Both one position later: ${then}.`;
}

/** The vectors as a picture: a row for each position, blue is positive, orange negative. */
function cells(vectors, asks, other) {
  const largest = Math.max(...vectors.flat().map(Math.abs));
  const drawn = vectors.flatMap((vector, row) => vector.map((number, column) =>
    make("rect", { x: column, y: row, width: 1, height: 1, class: number > 0 ? "more" : "less", "fill-opacity": Math.abs(number) / largest })));
  const around = [...new Set([asks, other])].map((row) =>
    make("rect", { x: 0, y: row, width: vectors[0].length, height: 1, class: row === asks ? "asks" : "other" }));
  return [...drawn, ...around];
}

function bars(products, asks, other) {
  const largest = Math.max(...products.map(Math.abs));
  return products.map((number, position) =>
    make("tr", { class: position === other ? "now" : "" },
      make("th", { scope: "row" }, `${position}${position === asks ? " asks" : ""}`),
      make("td", {}, number.toFixed(2)),
      make("td", {}, make("div", { class: number < 0 ? "bar below" : "bar", weight: Math.abs(number) / largest }))));
}

/** Some pairs of the vector as clocks: the hand of each position, and its speed. */
function hands(width, asks, other) {
  const pairs = width / 2;
  return Array.from({ length: HANDS }, (_, k) => Math.round((k * (pairs - 1)) / (HANDS - 1))).map((i) => {
    const turn = speed(i, width);
    const said = `Pair ${i + 1} of ${pairs}: ${turn.toFixed(4)} radians a position`;
    const hand = (position, kind) =>
      make("path", { class: `arrow ${kind}`, d: `M 0 0 L ${Math.cos(position * turn)} ${-Math.sin(position * turn)}` });
    const clock = make("svg", { viewBox: "-1.1 -1.1 2.2 2.2", role: "img", "aria-label": said },
      make("circle", { r: 1, class: "face" }), hand(other, "key"), hand(asks, "query"));
    return make("figure", {}, clock, make("figcaption", {}, said));
  });
}

// --- What the reader does ------------------------------------------------------------

if (globalThis.document) {
  get("form").addEventListener("input", show);
  show();
}
