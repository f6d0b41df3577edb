/**
 * Three ways from the model's probabilities to a sentence: the best token at each step,
 * the best of several beginnings, or a draw. Lesson 09 builds them with Keras.
 */

import { END, START } from "./tokenizer.mjs";
import { removedHeads } from "./transformer.mjs";

/** A translation has at most so many tokens, the end included. */
export function longest(model, source) {
  return Math.min(model.config.sequence_length, 2 * source.length + 8);
}

/** Logarithms of the probabilities that logits stand for. */
export function logSoftmax(logits) {
  let largest = -Infinity;
  for (const logit of logits) largest = Math.max(largest, logit);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - largest);
  return logits.map((logit) => logit - largest - Math.log(sum));
}

/** The ids of the k largest numbers, the largest first; of equal ones the smaller id. */
export function topK(numbers, k) {
  if (k > 100) return Array.from(numbers.keys()).sort((a, b) => numbers[b] - numbers[a]).slice(0, k);
  const best = []; // for few, going through them once is faster
  numbers.forEach((number, id) => {
    if (best.length === k && number <= numbers[best[k - 1]]) return;
    let place = best.length;
    while (place > 0 && number > numbers[best[place - 1]]) place--;
    best.splice(place, 0, id);
    best.length = Math.min(best.length, k);
  });
  return best;
}

/**
 * Choose among logits, with a number from 0 to 1 that was drawn.
 *
 * @param {{temperature: number, top_k?: number, top_p?: number}} how temperature 0 takes
 *   the most probable token
 */
export function chooseToken(logits, draw, { temperature = 0, top_k, top_p } = {}) {
  if (!(temperature >= 0)) throw new Error(`The temperature is ${temperature}: choose 0 or more.`);
  if (temperature === 0) return topK(logits, 1)[0];
  const kept = keptTokens(logits, temperature, top_k, top_p);
  const sum = kept.reduce((total, [, probability]) => total + probability, 0);
  let reached = 0;
  for (const [id, probability] of kept) {
    reached += probability;
    if (reached > draw * sum) return id;
  }
  return kept.at(-1)[0];
}

/** The tokens that top-k, and after it top-p, leave, in the order of their ids. */
export function keptTokens(logits, temperature, top_k, top_p) {
  if (top_k < 1 || top_k % 1) throw new Error(`top-k is ${top_k}: choose a whole number from 1, or leave it empty.`);
  if (top_p <= 0 || top_p > 1) throw new Error(`top-p is ${top_p}: choose a number above 0 and at most 1, or leave it empty.`);
  const scaled = logits.map((logit) => logit / temperature);
  let best = topK(scaled, top_k ?? scaled.length);
  const logs = logSoftmax(Float32Array.from(best, (id) => scaled[id]));
  let before = 0;
  if (top_p < 1) {
    best = best.filter((_, place) => {
      const inside = before < top_p; // the smallest set that reaches p
      before += Math.exp(logs[place]);
      return inside;
    });
  }
  const kept = best.map((id, place) => [id, Math.exp(logs[place])]);
  return kept.sort(([a], [b]) => a - b);
}

/**
 * Write a translation step by step; each `next` gives what one step has computed.
 *
 * @param {Transformer} model
 * @param {number[]} source ids
 * @param {object} how as in `chooseToken`, and `removed` (names of heads), `random` (a
 *   function that draws from 0 to 1)
 */
export function* write(model, source, how = {}) {
  const removed = removedHeads(how.removed);
  const encoded = model.encode(source, removed);
  let state = model.begin(encoded);
  let token = START;
  for (let t = 0; t < longest(model, source) && token !== END; t++) {
    const found = model.step(token, state, removed);
    token = chooseToken(found.logits, how.random?.() ?? 0, how);
    state = found.state;
    yield { token, encoded, ...found };
  }
}

/** The ids of a whole translation, without the end. */
export function translate(model, source, how = {}) {
  const ids = [];
  for (const { token } of write(model, source, how)) if (token !== END) ids.push(token);
  return ids;
}

/**
 * Keep the most probable beginnings at every step.
 *
 * Beams are ranked at the end by log-probability / ((5 + length) / 6) ** penalty.
 *
 * @returns {{ids: number[], score: number, steps: number}} the best translation, its
 *   score, and how many steps were made
 */
export function beamSearch(model, source, { width = 4, penalty = 1, removed } = {}) {
  const without = removedHeads(removed);
  const first = model.begin(model.encode(source, without));
  let beams = [{ ids: [], total: 0, last: START, state: first }];
  let steps = 0;
  while (steps < longest(model, source) && beams.some((beam) => beam.last !== END)) {
    const looked = beams.flatMap((beam) => extensions(model, beam, width, without));
    const totals = looked.map((one) => one.total);
    beams = topK(totals, width).map((chosen) => looked[chosen]);
    steps++;
  }
  const rank = ({ ids, total }) => total / ((5 + ids.length) / 6) ** penalty;
  const best = topK(beams.map(rank), 1)[0];
  const ids = beams[best].ids.filter((id) => id !== END);
  return { ids, score: rank(beams[best]), steps };
}

/** What one beam can become: its K best next tokens; a finished one stays as it is. */
function extensions(model, beam, width, removed) {
  if (beam.last === END) return [beam];
  const { logits, state } = model.step(beam.last, beam.state, removed);
  const logs = logSoftmax(logits);
  return topK(logs, width).map((last) => ({
    ids: [...beam.ids, last],
    total: beam.total + logs[last],
    last,
    state,
  }));
}
