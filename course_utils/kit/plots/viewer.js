"use strict";
{
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const largest = data.weights.flat(3).reduce((a, b) => Math.max(a, b), 0);
  const steps = { ArrowRight: 1, ArrowDown: 1, Home: -Infinity,
                  ArrowLeft: -1, ArrowUp: -1, End: Infinity };
  let pinned = null;  // the token that has, or last had, the keyboard's focus
  let hovered = null; // the token under the pointer

  const source = addTokens(byId("source"), data.source, "is looked at most by");
  const target = addTokens(byId("target"), data.target, "looks most at");
  source.other = target;
  target.other = source;
  byId("largest").textContent = largest.toFixed(3);
  byId("layer").addEventListener("change", draw);
  byId("head").addEventListener("change", draw);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      pinned = hovered = null;
      draw();
    }
  });

  function addTokens(list, tokens, verb) {
    const side = { tokens, verb, items: [], numbers: [] };
    tokens.forEach((token, index) => {
      const item = document.createElement("li");
      const word = document.createElement("bdi");
      const number = document.createElement("span");
      word.textContent = token;
      item.append(word, number);
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      item.tabIndex = index ? -1 : 0;
      item.addEventListener("focus", () => pin(side, index));
      item.addEventListener("click", () => item.focus());
      item.addEventListener("keydown", (event) => move(event, side, index));
      // Not pointerenter: that also fires when the page scrolls under a resting mouse.
      item.addEventListener("pointermove", () => hover(side, index));
      side.items.push(item);
      side.numbers.push(number);
      list.append(item);
    });
    list.addEventListener("pointerleave", () => { hovered = null; draw(); });
    return side;
  }

  function pin(side, index) {
    side.items.forEach((item, place) => { item.tabIndex = place === index ? 0 : -1; });
    pinned = { side, index };
    hovered = null;
    draw();
  }

  function hover(side, index) {
    if (hovered && hovered.side === side && hovered.index === index) return;
    hovered = { side, index };
    draw();
  }

  function move(event, side, index) {
    const step = steps[event.key];
    // With a modifier the key belongs to the browser: Alt and left arrow go back.
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = Math.min(Math.max(index + step, 0), side.items.length - 1);
    side.items[next].focus();
  }

  // One number for each token of the other side: a row of the map, or a column.
  function weightsOf({ side, index }) {
    const heads = data.weights[byId("layer").value];
    const head = byId("head").value;
    const maps = head === "mean" ? heads : [heads[head]];
    return side.other.tokens.map((_, place) => {
      const values = maps.map((map) =>
        side === target ? map[index][place] : map[place][index]);
      return values.reduce((a, b) => a + b) / values.length;
    });
  }

  function draw() {
    const shown = hovered || pinned;
    const weights = shown ? weightsOf(shown) : [];
    for (const side of [source, target]) {
      side.items.forEach((item, index) => {
        const asks = shown !== null && shown.side === side;
        const weight = shown !== null && !asks ? weights[index] : null;
        item.setAttribute("aria-selected", String(asks && shown.index === index));
        item.style.setProperty("--strength", weight ? weight / largest : 0);
        side.numbers[index].textContent = weight === null ? "" : weight.toFixed(3);
      });
    }
    byId("status").textContent = shown ? sentence(shown, weights) : "";
  }

  function sentence({ side, index }, weights) {
    const best = weights.map((weight, place) => ({ weight, place }))
      .sort((a, b) => b.weight - a.weight).slice(0, 3)
      .map(({ weight, place }) => `${name(side.other, place)} ${weight.toFixed(3)}`);
    return `${name(side, index)} ${side.verb}: ${best.join(", ")}.`;
  }

  // A token that stands twice in its sentence is named with its place.
  function name({ tokens }, index) {
    const token = tokens[index];
    const twice = tokens.indexOf(token) !== tokens.lastIndexOf(token);
    return `“${token}”${twice ? ` (${index + 1})` : ""}`;
  }
}
