/** The page "BLEU, run by run", and the score itself, as in lesson 07. */

import { get, make } from "./page.mjs";

const LONGEST = 4;

/** Cut a text at spaces, and signs from words, as sacrebleu's rule 13a does it in short. */
export function tokensOf(text) {
  return ` ${text} `
    .replace(/([{-~[-` -&(-+:-@/])/g, " $1 ") // signs, but not ' , - .
    .replace(/([^0-9])([.,])/g, "$1 $2 ")
    .replace(/([.,])([^0-9])/g, " $1 $2")
    .replace(/([0-9])(-)/g, "$1 $2 ")
    .split(/\s+/)
    .filter(Boolean);
}

/** All runs of n tokens, each as one string. */
export function runsOf(tokens, n) {
  return tokens.slice(0, Math.max(0, tokens.length - n + 1)).map((_, i) => tokens.slice(i, i + n).join(" "));
}

/**
 * Right and written runs of each length; a run is right as often as the reference has it.
 *
 * @returns {{n: number, runs: {text: string, right: boolean}[], right: number}[]}
 */
export function matches(tokens, reference) {
  return [...Array(LONGEST).keys()].map((i) => {
    const n = i + 1;
    const left = new Map();
    for (const run of runsOf(reference, n)) left.set(run, (left.get(run) ?? 0) + 1);
    const runs = runsOf(tokens, n).map((text) => {
      const right = (left.get(text) ?? 0) > 0;
      if (right) left.set(text, left.get(text) - 1); // used up: clipping
      return { text, right };
    });
    return { n, runs, right: runs.filter((run) => run.right).length };
  });
}

/** BLEU of one sentence with one reference, without smoothing: 0 where a length has none. */
export function bleu(tokens, reference) {
  const found = matches(tokens, reference);
  const precisions = found.map(({ runs, right }) => (runs.length ? right / runs.length : 0));
  const mean = precisions.reduce((product, p) => product * p, 1) ** (1 / LONGEST);
  const brevity = tokens.length ? Math.min(1, Math.exp(1 - reference.length / tokens.length)) : 0;
  return { found, precisions, brevity, score: 100 * brevity * mean };
}

/** Runs as boxes with a sign; the other text has those with ✓, too. */
const marked = (runs) =>
  runs.flatMap(({ text, right }) => [make("span", { class: right ? "run right" : "run" }, `${right ? "✓" : "✗"} ${text}`), " "]);

function show() {
  const tokens = tokensOf(get("translation").value);
  const reference = tokensOf(get("reference").value);
  const { found, precisions, brevity, score } = bleu(tokens, reference);
  get("in-translation").replaceChildren(...marked(matches(tokens, reference)[0].runs));
  get("in-reference").replaceChildren(...marked(matches(reference, tokens)[0].runs));
  get("runs").replaceChildren(
    ...found.map(({ n, runs, right }) =>
      make("li", {},
        make("b", {}, `${n === 1 ? "tokens" : `runs of ${n}`}: ${right} of ${runs.length} `),
        ...marked(runs))),
  );
  const product = precisions.map((p) => p.toFixed(3)).join(" · ");
  const lengths = `c = ${tokens.length}, r = ${reference.length}`;
  get("formula").textContent = `brevity penalty ${brevity.toFixed(3)} (${lengths}) × fourth root of ${product}`;
  get("score").textContent = `BLEU ${score.toFixed(2)}`;
}

if (globalThis.document) {
  get("form").addEventListener("input", show);
  show();
}
