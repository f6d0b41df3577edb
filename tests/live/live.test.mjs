/**
 * The site's models say what Keras says. `website/live_golden.py` has asked Keras;
 * MODELS is the folder that `website/export_models.py` has written.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

import { attention } from "../../website/static/live/attention.mjs";
import { bleu, matches, tokensOf } from "../../website/static/live/bleu.mjs";
import { beamSearch, chooseToken, keptTokens, longest, topK, translate, write } from "../../website/static/live/decoding.mjs";
import { readWeights, isWhole, makeModel } from "../../website/static/live/model.mjs";
import { learn } from "../../website/static/live/pairs.mjs";
import { product, turned, waves } from "../../website/static/live/positions.mjs";
import { speed, textOf } from "../../website/static/live/steps.mjs";
import { weightsOf } from "../../website/static/live/stored.mjs";
import { END } from "../../website/static/live/tokenizer.mjs";
import { softmax } from "../../website/static/live/softmax.mjs";
import { removedHeads } from "../../website/static/live/transformer.mjs";

const here = new URL(".", import.meta.url);
const golden = JSON.parse(gunzipSync(readFileSync(new URL("golden.json.gz", here))));
const read = (name) => {
  const file = readFileSync(`${process.env.MODELS}/${name}.bin`);
  const described = JSON.parse(readFileSync(`${process.env.MODELS}/${name}.json`, "utf8"));
  return { described, bytes: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) };
};
const { described, bytes } = read("translator");
const { transformer, tokenizer } = makeModel(described, bytes);
const sources = golden.ids.slice(0, golden.greedy.length);

/** The largest difference between numbers in two nested arrays of one shape. */
function apart(one, other) {
  if (typeof other === "number") return Math.abs(one - other);
  assert.equal(one.length, other.length);
  return Math.max(...other.map((part, i) => apart(one[i], part)));
}

test("the golden file is about this model, and its file is whole", async () => {
  assert.equal(described.sha256, golden.sha256, "run website/live_golden.py");
  assert.ok(await isWhole(bytes, described));
  const broken = bytes.slice(0);
  new Uint8Array(broken)[1000] ^= 1;
  assert.ok(!(await isWhole(broken, described)));
  assert.throws(() => makeModel(described, bytes.slice(2)), /bytes; expected/);
});

test("weights are fetched once, checked, and come where a browser keeps nothing, too", async () => {
  const [address, sent, held, seen] = ["https://course.example/m.bin", [Uint8Array.of(1, 2, 3, 4)], new Map(), []];
  const described = { bytes: 4, sha256: createHash("sha256").update(sent[0]).digest("hex") };
  const [key, other] = [`${address}?${described.sha256}`, "https://course.example/other.bin?1"];
  const store = {
    match: async (one) => held.get(one)?.clone(),
    keys: async () => [...held.keys()].map((url) => ({ url })),
    put: async (one, answer) => held.set(one, answer),
    delete: async ({ url }) => held.delete(url),
  };
  let asked = 0;
  globalThis.fetch = async () => (asked++, new Response(sent[0]));
  const load = async (caches) => {
    globalThis.caches = caches;
    assert.deepEqual([...new Uint8Array(await weightsOf(address, described, (part) => seen.push(part)))], [1, 2, 3, 4]);
  };
  const refuse = async () => { throw new DOMException("denied"); };
  for (const caches of [undefined, { open: refuse }, { open: async () => ({ ...store, put: refuse }) }]) await load(caches);
  assert.equal(asked, 3);
  const caches = { open: async () => store };
  for (const old of [other, `${address}?older`]) held.set(old, new Response("old"));
  await load(caches);
  await load(caches);
  assert.deepEqual([asked, seen.at(-1), ...held.keys()], [4, 1, other, key]); // one is kept
  held.set(key, new Response("damaged"));
  await load(caches);
  assert.equal(asked, 5);
  sent[0] = Uint8Array.of(1, 2, 3);
  held.clear();
  await assert.rejects(load(caches), /^Error: The model's file is damaged \(another checksum\): load the page again\.$/);
  assert.equal(held.size, 0);
  Object.defineProperty(globalThis, "crypto", { value: {} }); // as over plain HTTP
  assert.deepEqual([await isWhole(sent[0], described), await isWhole(bytes, { bytes: bytes.byteLength })], [false, true]);
});

test("8 bits and a power of two become float32", () => {
  const arrays = [{ name: "norm.gamma", size: 33 }, { name: "norm.beta", size: 2 }];
  const whole = [...Array(33).fill(0), 127, -1];
  whole[0] = 64;
  whole[32] = -127;
  const { norm } = readWeights(arrays, Int8Array.of(-6, 3, -20, ...whole).buffer);
  assert.deepEqual([norm.gamma[0], norm.gamma[1], norm.gamma[32]], [1, 0, -1016]);
  assert.deepEqual([...norm.beta], [127 * 2 ** -20, -(2 ** -20)]);
});

test("texts are cut as by the course's tokenizer, and put together again", () => {
  golden.texts.forEach((text, i) => {
    assert.deepEqual(tokenizer.encode(text), golden.ids[i], text);
    assert.equal(tokenizer.decode(golden.ids[i]), golden.decoded[i]);
  });
  assert.deepEqual(tokenizer.encode(" \t\n"), []);
});

test("logits and maps are those of Keras with the same rounded weights", () => {
  sources.forEach((source, i) => {
    const steps = [...write(transformer, source)];
    assert.deepEqual(steps.map(({ token }) => token), golden.greedy[i]);
    const logits = steps.map((step) => step.logits.filter((_, id) => id % golden.every === 0));
    assert.ok(apart(logits, golden.logits[i]) < 1e-3);
    golden.cross[i].forEach((heads, layer) =>
      heads.forEach((map, head) => {
        const ours = steps.map(({ cross }) => cross[layer][head]);
        assert.ok(apart(ours, map) < 1e-4);
      }));
    for (const rows of steps[0].encoded.maps.flat()) {
      for (const row of rows) assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-5);
    }
  });
});

