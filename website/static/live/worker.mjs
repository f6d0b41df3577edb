/**
 * The model works here, beside the page, so that the page never stands still.
 *
 * A message {id, ask, …} gets one answer {id, answer} or {id, error}; an answer says how
 * many milliseconds it took, too. While a model is being loaded, messages {id, progress}
 * from 0 to 1 come before it.
 */

import { beamSearch, logSoftmax, topK, write } from "./decoding.mjs";
import { makeModel } from "./model.mjs";
import { get, weightsOf } from "./stored.mjs";
import { START } from "./tokenizer.mjs";

const SHOWN = 8; // next tokens that a step lists
let model;

const tasks = {
  /** Fetch a model, or take it from the browser's store; address has no ending. */
  async load({ address }, report) {
    const described = await (await get(`${address}.json`)).json();
    model = makeModel(described, await weightsOf(`${address}.bin`, described, report));
    return described.config;
  },

  /** Translate token by token, and tell all that each step has computed. */
  translate({ text, how }) {
    const source = read(text);
    const random = drawer(how.seed ?? 0);
    const steps = [];
    let maps;
    for (const step of write(model.transformer, source, { ...how, random })) {
      const { token, logits, self, cross, encoded } = step;
      maps = encoded.maps;
      steps.push({ token, piece: piece(token), best: best(logits, token), self, cross });
    }
    const ids = steps.map(({ token }) => token);
    const pieces = source.map(piece);
    return { text: model.tokenizer.decode(ids), source: pieces, start: piece(START), steps, maps };
  },

  beam({ text, how }) {
    const found = beamSearch(model.transformer, read(text), how);
    return { ids: found.ids, steps: found.steps, text: model.tokenizer.decode(found.ids) };
  },
};

/** Return a text's ids, or say in one sentence why there is nothing to translate. */
function read(text) {
  const ids = model.tokenizer.encode(text);
  const most = model.transformer.config.sequence_length - 1;
  if (!ids.length) throw new Error("There is nothing to translate: type one word at least.");
  if (ids.length > most) {
    throw new Error(`The text has ${ids.length} tokens, but the model reads ${most}: shorten it.`);
  }
  return ids;
}

const piece = (id) => model.tokenizer.vocabulary[id];

/** The most probable next tokens, and the one that was taken. */
function best(logits, token) {
  const logs = logSoftmax(logits);
  const ids = topK(logs, SHOWN);
  if (!ids.includes(token)) ids.push(token);
  return ids.map((id) => ({ piece: piece(id), probability: Math.exp(logs[id]), taken: id === token }));
}

/** Numbers from 0 to 1 that depend on a seed alone (mulberry32, by T. Ettinger). */
function drawer(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

self.onmessage = async ({ data: { id, ask, ...request } }) => {
  const report = (progress) => self.postMessage({ id, progress });
  try {
    const start = performance.now();
    const answer = await tasks[ask](request, report);
    self.postMessage({ id, answer: { ...answer, milliseconds: performance.now() - start } });
  } catch (error) {
    self.postMessage({ id, error: error.message });
  }
};
