/**
 * The mini GPT of lesson 13: a decoder without an encoder, so each block only asks what
 * was written before. Everything else is that of the Transformer beside it.
 */

import { add, attend, feedForward, keysAndValues, layerNorm, removedHeads, Transformer } from "./transformer.mjs";

/** The error function, at most 1.5e-7 off (Abramowitz and Stegun, 1964, 7.1.26). */
export function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}

/** x times the probability that a normal number is below x. */
export const gelu = (x) => (x * (1 + erf(x / Math.SQRT2))) / 2;

export class MiniGPT extends Transformer {
  /** The state before the first token: empty caches. */
  begin() {
    return { position: 0, caches: this.weights.blocks.map(() => ({ keys: [], values: [] })) };
  }

  /**
   * Read one token further; without a cache this would read all of them again.
   *
   * @param {number} token the newest one; START at first
   * @param {object} state from `begin` or the step before; it stays as it is
   * @returns logits (V) of the next token, the new state, and for each block and head the
   *   weights over what was read so far (`self`)
   */
  step(token, state, removed = removedHeads()) {
    const caches = [];
    const self = [];
    let x = this.embed(token, state.position);
    this.weights.blocks.forEach((block, number) => {
      const normed = layerNorm(x, block.self_attention_norm);
      const newest = keysAndValues([normed], block.self_attention);
      const cache = {
        keys: [...state.caches[number].keys, ...newest.keys],
        values: [...state.caches[number].values, ...newest.values],
      };
      const found = attend(
        normed, cache, block.self_attention, this.config.num_heads, removed("self", number),
      );
      x = add(x, found.output);
      x = add(x, feedForward(layerNorm(x, block.feed_forward_norm), block, gelu));
      caches.push(cache);
      self.push(found.weights);
    });
    const logits = this.predict(layerNorm(x, this.weights.norm));
    return { logits, state: { position: state.position + 1, caches }, self };
  }
}
