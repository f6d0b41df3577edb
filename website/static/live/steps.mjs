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
