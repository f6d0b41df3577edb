/** What the live pages share: they put on the page what their programs say. */

/** Make an element; text is always text, never HTML. */
export function make(tag, properties = {}, ...children) {
  const svg = ["svg", "g", "rect", "circle", "text", "path", "title"].includes(tag);
  const element = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "weight") element.style.setProperty("--weight", value);
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const get = (id) => document.getElementById(id);
