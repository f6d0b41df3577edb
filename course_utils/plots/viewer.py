"""One HTML page in which a reader explores attention weights, token by token.

The page is a single file: it asks no server and loads nothing. Pointing at a token, or
moving to it with the keyboard, shows its weights as numbers, bars and a spoken text.

Tokens come from data, so the page doesn't trust them: they travel as JSON in which no
HTML can begin or end, and the script writes them as text, never as HTML.

Example:
    >>> from course_utils.plots import viewer
    >>> weights = [[[[0.9, 0.1], [0.2, 0.8]]]]  # 1 layer, 1 head, 2 targets, 2 sources
    >>> document = viewer.page(["the", "cat"], ["el", "gato"], weights, alt="A map.")
    >>> document.startswith("<!doctype html>")
    True
    >>> viewer.iframe(document, height=400)[:31]
    '<iframe sandbox="allow-scripts"'
"""

import html
import json
import string

import numpy as np

DIGITS = 4  # of a stored weight: more would be shown nowhere and double the file

# The tint behind a token never gets stronger than 0.35, so that the text on it stays
# readable in both colour schemes; the bar below the text shows the same strength.
_STYLE = """
:root { color-scheme: light dark;
        --page: #ffffff; --text: #1b1b1b; --accent: #0072b2; --line: #767676; }
@media (prefers-color-scheme: dark) {
  :root { --page: #1b1b1b; --text: #f2f2f2; --accent: #56b4e9; --line: #8c8c8c; }
}
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
       color: var(--text); background: var(--page); overflow-wrap: anywhere; }
h1 { font-size: 1.25rem; margin: 0; }
h2 { font-size: 1rem; margin: 1rem 0 .4rem; }
p { margin: .4rem 0; max-width: 60rem; }
.controls { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; }
select { font: inherit; min-height: 2rem; max-width: 100%; }
ul { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; padding: 0;
     list-style: none; }
li { position: relative; isolation: isolate; box-sizing: border-box; min-width: 3.5rem;
     max-width: 100%; padding: .2rem .5rem .5rem; border: 1px solid var(--line);
     text-align: center; cursor: default; }
bdi { display: block; min-height: 1.5em; white-space: pre-wrap; }
li span { display: block; min-height: 1.5em; font-variant-numeric: tabular-nums; }
li::before { content: ""; position: absolute; inset: 0; z-index: -1;
             background: var(--accent); opacity: calc(0.35 * var(--strength, 0)); }
li::after { content: ""; position: absolute; left: 0; bottom: 0; height: .3rem;
            width: calc(100% * var(--strength, 0)); background: var(--accent); }
li[aria-selected="true"] { outline: 3px solid var(--accent); }
li:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
#status { min-height: 3em; }
"""

_SCRIPT = """
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
"""

_PAGE = string.Template("""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>$style</style>
</head>
<body>
<h1>$title</h1>
<p>$alt</p>
<noscript><p>This page shows the weights with JavaScript, which is off.</p></noscript>
<p class="controls">
<label>Layer <select id="layer">$layers</select></label>
<label>Head <select id="head">$heads</select></label>
</p>
<p id="help">Point at a token to see its weights, or press Tab and the arrow keys;
Escape clears. A full bar is the largest weight of all heads:
<span id="largest"></span>.</p>
<h2 id="source-name">Source tokens: what is looked at</h2>
<ul id="source" role="listbox" aria-orientation="horizontal"
 aria-labelledby="source-name" aria-describedby="help"></ul>
<h2 id="target-name">Target tokens: what looks</h2>
<ul id="target" role="listbox" aria-orientation="horizontal"
 aria-labelledby="target-name" aria-describedby="help"></ul>
<p id="status" role="status" aria-live="polite"></p>
<script type="application/json" id="data">$data</script>
<script>$script</script>
</body>
</html>
""")

_IFRAME = string.Template(
    '<iframe sandbox="allow-scripts" title="$title" width="100%" height="$height"'
    ' style="border: 1px solid #767676" srcdoc="$document"></iframe>'
)


