/**
 * The Transformer of lesson 08 in plain JavaScript: one sentence at a time, no library.
 *
 * A vector is a Float32Array of D numbers; what stands at several positions is an array
 * of vectors. Letters as in the course: D model width, H heads, d = D / H width of one
 * head, S source length, T target length, V vocabulary. The weights have the names that
 * the Keras model gives them, such as "encoder_blocks.0.self_attention.query_dense".
 *
 * Everything returns new arrays; nothing is changed in place. So a beam, or a reader who
 * steps back through a translation, may keep a state and go on from it twice.
 */

import { softmax } from "./softmax.mjs";

const EPSILON = 1e-5; // of every layer normalisation, added to the variance

// --- Three operations; the fourth is softmax.mjs -------------------------------------------------------------

/** x W + b: a vector (D), a kernel (D, E) and a bias (E) give a vector (E). */
export function dense(x, { kernel, bias }) {
  const out = Float32Array.from(bias);
  const width = out.length;
  for (let row = 0; row < x.length; row++) {
    const factor = x[row];
    const start = row * width; // row of the kernel: what x[row] adds to each output
    for (let i = 0; i < width; i++) out[i] += factor * kernel[start + i];
  }
  return out;
}

/** Give a vector mean 0 and variance 1, then a learned scale and a learned shift. */
export function layerNorm(x, { gamma, beta }) {
  let mean = 0;
  for (const number of x) mean += number / x.length;
  let variance = 0;
  for (const number of x) variance += (number - mean) ** 2 / x.length;
  const scale = 1 / Math.sqrt(variance + EPSILON);
  return x.map((number, i) => (number - mean) * scale * gamma[i] + beta[i]);
}

/** The residual path: what a sub-layer has found is added to what came in. */
export function add(x, update) {
  return x.map((number, i) => number + update[i]);
}

// --- Attention -----------------------------------------------------------------------

/** The keys and the values of some positions, which later queries ask. */
export function keysAndValues(vectors, layer) {
  return {
    keys: vectors.map((x) => dense(x, layer.key_dense)),
    values: vectors.map((x) => dense(x, layer.value_dense)),
  };
}

/**
 * Let one position ask others: softmax(q · k / √d), then the mixture of the values.
 *
 * A mask isn't needed. Only what may be seen stands among the keys: there is no padding
 * in one sentence, and a decoder that writes word by word has no later words.
 *
 * @param {Float32Array} x what stands at the position that asks (D)
 * @param {{keys: Float32Array[], values: Float32Array[]}} seen S of each
 * @param {object} layer query_dense, output_dense
 * @param {number} heads H; each works on its own d columns
 * @param {Set<number>} removed heads whose mixture is set to 0
 * @returns {{output: Float32Array, weights: Float32Array[]}} (D), and (S) of each head
 */
export function attend(x, seen, layer, heads, removed = new Set()) {
  const query = dense(x, layer.query_dense);
  const width = query.length / heads;
  const mixed = new Float32Array(query.length);
  const weights = [];
  for (let head = 0; head < heads; head++) {
    const from = head * width;
    const scores = seen.keys.map((key) => {
      let product = 0;
      for (let i = from; i < from + width; i++) product += query[i] * key[i];
      return product / Math.sqrt(width);
    });
    const own = softmax(scores);
    weights.push(own);
    if (removed.has(head)) continue;
    seen.values.forEach((value, position) => {
      for (let i = from; i < from + width; i++) mixed[i] += own[position] * value[i];
    });
  }
  return { output: dense(mixed, layer.output_dense), weights };
}

/** Two dense layers and an activation between them, ReLU, for each position alone. */
export function feedForward(x, block, activation = (number) => Math.max(0, number)) {
  return dense(dense(x, block.dense_in).map(activation), block.dense_out);
}

// --- The model -----------------------------------------------------------------------

export class Transformer {
  /**
   * @param {object} config vocab_size, sequence_length, embed_dim, num_heads, num_layers
   * @param {object} weights as `readWeights` of model.mjs returns them
   */
  constructor(config, weights) {
    this.config = config;
    this.weights = weights;
  }

  /** A token's vector times √D, plus the vector of its position. */
  embed(token, position) {
    const width = this.config.embed_dim;
    const { token_embeddings, position_embeddings } = this.weights.embedding;
    const out = new Float32Array(width);
    for (let i = 0; i < width; i++) {
      const ofToken = token_embeddings[token * width + i] * Math.sqrt(width);
      out[i] = ofToken + position_embeddings[position * width + i];
    }
    return out;
  }

