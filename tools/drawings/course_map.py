"""The map of the lessons: a frame a group, its titles from the notebooks."""

import json

from tools import lessons
from tools.drawings.primitives import Canvas

# A lesson has its place here, under the name in its file's name: group by group, in a
# left and a right column.
LEFT = {
    "Words and sequences": [
        "start_here",
        "words_in_context",
        "sequence_to_sequence",
        "attention_mechanisms",
        "attention_family",
    ],
    "The encoder": [
        "self_attention",
        "what_attention_costs",
        "transformer_encoder",
        "encoder_measured",
        "positional_embedding",
        "positions_measured",
        "which_model_when",
    ],
    "Translation": [
        "gru_translation",
        "transformer_translation",
        "rnn_or_transformer",
        "decoding",
        "what_attention_sees",
    ],
}
RIGHT = {
    "Language models": [
        "language_models",
        "bert_from_scratch",
        "fine_tuning_bert",
        "pretrained_models",
        "asking_a_language_model",
        "distillation",
    ],
    "The modern block": ["modern_transformer"],
    "Images": ["attention_on_images"],
    "Scale": ["scaling_up", "many_devices"],
}
LINE = 3.4  # from one lesson to the next
HEAD = 4.4  # a frame's height without its lessons
GAP = 3.4  # between two frames


def _numbers_and_titles():
    """Return each lesson's (number, title) by the name in its file's name.

    A further lesson has no number, but a plus.
    """
    found = {}
    for path in lessons.find():
        number, _, name = path.stem.partition("_")
        cell = json.loads(path.read_text("utf-8"))["cells"][0]
        heading = "".join(cell["source"]).splitlines()[0].removeprefix("# ")
        title = heading.partition(":")[0]
        if lessons.is_further(path):
            found[name] = ("+", title)
        else:
            found[name] = (number, title.removeprefix(number).strip())
    return found


def _height(groups):
    """Return the height of a column of frames."""
    frames = sum(HEAD + LINE * len(members) for members in groups.values())
    return frames + GAP * (len(groups) - 1)


def _check_places(known):
    """Raise a ValueError for a place without a lesson."""
    for groups in LEFT, RIGHT:
        for members in groups.values():
            for name in members:
                if name not in known:
                    raise ValueError(
                        f"The map has a place for {name!r}, but no notebook has this "
                        "name: take it out of tools/drawings/course_map.py."
                    )


def course_map():
    height = max(_height(LEFT), _height(RIGHT))
    canvas = Canvas(height + 2)
    known = _numbers_and_titles()
    _check_places(known)
    frames = {}
    for x, groups in (1, LEFT), (27.4, RIGHT):
        top = height + 1
        for name, members in groups.items():
            low = top - HEAD - LINE * len(members)
            frames[name] = canvas.frame(x, low, 23.6, top - low, name)
            for place, member in enumerate(members):
                number, title = known[member]
                y = top - 5.6 - LINE * place
                canvas.badge(x + 1, y - 1.25, number)
                canvas.small(x + 5, y, title, ha="left")
            top = low - GAP
    for above, below in (
        ("Words and sequences", "The encoder"),
        ("The encoder", "Translation"),
        ("Language models", "The modern block"),
    ):
        canvas.arrow(frames[above].bottom, frames[below].top)
    start = frames["Translation"].right
    for name in "Language models", "Images", "Scale":
        end = frames[name].left
        canvas.line(start, (26, start[1]), (26, end[1]), end, arrow=True)
    canvas.describe("""
        The lessons of the course in seven groups; a plus marks a further lesson. Words
        and sequences lead to the encoder, and the encoder leads to translation. From
        translation three arrows lead on: to language models, to images, and to scale.
        From language models an arrow leads to the modern block.
    """)
    return canvas
