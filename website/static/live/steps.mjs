/** What the pages on translating and on writing show of one step. */

import { make } from "./page.mjs";

export const token = (piece, newest, more = {}) =>
  make("span", { class: newest ? "token newest" : "token", ...more }, piece);

/** Rows of a table: the most probable next tokens, and a ✓ at the one that was taken. */
export const nextTokens = (best) =>
  best.map(({ piece, probability, taken }) =>
    make("tr", { class: taken ? "chosen" : "" },
      make("th", { scope: "row" }, taken ? `${piece} ✓` : piece),
      make("td", {}, probability.toFixed(3)),
      make("td", {}, make("div", { class: "bar", weight: probability }))));

/** Put pieces together: ▁ is a space, and the end isn't text. */
export const textOf = (pieces) => pieces.filter((piece) => piece !== "[end]").join("").replaceAll("▁", " ").trimStart();

/** How long so many steps took, each of them one token. */
export const speed = (steps, milliseconds) =>
  `${steps} steps in ${milliseconds.toFixed(0)} ms: ${((1000 * steps) / milliseconds).toFixed(0)} tokens a second.`;
