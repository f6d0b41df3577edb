"""Drawings of lesson 07: six models side by side, and the steps of a choice."""


def six_models(canvas):
    """Six models side by side, one in a row, for the words "not bad film". Each turns
    the words into one vector for the text, and a dense layer gives it a number for each
    class. Words: the text's vector, of shape (V,), counts each word. Words and pairs:
    brackets join neighbours, which are counted, too. Averaged vectors: each word has a
    vector of D numbers, no word sees another, and their mean, (D,), is the text's
    vector. GRU: arrows run from vector to vector in both directions. Transformer: lines
    join every word with every other one. Transformer with positions: the same lines,
    and each word also has its number, 1, 2, 3. In the last three rows mean and maximum
    of the words' new vectors stand side by side, (2D,)."""


def which_model(canvas):
    """Three steps to a model, read from top to bottom. Step 1: count words and pairs;
    this is the figure to beat, and it takes minutes. Step 2: what could beat it? Three
    ways, each with its condition: if a pre-trained model exists that knows your
    language, fine-tune it; if the same words in another order have another answer, a
    GRU or a Transformer with positions; if there are many texts without labels, learn
    vectors from them first. Step 3: a fair comparison with the pairs: same texts, same
    tuning, to a plateau, three seeds, an interval over reviews. It has two ways out:
    ahead, and worth its cost: take it; too close, or too slow: keep the pairs. A remark
    beside step 2: labels divided by mean length alone does not tell."""


def mixed_histories(canvas):
    """How counting mixes long and short histories, read from top to bottom, for the
    text "abracadabra" and the letter b. Without a history all five letters are equally
    probable: 1/5 = 0.200. Single letters: b stands there 2 times among 11 letters of 5
    kinds, (2 + 5 · 0.200) / (11 + 5) = 0.188. After "a": b followed 2 of 4 times, with
    3 kinds, (2 + 3 · 0.188) / (4 + 3) = 0.366. After "ra": b followed 0 of 1 times,
    with 1 kind, (0 + 1 · 0.366) / (1 + 1) = 0.183. An arrow leads from each probability
    down to the next one, where it is mixed with the counts of the longer history; the
    number at the arrow is its weight: 5/16, 3/7 and 1/2."""


def mini_gpt(canvas):
    """A mini GPT, read from bottom to top. Ids of "[start] T h e", of shape (B, T), get
    a vector each from a table of V rows, and one for their position: (B, T, D). L
    causal blocks follow, one above the other; in a small map of a block all later cells
    are crossed, for a position sees itself and earlier ones only. Then a layer norm,
    and logits of shape (B, T, V): each vector is compared with the rows of the same
    table, by a purple line from the table at the bottom to the top. Above stand the
    targets, the same text one step on: "T h e" and a space."""
