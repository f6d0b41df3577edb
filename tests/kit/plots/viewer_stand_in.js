// A stand-in for the browser's document with just what the script uses. It shows what
// the script does at each event; how a browser draws it is not tested here.
class Element {
  constructor() {
    this.children = []; this.attributes = {}; this.listeners = {};
    this.textContent = ""; this.strength = "";
    this.style = { setProperty: (_, value) => { this.strength = String(value); } };
  }
  set innerHTML(_) { throw new Error("innerHTML"); }
  append(...children) { this.children.push(...children); }
  setAttribute(name, value) { this.attributes[name] = value; }
  addEventListener(kind, listener) { (this.listeners[kind] ??= []).push(listener); }
  focus() { page.focused = this; this.send("focus"); }
  send(kind, event = {}) {
    for (const listener of this.listeners[kind] ?? []) listener(event);
  }
}
const input = JSON.parse(require("fs").readFileSync(0, "utf8"));
const page = new Element();
const ids = {};
page.getElementById = (id) => ids[id] ??= new Element();
page.createElement = () => new Element();
ids.data = new Element();
ids.data.textContent = input.data;
page.getElementById("layer").value = input.layer;
page.getElementById("head").value = input.head;
new Function("document", input.script)(page);

const items = { source: ids.source.children, target: ids.target.children };
const act = {
  focus: (side, index) => items[side][index].focus(),
  click: (side, index) => items[side][index].send("click"),
  point: (side, index) => items[side][index].send("pointermove"),
  leave: (side) => ids[side].send("pointerleave"),
  choose: (select, value) => { ids[select].value = value; ids[select].send("change"); },
  key: (key, modifiers = {}) => {
    const event = { key, ...modifiers, preventDefault() { act.kept = true; } };
    act.kept = false;
    if (page.focused) page.focused.send("keydown", event);
    page.send("keydown", event);
  },
};
const look = (side) => ({
  words: items[side].map((item) => item.children[0].textContent),
  numbers: items[side].map((item) => item.children[1].textContent),
  strengths: items[side].map((item) => Number(item.strength)),
  selected: items[side].map((item) => item.attributes["aria-selected"]),
  tabs: items[side].map((item) => item.tabIndex),
  focused: items[side].indexOf(page.focused),
});
const states = [["start"], ...input.steps].map(([kind, ...rest]) => {
  if (kind !== "start") act[kind](...rest);
  return { status: ids.status?.textContent ?? "", kept: act.kept ?? null,
           source: look("source"), target: look("target") };
});
console.log(JSON.stringify(states));
