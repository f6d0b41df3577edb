/** The page "Write with the mini GPT". */

import { startWorker } from "./asking.mjs";
import { get, make } from "./page.mjs";
import { nextTokens, speed, textOf, token } from "./steps.mjs";

const CELL = 9; // pixels of one position in the drawing of the cache
const page = { config: null, found: null, seed: 0, asked: 0 };

const numberIn = (id) => (get(id).value === "" ? undefined : Number(get(id).value));

/** What a cache of some positions holds, in numbers and in words. */
export function sizeOf(positions, { num_layers: blocks, embed_dim: width }) {
  const numbers = positions * blocks * 2 * width;
  const told = `${positions} positions × ${blocks} blocks × a key and a value of ${width} numbers = ${numbers.toLocaleString("en")} numbers, ${Math.round((4 * numbers) / 1000).toLocaleString("en")} KB as float32`;
  return { numbers, told };
}

function tell(text, wrong = false) {
  get("status").textContent = text;
  get("status").classList.toggle("wrong", wrong);
}

/** Ask for a text; only the answer to the latest question is shown. */
async function run(ask) {
  const number = ++page.asked;
  const length = Math.min(120, Math.max(1, Math.round(numberIn("length") ?? 40)));
  const how = { seed: page.seed, temperature: numberIn("temperature"), top_k: numberIn("top_k"), top_p: numberIn("top_p") };
  tell("It writes …");
  try {
    const found = await ask("writeOn", { text: get("text").value, length, how });
    if (number !== page.asked) return;
    page.found = found;
    tell(speed(found.steps.length, found.milliseconds));
    show();
  } catch (error) {
    if (number === page.asked) tell(error.message, true);
  }
}

function show() {
  const { steps } = page.found;
  get("found").hidden = false;
  const all = textOf(steps.map(({ piece }) => piece));
  const prompt = textOf(steps.filter(({ given }) => given).map(({ piece }) => piece));
  get("whole").replaceChildren(prompt, make("b", {}, all.slice(prompt.length)));
  get("step").max = steps.length;
  showStep(steps.filter(({ given }) => given).length + 1);
}

function showStep(number) {
  const { steps } = page.found;
  const step = Math.min(Math.max(1, number), steps.length);
  get("step").value = step;
  get("of").textContent = `${step} of ${steps.length}`;
  get("back").disabled = step === 1;
  get("forth").disabled = step === steps.length;
  const { best, given } = steps[step - 1];
  get("given").textContent = given ? "You gave this token; so it is read, not drawn." : "";
  get("next").tBodies[0].replaceChildren(...nextTokens(best));
  showLooks();
  showCache(step);
}

/** Shade what was read so far by the weights of one head. */
function showLooks() {
  const { steps, start } = page.found;
  const now = get("step").value - 1;
  const weights = steps[now].self[get("block").value][get("head").value];
  const read = [start, ...steps.slice(0, now).map(({ piece }) => piece)];
  get("looks").replaceChildren(...read.flatMap((piece, i) =>
    [token(piece, i === now, { weight: weights[i], title: weights[i].toFixed(2) }), " "]));
  const most = [...read.keys()].sort((a, b) => weights[b] - weights[a]).slice(0, 3);
  const listed = most.map((i) => `${read[i]} ${weights[i].toFixed(2)}`).join(", ");
  get("told").textContent = `The marked token asks, to say what comes after it. It looks most at: ${listed}.`;
}

/** Draw keys and values of each block and position; the newest column was just added. */
function showCache(positions) {
  const { num_layers: blocks } = page.config;
  const { told } = sizeOf(positions, page.config);
  const again = positions === 1 ? "just as many" : `of all ${positions}`;
  get("cached").textContent = `This step computed the keys and values of one position, the last column; without the cache it would be ${again}. The cache holds ${told}.`;
  const drawn = make("svg", { width: positions * CELL + 2, height: blocks * CELL + 2, role: "img", "aria-label": `${blocks} rows of ${positions} squares` });
  for (let block = 0; block < blocks; block++) {
    for (let t = 0; t < positions; t++) {
      const place = { x: t * CELL + 1, y: block * CELL + 1, width: CELL - 2, height: CELL - 2 };
      drawn.append(make("rect", { ...place, class: t === positions - 1 ? "newest" : "kept" }));
    }
  }
  get("cache").replaceChildren(drawn);
}

/** Fill what depends on the model's size. */
function fill({ num_heads: heads, num_layers: blocks }) {
  const numbers = (count) => [...Array(count).keys()].map((i) => make("option", { value: i }, `${i + 1}`));
  get("block").replaceChildren(...numbers(blocks));
  get("head").replaceChildren(...numbers(heads));
}

async function begin() {
  const ask = startWorker();
  get("form").addEventListener("submit", (event) => (event.preventDefault(), run(ask)));
  get("form").addEventListener("change", (event) => {
    if (event.target.id === "temperature") event.target.nextElementSibling.textContent = event.target.value;
    if (event.target.id !== "text") run(ask);
  });
  get("again").addEventListener("click", () => (page.seed++, run(ask)));
  get("step").addEventListener("input", () => showStep(Number(get("step").value)));
  get("back").addEventListener("click", () => showStep(Number(get("step").value) - 1));
  get("forth").addEventListener("click", () => showStep(Number(get("step").value) + 1));
  for (const id of ["block", "head"]) get(id).addEventListener("change", showLooks);
  try {
    const address = new URL("../models/mini_gpt", import.meta.url).href;
    page.config = await ask("load", { address }, (part) => (get("progress").value = part));
    get("progress").hidden = true;
    for (const id of ["go", "again"]) get(id).disabled = false;
    fill(page.config);
    await run(ask);
  } catch (error) {
    tell(error.message, true);
  }
}

if (globalThis.document) begin();
