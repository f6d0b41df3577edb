"""What losses, metrics, classifiers and the inspection of heads refuse, and how."""

from functools import partial

from refusals import one_sentence

from course_utils import classification, distillation, inspection, metrics
from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.multi_head import MultiHeadAttention
from course_utils.text.vectorizers import WordVectorizer
from course_utils.training import MaskedCrossEntropy, warmup_cosine

ANY = float("nan")


def predict(texts):
    vectorizer = WordVectorizer.train(["Good film.", "A bad film!"], 20)
    return classification.TextClassifier(vectorizer, None).predict_texts(texts)


def zero_init():
    block = TransformerEncoder(4, 8, 2, norm_first=False)
    block.build((None, None, 4))
    classification.zero_init_residual_branches(block)


def take_out(head):
    with inspection.without_head(MultiHeadAttention(8, 2), head):
        pass


NUMBERS = [
    (distillation.DistillationLoss, "temperature", (0, -1.0, ANY)),
    (partial(distillation.soften, [1.0]), "temperature", (0, -1.0, ANY)),
    (partial(distillation.DistillationLoss, 1.0), "alpha", (-0.1, 1.1, ANY)),
    (distillation.Neighbours, "radius", (0, -1, 1.5)),
    (MaskedCrossEntropy, "label_smoothing", (-0.1, 1.0, 2)),
    (partial(warmup_cosine, 1.0, 10), "warmup_steps", (0, 10, 11, -1)),
    (classification.TokenDropout, "rate", (-0.1, 1.0, 3)),
]
SCORES = [metrics.bleu, metrics.chrf, metrics.bleu_interval]
REFERENCES = [
    (["a"], [["a"], ["b"]], "1 hypotheses but references for 2 sentences"),
    ([], [], "at least one sentence"),
    (["a", "b"], [["a"], []], "at least one reference"),
    (["a b c"], ["a b c"], "list of references, not a string"),
    ("a", [["a"]], "hypotheses is one string"),
]
THREE = ["a", "b", "c"], [["a"], ["b"], ["c"]]
MESSAGES = [  # a function, its arguments, the sentence
    *((make, n, f"{name} is {n}") for make, name, wrong in NUMBERS for n in wrong),
    *((score, *row) for score in SCORES for row in REFERENCES),
    (metrics.paired_bootstrap, THREE[0], ["a"], THREE[1], "1 hypotheses but ref"),
    (metrics.paired_bootstrap, "a", *THREE, "hypotheses is one string"),
    (metrics.bleu_interval, *THREE, 0, "samples is 0; it must be at least 1"),
    (metrics.alignment_error_rate, [{(0, 0)}], 2 * [{(0, 0)}], "gold links for 2"),
    (metrics.alignment_error_rate, [set()], [set()], "not a single link"),
    (zero_init, "norm_first=True"),
    (predict, "a film", "TextClassifier: texts is one string; pass a list"),
    (predict, ["a film", 3], "TextClassifier: 3 is not a string"),
    (predict, ["Good film.", "!!"], "'!!' has no words"),
    (take_out, 2, "no head 2"),
    (take_out, -1, "no head -1; the layer has 2"),
]

REFUSED = [(call, arguments, said) for call, *arguments, said in MESSAGES]
test_what_cannot_be_is_told_in_one_sentence = one_sentence(REFUSED)
