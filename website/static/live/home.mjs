/** The translator on the home page; its model is fetched when it is first asked. */

import { startWorker } from "./asking.mjs";

const form = document.querySelector("form.live-home");
const [input, button, output] = ["input", "button", "output"].map((name) => form.querySelector(name));
let ask;

async function load() {
  const asking = startWorker();
  const address = new URL(form.dataset.model, document.baseURI).href;
  await asking("load", { address }, (part) => {
    output.textContent = `The model is being loaded: ${Math.round(100 * part)} % of 6 MB.`;
  });
  return asking;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  try {
    ask ??= await load();
    output.textContent = (await ask("translate", { text: input.value, how: {} })).text;
  } catch (error) {
    output.textContent = error.message;
  } finally {
    button.disabled = false;
  }
});
