/**
 * Load a model that `website/export_models.py` has written: NAME.json says what there is,
 * NAME.bin holds the weights as float16, one array after the other.
 */

import { Tokenizer } from "./tokenizer.mjs";
import { Transformer } from "./transformer.mjs";

/** Turn float16 numbers, as whole numbers of 16 bits, into float32 ones. */
export function fromHalf(halves) {
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 31;
    const fraction = half & 1023;
    if (exponent === 0) return sign * fraction * 2 ** -24;
    return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/**
 * Cut the bytes into arrays and hang them where their names say.
 *
 * @param {{name: string, size: number}[]} arrays in the order of the bytes; a name such
 *   as "encoder_blocks.0.dense_in.kernel"
 * @param {ArrayBuffer} bytes
 */
export function readWeights(arrays, bytes) {
  const numbers = fromHalf(new Uint16Array(bytes));
  const weights = { encoder_blocks: [], decoder_blocks: [] };
  let start = 0;
  for (const { name, size } of arrays) {
    const path = name.split(".");
    const last = path.pop();
    const place = path.reduce((node, key) => (node[key] ??= {}), weights);
    place[last] = numbers.subarray(start, start + size);
    start += size;
  }
  if (start !== numbers.length) {
    throw new Error(`The weights have ${numbers.length} numbers; expected ${start}.`);
  }
  return weights;
}

/** Put a model together from its description and its bytes. */
export function makeModel({ config, arrays, vocabulary, merges }, bytes) {
  const weights = readWeights(arrays, bytes);
  return { transformer: new Transformer(config, weights), tokenizer: new Tokenizer(vocabulary, merges) };
}

/**
 * Say whether bytes are those that a description promises.
 *
 * A page over plain HTTP may not compute a checksum; there the size has to do.
 */
export async function isWhole(content, { bytes, sha256 }) {
  if (!globalThis.crypto?.subtle) return content.byteLength === bytes;
  const digest = await crypto.subtle.digest("SHA-256", content);
  const text = [...new Uint8Array(digest)].map((b) => b.toString(16).padStart(2, "0"));
  return text.join("") === sha256;
}