def page(source_tokens, target_tokens, weights, title="", alt="", layer=-1, head=None):
    """Return a page that shows who looks at whom in each layer and head.

    Args:
        source_tokens: S tokens that are looked at; tokens may repeat.
        target_tokens: T tokens that look.
        weights: (L, H, T, S) attention weights of all layers and heads, without the
            batch.
        title: heading and title of the page.
        alt: what there is to see, for readers who can't see it; stands on the page.
        layer: index of the layer that is shown first.
        head: index of the head that is shown first; None shows the mean of all heads.
    Returns:
        A complete HTML document as text.
    Raises:
        ValueError: the weights aren't (L, H, T, S), don't fit the tokens, or are
            negative or not finite; there is no such layer or head; or there is no text
            alternative.
    """
    source, target = [[str(t) for t in side] for side in (source_tokens, target_tokens)]
    weights = _checked(weights, source, target)
    if not str(alt).strip():
        raise ValueError("The attention viewer needs a text alternative: pass alt='…'.")
    layers, heads = weights.shape[:2]
    first_layer = _index(layer, layers, "layer")
    first_head = "mean" if head is None else _index(head, heads, "head")
    data = {
        "source": source,
        "target": target,
        "weights": np.round(weights, DIGITS).tolist(),
    }
    return _PAGE.substitute(
        title=_text(title) or "Attention viewer",
        alt=_text(alt),
        layers=_options({n: n + 1 for n in range(layers)}, first_layer),
        heads=_options(
            {"mean": "mean of all heads"} | {n: n + 1 for n in range(heads)}, first_head
        ),
        data=_json(data),
        style=_STYLE,
        script=_SCRIPT,
    )


def iframe(document, height, title="Attention viewer"):
    """Return an element that shows a document inside another page.

    The document may run its own script, but can't reach the page around it.

    Args:
        document: a complete HTML document as text.
        height: of the element, in pixels.
        title: what screen readers call the element.
    Returns:
        One ``<iframe>`` as text.
    """
    return _IFRAME.substitute(
        title=_text(title), height=int(height), document=html.escape(document)
    )


def _checked(weights, source, target):
    """Return the weights as an array (L, H, T, S), or say what is wrong with them."""
    weights = np.asarray(weights, dtype="float64")
    if weights.ndim != 4:
        raise ValueError(
            f"The weights have the shape {weights.shape}; expected (L, H, T, S): "
            "layers, heads, target tokens, source tokens, without the batch."
        )
    if 0 in weights.shape:
        raise ValueError(
            f"The weights have the shape {weights.shape}; expected at least one layer, "
            "one head, one target token and one source token."
        )
    if weights.shape[2:] != (len(target), len(source)):
        raise ValueError(
            f"The weights have the shape {weights.shape}, but there are {len(target)} "
            f"target tokens and {len(source)} source tokens; cut off the padding, or "
            "pass one token for each row and column."
        )
    bad = np.argwhere(~(np.isfinite(weights) & (weights >= 0)))
    if len(bad):
        place = tuple(int(number) for number in bad[0])
        raise ValueError(
            f"The weight at (layer, head, target, source) = {place} is "
            f"{weights[place]:g}; expected finite numbers that are not negative."
        )
    return weights


def _index(number, count, kind):
    """Return an index counted from 0; negative ones count from the end."""
    try:
        return range(count)[number]
    except IndexError:
        raise ValueError(
            f"There is no {kind} with the index {number}; the weights have {count}."
        ) from None


def _options(labels, chosen):
    """Return the options of a ``<select>``: dict from value to label, one chosen."""
    return "".join(
        f'<option value="{value}"{" selected" * (value == chosen)}>{label}</option>'
        for value, label in labels.items()
    )


def _text(text):
    """Return one line of text that is safe in HTML and in an attribute."""
    return html.escape(" ".join(str(text).split()))


def _json(data):
    """Return JSON in ASCII that is safe in a ``<script>``: no tag can begin in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.translate({ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"})