test("with 8 bits a parameter all translations are those of the whole model", () => {
  assert.deepEqual(golden.greedy, golden.unrounded);
});

test("beams are those of Keras, and one beam is the greedy way", () => {
  golden.beams.forEach((ids, i) => {
    const { ids: ours } = beamSearch(transformer, sources[i], { width: 4 });
    assert.deepEqual(ours, ids.filter((id) => id !== END));
  });
  const one = beamSearch(transformer, sources[0], { width: 1 });
  assert.deepEqual(one.ids, translate(transformer, sources[0]));
});

test("pieces are joined, and a speed is said", () => {
  assert.equal(textOf(["▁It", "▁is", ".", "[end]"]), "It is.");
  assert.equal(speed(3, 150), "3 steps in 150 ms: 20 tokens a second.");
});

test("a state that was kept can be gone on from twice", () => {
  const state = transformer.begin(transformer.encode(sources[0]));
  const first = transformer.step(2, state);
  transformer.step(7, first.state);
  const again = transformer.step(2, state);
  assert.deepEqual(again.logits, first.logits);
  assert.equal(state.position, 0);
});

test("a head that is removed changes the logits and nothing else", () => {
  const removed = ["cross.0.1", "encoder.1.3", "self.1.0"];
  const [plain] = write(transformer, sources[0]);
  for (const name of removed) {
    const [without] = write(transformer, sources[0], { removed: [name] });
    assert.ok(apart([...without.logits], [...plain.logits]) > 1e-3, name);
  }
  const off = removedHeads(removed);
  assert.deepEqual([...off("cross", 0)], [1]);
  assert.equal(off("cross", 1).size, 0);
});

test("top-k and top-p keep what the course's samplers keep", () => {
  const kept = (...how) => keptTokens(Float32Array.of(0, 2, 1, 2), ...how).map(([id]) => id);
  assert.deepEqual(kept(1), [0, 1, 2, 3]);
  assert.deepEqual(kept(1, 3), [1, 2, 3]);
  assert.deepEqual(kept(1, undefined, 0.5), [1, 3]); // of equal ones the first counts first
  assert.deepEqual(kept(1, undefined, 0.3), [1]);
  assert.deepEqual(kept(0.1, undefined, 0.51), [1, 3]);
  assert.deepEqual(kept(1, 1), [1]);
  for (const k of [0, 1.5, -1]) assert.throws(() => kept(1, k), /top-k is .*: choose a whole number from 1/);
  for (const p of [0, 1.1]) assert.throws(() => kept(1, undefined, p), /top-p is .*: choose a number above 0/);
  assert.throws(() => chooseToken([0, 1], 0.5, { temperature: -1 }), /temperature is -1: choose 0 or more/);
  const many = Float32Array.from({ length: 500 }, (_, i) => (i * 7919) % 250); // each twice
  assert.deepEqual(topK(many, 101).slice(0, 100), topK(many, 100));
});

