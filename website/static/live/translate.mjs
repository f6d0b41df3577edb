/** The page "Translate, step by step". */

import { startWorker } from "./asking.mjs";
import { get, make } from "./page.mjs";
import { nextTokens, speed, token } from "./steps.mjs";

const ask = startWorker();
const page = { config: null, found: null, seed: 0, asked: 0 };
const HEADS = { encoder: "encoder", self: "decoder → written", cross: "decoder → source" };

const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
const removed = () => [...document.querySelectorAll("#heads input:not(:checked)")].map((box) => box.value);
const numberIn = (id) => (get(id).value === "" ? undefined : Number(get(id).value));

function tell(text, wrong = false) {
  get("status").textContent = text;
  get("status").classList.toggle("wrong", wrong);
}

/** What the reader has chosen, in the words of the worker. */
function settings() {
  const how = { method: chosen("method"), removed: removed(), seed: page.seed };
  if (how.method === "beam") how.width = Math.min(8, Math.max(1, Math.round(numberIn("width") ?? 4)));
  if (how.method !== "sample") return how;
  return { ...how, temperature: numberIn("temperature"), top_k: numberIn("top_k"), top_p: numberIn("top_p") };
}

const translate = (text, how) => ask(how.method === "beam" ? "beam" : "translate", { text, how });

/** Ask for a translation; only the answer to the latest question is shown. */
async function run() {
  const number = ++page.asked;
  const text = get("text").value;
  const how = settings();
  get("beam-options").hidden = how.method !== "beam";
  get("sample-options").hidden = how.method !== "sample";
  tell("It translates …");
  try {
    const shown = await translate(text, how);
    // The tables show how one sentence is written, so with beams the greedy one.
    const found = how.method === "beam" ? await ask("translate", { text, how: { removed: how.removed } }) : shown;
    // The same method and the same draws: nothing but the heads makes a difference.
    const whole = how.removed.length ? await translate(text, { ...how, removed: [] }) : null;
    if (number !== page.asked) return;
    Object.assign(page, { how, shown, found, whole });
    tell(`${found.source.length} source tokens. ${timed(how, shown)}`);
    show();
  } catch (error) {
    if (number === page.asked) tell(error.message, true);
  }
}

/** How long the translation that is shown took, without what is shown beside it. */
function timed({ method, width }, { steps, milliseconds }) {
  if (method !== "beam") return speed(steps.length, milliseconds);
  return `${steps} steps of ${width} beams in ${milliseconds.toFixed(0)} ms.`;
}

function show() {
  const { how, shown, found, whole } = page;
  const [beam, sample] = ["beam", "sample"].map((method) => how.method === method);
  get("found").hidden = false;
  get("translation").textContent = shown.text;
  get("compared").textContent = whole ? `With all heads${sample ? " and the same draws" : ""}: ${whole.text}` : "";
  get("own").hidden = !sample;
  get("h-steps").textContent = beam ? "How the greedy way writes it" : "How it was written";
  get("step").max = found.steps.length;
  showStep(found.steps.length);
}

function showStep(number) {
  const { steps } = page.found;
  const step = Math.min(Math.max(1, number), steps.length);
  get("step").value = step;
  get("of").textContent = `${step} of ${steps.length}`;
  get("back").disabled = step === 1;
  get("forth").disabled = step === steps.length;
  const tokens = steps.slice(0, step).map(({ piece }, i) => token(piece, i === step - 1));
  get("written").replaceChildren(...tokens);
  get("next").tBodies[0].replaceChildren(...nextTokens(steps[step - 1].best));
  showMap();
}

/** The map of one head as a table: a row asks, a column is looked at. */
function showMap() {
  const { steps, maps, source, start } = page.found;
  const [where, block, head] = ["where", "block", "head"].map((id) => get(id).value);
  const now = get("step").value - 1;
  const read = [start, ...steps.slice(0, -1).map(({ piece }) => piece)];
  const rows = where === "encoder"
    ? maps[block][head].map((weights, t) => [source[t], weights])
    : steps.slice(0, now + 1).map((step, t) => [step.piece, step[where][block][head]]);
  const columns = where === "self" ? read.slice(0, now + 1) : source;
  get("map-told").textContent = where === "encoder"
    ? "A row is a source token that asks; its weights sum to 1."
    : "A row is a token that was written; its weights, from before it was chosen, sum to 1.";
  const header = make("tr", {}, make("td", {}), ...columns.map((piece) => make("th", { scope: "col" }, piece)));
  const body = rows.map(([piece, weights], t) =>
    make("tr", { class: where !== "encoder" && t === now ? "now" : "" },
      make("th", { scope: "row" }, piece),
      ...columns.map((_, i) => cell(weights[i]))));
  get("map").replaceChildren(make("thead", {}, header), make("tbody", {}, ...body));
}

function cell(weight) {
  if (weight === undefined) return make("td", { weight: 0 }, "");
  return make("td", { weight, class: weight > 0.7 ? "strong" : "" }, weight.toFixed(2));
}

const numbers = (count) => [...Array(count).keys()].map((i) => make("option", { value: i }, `${i + 1}`));
const blocksOf = (where) => page.config[where === "encoder" ? "encoder_layers" : "num_layers"];

/** Offer the blocks of encoder or decoder, and choose the last one. */
function fillBlocks() {
  const blocks = blocksOf(get("where").value);
  get("block").replaceChildren(...numbers(blocks));
  get("block").value = blocks - 1;
}

/** Fill what depends on the model's size. */
function fill({ num_heads: heads }) {
  fillBlocks();
  get("head").replaceChildren(...numbers(heads));
  for (const [where, name] of Object.entries(HEADS)) {
    for (let block = 0; block < blocksOf(where); block++) {
      const boxes = [...Array(heads).keys()].map((head) =>
        make("label", {}, make("input", { type: "checkbox", checked: "", value: `${where}.${block}.${head}` }), ` ${head + 1} `));
      get("heads").append(make("fieldset", {}, make("legend", {}, `${name}, block ${block + 1}`), ...boxes));
    }
  }
}

get("form").addEventListener("submit", (event) => (event.preventDefault(), run()));
get("form").addEventListener("change", (event) => {
  if (event.target.id === "temperature") event.target.nextElementSibling.textContent = event.target.value;
  if (event.target.id !== "text") run();
});
get("again").addEventListener("click", () => (page.seed++, run()));
get("heads").addEventListener("change", run);
get("all-on").addEventListener("click", () => {
  for (const box of document.querySelectorAll("#heads input")) box.checked = true;
  run();
});
get("step").addEventListener("input", () => showStep(Number(get("step").value)));
get("back").addEventListener("click", () => showStep(Number(get("step").value) - 1));
get("forth").addEventListener("click", () => showStep(Number(get("step").value) + 1));
get("where").addEventListener("change", fillBlocks);
for (const id of ["where", "block", "head"]) get(id).addEventListener("change", showMap);

try {
  const address = new URL("../models/translator", import.meta.url).href;
  page.config = await ask("load", { address }, (part) => (get("progress").value = part));
  get("progress").hidden = true;
  get("go").disabled = false;
  fill(page.config);
  await run();
} catch (error) {
  tell(error.message, true);
}
