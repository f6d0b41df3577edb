/** Answer a request with the site's own modules: JSON on standard input and output. */

import { readFileSync, writeSync } from "node:fs";

import { beamSearch, keptTokens, write } from "../../website/static/live/decoding.mjs";
import { hasHash, makeModel } from "../../website/static/live/model.mjs";

const request = JSON.parse(readFileSync(0, "utf8"));
const described = JSON.parse(readFileSync(`${request.folder}/translator.json`, "utf8"));
const file = readFileSync(`${request.folder}/translator.bin`);
const bytes = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
const { transformer, tokenizer } = makeModel(described, bytes);

const answers = {
  hash: () => hasHash(bytes, described.sha256),
  encode: ({ texts }) => texts.map((text) => tokenizer.encode(text)),
  decode: ({ rows }) => rows.map((ids) => tokenizer.decode(ids)),
  beam: ({ rows, how }) => rows.map((ids) => beamSearch(transformer, ids, how)),
  kept: ({ logits, how }) => keptTokens(Float32Array.from(logits), ...how),
  steps: ({ rows, how }) =>
    rows.map((ids) =>
      [...write(transformer, ids, how)].map(({ token, logits, self, cross, encoded }) => ({
        token, logits, self, cross, maps: encoded.maps,
      })),
    ),
};
const rounded = (number) => Math.round(1e5 * number) / 1e5;
const plain = (key, value) => (ArrayBuffer.isView(value) ? Array.from(value, rounded) : value);
const start = performance.now();
const answer = await answers[request.ask](request);
const out = JSON.stringify({ answer, seconds: (performance.now() - start) / 1000 }, plain);
for (let i = 0; i < out.length; ) i += writeSync(1, out.slice(i, i + 65536));
