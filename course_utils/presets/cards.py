"""What is known of each preset before its weights are there: size, texts, licence."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Card:
    """What is known of a preset before its weights are there.

    Attributes:
        parameters: number of weights; a file has at most four bytes for each.
        trained_on: the training text, in a few words.
        licence: of the weights.
        source: paper or page that describes the model.
        sha256: of the course's own file; "" for a published preset.
    """

    parameters: int
    trained_on: str
    licence: str
    source: str
    sha256: str = ""

    @property
    def megabytes(self):
        """Size of the weights in float32."""
        return 4 * self.parameters / 1e6


BOOKS_AND_WIKIPEDIA = "English Wikipedia and BooksCorpus"
CARDS = {
    "bert_small_en_uncased": Card(
        28_763_648, BOOKS_AND_WIKIPEDIA, "Apache 2.0", "Turc et al. (2019)"
    ),
    "bert_base_en_uncased": Card(
        109_482_240, BOOKS_AND_WIKIPEDIA, "Apache 2.0", "Devlin et al. (2019)"
    ),
    "distil_bert_base_en_uncased": Card(
        66_362_880, BOOKS_AND_WIKIPEDIA, "Apache 2.0", "Sanh et al. (2019)"
    ),
    "roberta_base_en": Card(
        124_052_736,
        "Wikipedia, BooksCorpus, news, web pages",
        "MIT",
        "Liu et al. (2019)",
    ),
    "bert_base_zh": Card(
        102_267_648, "Chinese Wikipedia", "Apache 2.0", "Devlin et al. (2019)"
    ),
    "gpt2_base_en": Card(
        124_439_808, "WebText: pages linked from Reddit", "MIT", "Radford et al. (2019)"
    ),
    "qwen2.5_0.5b_en": Card(
        494_032_768,
        "texts in 29 languages, among them Chinese",
        "Apache 2.0",
        "Qwen team (2024)",
    ),
    "t5_small_multi": Card(
        60_506_624, "web pages (C4) and tasks", "Apache 2.0", "Raffel et al. (2020)"
    ),
    # The course's own; tools/make_presets.py prints the checksums of new ones.
    "tiny_bert_en": Card(
        125_756,
        "generated English reviews",
        "CC BY 4.0",
        "lesson 14",
        "7191fb6599f103e3fe83c891fe9ba6e0fac53de516b6b56466f6c19728d5d706",
    ),
    "tiny_gpt2_en": Card(
        129_280,
        "generated English reviews",
        "CC BY 4.0",
        "models/presets",
        "7d653a3da1554611e0f4140a07012ee0493bc1f23186c575f7fb7541c7354ace",
    ),
    "tiny_t5_en": Card(
        220_672,
        "generated English reviews with verdicts",
        "CC BY 4.0",
        "models/presets",
        "2da5d6d2dad718017ea38481f8d7359624138a597618d6ff924901000b48e4a0",
    ),
    "tiny_bert_zh": Card(
        90_119,
        "generated Chinese sentences",
        "CC BY 4.0",
        "models/presets",
        "b777b7a9666a11cafe453bb343aa9d0cf977ff6fac43160c2a0b9ab56b9d7ad1",
    ),
    "tiny_gpt2_zh": Card(
        104_960,
        "generated Chinese sentences",
        "CC BY 4.0",
        "models/presets",
        "1737f03f0c4f4b189cfe1a4ed4218efb0789ab2ff0ac20a6831d259d965abd82",
    ),
}


def describe(name):
    """Say in one line how large a preset is and where it comes from.

    Args:
        name: a name of `CARDS`.
    Raises:
        ValueError: there is no such preset.

    Example:
        >>> describe("gpt2_base_en")
        'gpt2_base_en: 124,439,808 weights, at most 498 MB to download on first use'
    """
    card = find_card(name)
    size = f"{card.megabytes:.3g} MB"
    way = f"{size}, comes with the course"
    if not card.sha256:
        way = f"at most {size} to download on first use"
    return f"{name}: {card.parameters:,} weights, {way}"


def find_card(name):
    """Return the card of a preset, or raise a ValueError that lists all of them."""
    if name not in CARDS:
        raise ValueError(
            f"presets: there is no {name!r}; the presets are {', '.join(CARDS)}."
        )
    return CARDS[name]
