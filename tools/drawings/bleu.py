"""The drawing that shows how BLEU counts."""

from collections import Counter

from tools.drawings.primitives import SMALL


def ngrams(words, n):
    """Return how often each run of n words occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def counted(candidate, reference, n):
    """Tell which runs of the candidate count: none more often than in the reference."""
    left, marks = ngrams(reference, n), []
    for start in range(len(candidate) - n + 1):
        run = tuple(candidate[start : start + n])
        marks.append(left[run] > 0)
        left[run] -= 1
    return marks


CANDIDATE = ["the", "the", "boat", "is", "on", "the", "lake"]
REFERENCE = ["the", "boat", "is", "on", "a", "lake"]


def bleu_ngrams(canvas):
    """Draw which runs of words count, and what BLEU makes of them."""
    step = 7.2
    canvas.tokens(1, 52.4, REFERENCE, step, 6.4)
    for y, n, shift in (43, 1, 0), (25.4, 2, 0.5 * step):
        for start, good in enumerate(counted(CANDIDATE, REFERENCE, n)):
            text, x = " ".join(CANDIDATE[start : start + n]), 1 + shift + start * step
            if good:
                canvas.marked(x, y, text, 6.4)
            else:
                canvas.token(x, y, text, 6.4, "quiet", SMALL)
            canvas.text(x + 3.2, y - 2, "✓" if good else "×", size=12)
    word = "the"
    times, most = CANDIDATE.count(word), REFERENCE.count(word)
    said = f"“{word}” stands here {times} times, in the reference {most} time:"
    canvas.text(1, 37.4, said, size=SMALL, ha="left")
    said = f"{most} counts, {times - most} are clipped"
    canvas.text(1, 35.2, said, size=SMALL, ha="left")
    fractions, product = [], 1
    for n in range(1, 5):
        marks = counted(CANDIDATE, REFERENCE, n)
        fractions.append(f"{sum(marks)}/{len(marks)}")
        product *= sum(marks) / len(marks)
        name = "1 word" if n == 1 else f"{n} words"
        canvas.text(7.4 + 12.2 * (n - 1), 15.6, name, size=SMALL)
        canvas.text(7.4 + 12.2 * (n - 1), 12.6, fractions[-1], size=12)
    root = product**0.25
    said = f"fourth root of {' × '.join(fractions)} = {root:.2f}"
    canvas.text(26, 5, f"{said}\nBLEU = {100 * root:.0f}")