test("draws have the probabilities of the model", () => {
  const logits = Float32Array.of(0, 2, -1, 1);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 1000; i++) counts[chooseToken(logits, (i + 0.5) / 1000, { temperature: 0.7 })]++;
  const expected = softmax(logits.map((logit) => logit / 0.7));
  assert.ok(apart(counts.map((count) => count / 1000), [...expected]) < 2e-3);
  assert.equal(chooseToken(logits, 0.999, {}), 1); // temperature 0: the best one
});

test("a translation never gets longer than the rule says", () => {
  const found = translate(transformer, sources[0], { temperature: 5, random: () => 0.99 });
  assert.ok(found.length <= longest(transformer, sources[0]));
});

test("BLEU is sacrebleu's, and a run counts only as often as the reference has it", () => {
  for (const [text, reference, score] of golden.bleu) {
    assert.ok(Math.abs(bleu(tokensOf(text), tokensOf(reference)).score - score) < 1e-6, text);
  }
  const [{ right }] = matches(["the", "the", "the"], ["the", "boat", "the"]);
  assert.equal(right, 2);
  assert.equal(bleu([], ["a"]).score, 0);
});

test("merges are learned as by the course's library", () => {
  const { merges } = learn(golden.texts.slice(0, 50).join(" "), golden.merges.length);
  assert.deepEqual(merges.map(({ pair }) => pair), golden.merges);
  assert.deepEqual(learn("").merges, []);
});

test("attention by hand: masked words get nothing, the others share 1", () => {
  const word = (query, key, value) => ({ query, key, value });
  const all = [word([1, 0], [2, 0], [1, 1]), word([0, 1], [0, 2], [3, 0]), word([0, 0], [2, 0], [0, 2])];
  const { weights, mixture } = attention(all, 0, [true, true, false], Math.SQRT2);
  const raised = [Math.exp(Math.SQRT2), 1];
  assert.ok(apart(weights, [raised[0] / (raised[0] + 1), 1 / (raised[0] + 1), 0]) < 1e-6);
  assert.ok(apart(mixture, [weights[0] + 3 * weights[1], weights[0]]) < 1e-6);
  assert.equal(attention(all, 0, [false, false, false], 1).mixture, null);
});

test("positions: waves as lesson 06 prints them; products of waves and turns know distance alone", () => {
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} ${b}`);
  assert.ok(apart(waves(1, 4), [0.841470985, 0.540302306, 0.009999833, 0.99995]) < 1e-6);
  const [query, key] = [[0.3, -1, 2, 0.5], [1, 0.2, -0.4, 1.5]];
  assert.deepEqual(turned(query, 0), query);
  assert.ok(apart(turned([1, 0, 0, 0], Math.PI / 2), [0, 0, 1, 0]) < 1e-9);
  for (const [t, s] of [[3, 1], [0, 6]]) {
    near(product(turned(query, t), turned(key, s)), product(turned(query, t + 9), turned(key, s + 9)));
    near(product(waves(t, 8), waves(s, 8)), product(waves(t + 9, 8), waves(s + 9, 8)));
  }
  assert.ok(Math.abs(product(turned(query, 3), turned(key, 1)) - product(query, key)) > 0.1);
});

test("the pages in the notebooks hold these programs, and a rounded table of positions", () => {
  const programOf = (name, result) => {
    const page = readFileSync(new URL(`../../course_utils/kit/plots/pages/${name}.html`, here), "utf8");
    return new Function(`"use strict"; ${page.match(/<script type="module">(.*)<\/script>/s)[1]}; return ${result};`)();
  };
  const [text, reference, score] = golden.bleu[0];
  const found = programOf("bleu", "(text, other) => bleu(tokensOf(text), tokensOf(other)).score")(text, reference);
  assert.ok(Math.abs(found - score) < 1e-6);
  assert.deepEqual(programOf("pairs", "learn")("ab ab").merges, learn("ab ab").merges);
  const one = { query: [1, 0], key: [2, 0], value: [1, 1] };
  assert.deepEqual(programOf("attention", "attention")([one], 0, [true], 1).mixture, [1, 1]);
  const table = programOf("positions", "learned()");
  const numbers = transformer.weights.embedding.position_embeddings;
  const width = transformer.config.embed_dim;
  const largest = Math.max(...table.flat().map(Math.abs));
  table.forEach((row, i) => assert.ok(apart(row, [...numbers.subarray(i * width, (i + 1) * width)]) < largest / 200));
});
