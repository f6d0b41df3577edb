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
