/** All that a beam search has looked at, as a picture and as text. */

import { make } from "./page.mjs";
import { textOf } from "./steps.mjs";

const [WIDE, HIGH] = [118, 24]; // pixels of one word in the picture

/** Draw the tree: a column is a step, lines lead to what each word goes on from. */
export function drawn({ tree: steps, ids }) {
  const most = Math.max(...steps.map((step) => step.length));
  const picture = make("svg", { width: steps.length * WIDE + 10, height: most * HIGH + 10, role: "img", "aria-label": `${told(steps)} They are listed as text below.` });
  const places = []; // where each kept beam of the step before stands
  const best = bestPath(steps, ids);
  steps.forEach((step, t) => {
    const now = [];
    byTotal(step).forEach((one, row) => {
      const { piece, total, parent, kept } = one;
      const [x, y] = [t * WIDE + 8, row * HIGH + 4];
      const kind = kept < 0 ? "dropped" : best[t] === kept ? "best" : "kept";
      const group = make("g", { class: kind }, make("title", {}, `${piece}, ${total.toFixed(2)}`));
      if (t) group.append(make("path", { d: `M ${(t - 1) * WIDE + 104} ${places[parent]} L ${x} ${y + 10}` }));
      if (kept >= 0) {
        now[kept] = y + 10;
        group.append(make("rect", { x, y, width: 96, height: 20, rx: 4 }));
      }
      group.append(make("text", { x: x + 4, y: y + 15 }, `${piece.slice(0, 6)} ${total.toFixed(1)}`));
      picture.append(group);
    });
    places.splice(0, places.length, ...now);
  });
  return picture;
}

const byTotal = (step) => [...step].sort((one, other) => other.total - one.total);

function told(steps) {
  const looked = steps.flat().length;
  const dropped = steps.flat().filter(({ kept }) => kept < 0).length;
  return `${steps.length} steps; ${looked} continuations were looked at and ${dropped} of them dropped.`;
}

/** Return which kept beam of each step leads to the translation. */
function bestPath(steps, ids) {
  let place = steps.at(-1).findIndex((one) => one.kept >= 0);
  const ends = steps.at(-1).filter((one) => one.kept >= 0);
  for (const one of ends) {
    const path = follow(steps, one.kept);
    const written = path.map((kept, t) => steps[t].find((o) => o.kept === kept).token).filter((id) => id > 3);
    // A finished beam repeats its end in later steps.
    if (written.join() === ids.join()) return path;
    place = one.kept;
  }
  return follow(steps, place);
}

function follow(steps, kept) {
  const path = [];
  for (let t = steps.length - 1; t >= 0; t--) {
    path.unshift(kept);
    kept = steps[t].find((one) => one.kept === kept).parent;
  }
  return path;
}

/**
 * What the picture shows, as text: each step's beginnings, the most probable first.
 *
 * @returns {{text: string, total: number, kept: boolean, best: boolean}[][]} best are
 *   those that lead to the translation
 */
export function beginnings({ tree: steps, ids }) {
  const best = bestPath(steps, ids);
  let before = [[]]; // the pieces of each kept beam
  return steps.map((step, t) => {
    const pieces = new Map(step.map((one) => [one, [...before[one.parent], one.piece]]));
    before = [];
    for (const one of step) if (one.kept >= 0) before[one.kept] = pieces.get(one);
    return byTotal(step).map((one) => {
      const end = one.piece === "[end]" ? " [end]" : "";
      return { text: textOf(pieces.get(one)) + end, total: one.total, kept: one.kept >= 0, best: one.kept === best[t] };
    });
  });
}

/** The same as items of a list: one for each step, with what was kept and dropped. */
export const listed = (found) =>
  beginnings(found).map((step) => {
    const kept = step.filter((one) => one.kept).map((one) => make("li", {}, ...said(one), one.best ? " ✓" : ""));
    const dropped = step.filter((one) => !one.kept).flatMap((one) => ["; ", ...said(one)]).slice(1);
    return make("li", {}, "kept:", make("ul", {}, ...kept), ...(dropped.length ? ["dropped: ", ...dropped] : []));
  });

const said = ({ text, total }) => [make("span", { lang: "es" }, text), ` ${total.toFixed(2)}`];
