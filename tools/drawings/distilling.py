"""Drawings of distillation: two losses, a small student, and requests that wait."""


def losses(canvas):
    """A teacher and a student read the same reviews; both are read from bottom to top.
    The teacher, on the left, is BERT and reads pieces of words, (B, T). It makes a
    vector of 192 numbers, (B, 192), and with a dense layer the logit t, (B, 1), which
    is kept; the teacher isn't trained. The student, on the right, reads words and makes
    a vector of 128 numbers, (B, 128), and its logit z. Two losses are added: alpha
    times the squared temperature T times the cross-entropy of both softened answers,
    and 1 minus alpha times the cross-entropy of the label y and z. A dashed arrow from
    the student's vector to the teacher's is the hint."""


def student(canvas):
    """The student, read from bottom to top, with the words "not a good film" and one
    place of padding, (B, T). Each word has a vector, (B, T, 32). The vectors of the
    word before, of the word and of the word after stand together, (B, T, 96); drawn for
    "good". A dense layer with ReLU makes (B, T, 64); then mean and maximum over all
    words, side by side, (B, 128), and a dense layer makes the logit z, (B, 1)."""


def queue(canvas):
    """Time runs to the right. Request 1 finds the server free and begins at once, as a
    batch of 1. While the server works, requests 2, 3 and 4 arrive and wait; when it is
    free it takes all three as one batch. The time of request 2 goes from its arrival to
    the end of this batch. Request 5 comes later, and begins at once."""
