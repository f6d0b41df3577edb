/**
 * Load a model that `website/export_models.py` has written: NAME.json says what there is,
 * NAME.bin holds the weights as whole numbers of 8 bits, and before them, for each 32 of
 * them, the exponent of the power of two that multiplies them.
 */

import { Tokenizer } from "./tokenizer.mjs";
import { Transformer } from "./transformer.mjs";

const GROUP = 32; // weights that share a power of two, as in `tools/eight_bits.py`

/**
 * Cut the bytes into arrays and hang them where their names say.
 *
 * @param {{name: string, size: number}[]} arrays in the order of the bytes; a name such
 *   as "encoder_blocks.0.dense_in.kernel"
 * @param {ArrayBuffer} bytes the exponents of all arrays, then their whole numbers
 */
export function readWeights(arrays, bytes) {
  const groups = arrays.reduce((sum, { size }) => sum + Math.ceil(size / GROUP), 0);
  const expected = arrays.reduce((sum, { size }) => sum + size, groups);
  if (expected !== bytes.byteLength) {
    throw new Error(`The weights have ${bytes.byteLength} bytes; expected ${expected}.`);
  }
  const exponents = new Int8Array(bytes, 0, groups);
  const whole = new Int8Array(bytes, groups);
  const weights = { encoder_blocks: [], decoder_blocks: [] };
  let start = 0;
  let group = 0;
  for (const { name, size } of arrays) {
    const path = name.split(".");
    const last = path.pop();
    const place = path.reduce((node, key) => (node[key] ??= {}), weights);
    const first = group;
    place[last] = Float32Array.from(
      whole.subarray(start, start + size),
      (number, i) => number * 2 ** exponents[first + Math.floor(i / GROUP)],
    );
    start += size;
    group += Math.ceil(size / GROUP);
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
