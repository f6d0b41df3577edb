/** The page "Translate, step by step". */

import { startWorker } from "./asking.mjs";
import { get, make } from "./page.mjs";
import { nextTokens, token } from "./steps.mjs";

const ask = startWorker();
const page = { config: null, found: null, whole: null, seed: 0, asked: 0 };
const HEADS = { encoder: "encoder", self: "decoder → written", cross: "decoder → source" };

const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`).value;
const removed = () => [...document.querySelectorAll("#heads input:not(:checked)")].map((box) => box.value);
const numberIn = (id) => (get(id).value === "" ? undefined : Number(get(id).value));

function tell(text, wrong = false) {
  get("status").textContent = text;
  get("status").classList.toggle("wrong", wrong);
}

/** Ask for a translation; only the answer to the latest question is shown. */
async function run() {
  const number = ++page.asked;
  const text = get("text").value;
  const method = chosen("method");
  get("beam-options").hidden = method !== "beam";
  get("sample-options").hidden = method !== "sample";
  const how = { removed: removed(), seed: page.seed };
  if (method === "sample") {
    Object.assign(how, { temperature: numberIn("temperature"), top_k: numberIn("top_k"), top_p: numberIn("top_p") });
  }
  tell("It translates …");
  try {
    const start = performance.now();
    const width = Math.min(8, Math.max(1, numberIn("width") ?? 4));
    const beam = method === "beam" && (await ask("beam", { text, how: { width, removed: how.removed } }));
    const found = await ask("translate", { text, how });
    const whole = how.removed.length ? await ask("translate", { text, how: { ...how, removed: [] } }) : null;
    if (number !== page.asked) return;
    Object.assign(page, { found, whole, beam });
    const tokens = found.steps.length;
    tell(`${tokens} steps, ${found.source.length} source tokens, ${(performance.now() - start).toFixed(0)} ms.`);
    show();
  } catch (error) {
    if (number === page.asked) tell(error.message, true);
  }
}

function show() {
  const { found, whole, beam } = page;
  get("found").hidden = false;
  get("translation").textContent = (beam || found).text;
  get("compared").textContent = whole ? `With all heads: ${whole.text}` : "";
  get("tree-part").hidden = !beam;
  if (beam) get("tree").replaceChildren(tree(beam));
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

/** Draw all that a beam search has looked at. */
function tree({ tree: steps, ids }) {
  const [wide, high] = [118, 24];
  const most = Math.max(...steps.map((step) => step.length));
  const drawn = make("svg", { width: steps.length * wide + 10, height: most * high + 10, role: "img", "aria-label": told(steps) });
  const places = []; // where each kept beam of the step before stands
  const best = bestPath(steps, ids);
  steps.forEach((step, t) => {
    const order = step.map((one, i) => i).sort((a, b) => step[b].total - step[a].total);
    const now = [];
    order.forEach((i, row) => {
      const { piece, total, parent, kept } = step[i];
      const [x, y] = [t * wide + 8, row * high + 4];
      const kind = kept < 0 ? "dropped" : best[t] === kept ? "best" : "kept";
      const group = make("g", { class: kind }, make("title", {}, `${piece}, ${total.toFixed(2)}`));
      if (t) group.append(make("path", { d: `M ${(t - 1) * wide + 104} ${places[parent]} L ${x} ${y + 10}` }));
      if (kept >= 0) {
        now[kept] = y + 10;
        group.append(make("rect", { x, y, width: 96, height: 20, rx: 4 }));
      }
      group.append(make("text", { x: x + 4, y: y + 15 }, `${piece.slice(0, 6)} ${total.toFixed(1)}`));
      drawn.append(group);
    });
    places.splice(0, places.length, ...now);
  });
  return drawn;
}

/** Return which kept beam of each step leads to the translation. */
function bestPath(steps, ids) {
  let place = steps.at(-1).findIndex((one) => one.kept >= 0);
  const ends = steps.at(-1).filter((one) => one.kept >= 0);
  for (const one of ends) {
    const path = follow(steps, one.kept);
    const written = path.map((kept, t) => steps[t].find((o) => o.kept === kept).token).filter((id) => id > 3);
    // A finished beam repeats its end in later steps.
    if (written.join() === ids.join()) return path;
    place = one.kept;
  }
  return follow(steps, place);
}

function follow(steps, kept) {
  const path = [];
  for (let t = steps.length - 1; t >= 0; t--) {
    path.unshift(kept);
    kept = steps[t].find((one) => one.kept === kept).parent;
  }
  return path;
}

function told(steps) {
  const looked = steps.flat().length;
  const dropped = steps.flat().filter(({ kept }) => kept < 0).length;
  return `${steps.length} steps; ${looked} continuations were looked at and ${dropped} of them dropped.`;
}

/** Fill what depends on the model's size. */
function fill({ num_heads: heads, num_layers: blocks }) {
  const numbers = (count) => [...Array(count).keys()].map((i) => make("option", { value: i }, `${i + 1}`));
  get("block").replaceChildren(...numbers(blocks));
  get("head").replaceChildren(...numbers(heads));
  get("block").value = blocks - 1;
  for (const [where, name] of Object.entries(HEADS)) {
    for (let block = 0; block < blocks; block++) {
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