  /**
   * Read a sentence: ids (S) give S vectors, and the maps of all encoder heads.
   *
   * @param {number[]} ids
   * @param {function(string, number): Set<number>} removed see `removedHeads`
   * @returns {{vectors: Float32Array[], maps: Float32Array[][][]}} maps[block][head][t]
   *   holds the S weights with which position t attends
   */
  encode(ids, removed = removedHeads()) {
    const { num_heads: heads } = this.config;
    const maps = [];
    let vectors = ids.map((id, position) => this.embed(id, position));
    this.weights.encoder_blocks.forEach((block, number) => {
      const normed = vectors.map((x) => layerNorm(x, block.self_attention_norm));
      const seen = keysAndValues(normed, block.self_attention); // each sees all
      const without = removed("encoder", number);
      const found = normed.map((x) =>
        attend(x, seen, block.self_attention, heads, without),
      );
      vectors = vectors.map((x, t) => add(x, found[t].output));
      vectors = vectors.map((x) =>
        add(x, feedForward(layerNorm(x, block.feed_forward_norm), block)),
      );
      maps.push(byHead(found.map((one) => one.weights)));
    });
    const { encoder_norm: norm } = this.weights;
    return { vectors: vectors.map((x) => layerNorm(x, norm)), maps };
  }

  /** The state before the first word: empty caches, and the source's keys and values. */
  begin(encoded) {
    const blocks = this.weights.decoder_blocks;
    return {
      position: 0,
      caches: blocks.map(() => ({ keys: [], values: [] })),
      source: blocks.map((b) => keysAndValues(encoded.vectors, b.cross_attention)),
    };
  }

  /**
   * Write one token further.
   *
   * @param {number} token the newest one; START at first
   * @param {object} state from `begin` or the step before; it stays as it is
   * @returns logits (V) of the next token, the new state, and for each block and head the
   *   weights over what was written so far (`self`) and over the source (`cross`)
   */
  step(token, state, removed = removedHeads()) {
    const { num_heads: heads } = this.config;
    const caches = [];
    const maps = { self: [], cross: [] };
    let x = this.embed(token, state.position);
    this.weights.decoder_blocks.forEach((block, number) => {
      const normed = layerNorm(x, block.self_attention_norm);
      const newest = keysAndValues([normed], block.self_attention);
      const cache = {
        keys: [...state.caches[number].keys, ...newest.keys],
        values: [...state.caches[number].values, ...newest.values],
      };
      const self = attend(
        normed, cache, block.self_attention, heads, removed("self", number),
      );
      x = add(x, self.output);

      const cross = attend(
        layerNorm(x, block.cross_attention_norm), state.source[number],
        block.cross_attention, heads, removed("cross", number),
      );
      x = add(x, cross.output);
      x = add(x, feedForward(layerNorm(x, block.feed_forward_norm), block));

      caches.push(cache);
      maps.self.push(self.weights);
      maps.cross.push(cross.weights);
    });
    const logits = this.predict(layerNorm(x, this.weights.decoder_norm));
    return { logits, state: { ...state, position: state.position + 1, caches }, ...maps };
  }

  /** Score every token by the product with its own vector (the tied output). */
  predict(x) {
    const table = this.weights.embedding.token_embeddings;
    const logits = new Float32Array(this.config.vocab_size);
    for (let token = 0; token < logits.length; token++) {
      const start = token * x.length;
      let product = 0;
      for (let i = 0; i < x.length; i++) product += x[i] * table[start + i];
      logits[token] = product;
    }
    return logits;
  }
}

/**
 * Say which heads are switched off.
 *
 * @param {Iterable<string>} names such as "encoder.0.3": where, block, head; where is
 *   "encoder", "self" or "cross"
 * @returns {function(string, number): Set<number>} the heads removed from one layer
 */
export function removedHeads(names = []) {
  const found = new Map();
  for (const name of names) {
    const [where, block, head] = name.split(".");
    const layer = `${where}.${block}`;
    found.set(layer, (found.get(layer) ?? new Set()).add(Number(head)));
  }
  return (where, block) => found.get(`${where}.${block}`) ?? new Set();
}

/** Turn weights[t][head] into weights[head][t]. */
function byHead(weights) {
  return weights[0].map((_, head) => weights.map((ofPosition) => ofPosition[head]));
}
