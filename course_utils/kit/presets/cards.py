"""What is known of each preset before its weights are there: size, texts, licence.

The facts stand in `cards.toml`.
"""

import dataclasses
import tomllib
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Card:
    """What is known of a preset before its weights are there.

    Attributes:
        parameters: number of weights; a file has at most four bytes for each.
        trained_on: the training text, in a few words.
        licence: of the weights.
        source: paper or page that describes the model.
        sha256: of the course's own file; "" for a published preset.
        hub: owner and name of a checkpoint at Hugging Face; "" for all others.
        kind: the checkpoint's kind of model, as its configuration has it.
        files: what is fetched of it; the weights come last.
        weights_sha256: of its weights, where the course's results come from this file.
        bytes_per_weight: in the published file.
        strip_accents: what its tokenizer does, and KerasHub's converter doesn't read.
    """

    parameters: int
    trained_on: str
    licence: str
    source: str
    sha256: str = ""
    hub: str = ""
    kind: str = ""
    files: tuple = ()
    weights_sha256: str = ""
    bytes_per_weight: int = 4
    strip_accents: bool = False

    @property
    def megabytes(self):
        """Size of the weights in their file."""
        return self.bytes_per_weight * self.parameters / 1e6


_TABLE = tomllib.loads(Path(__file__).with_name("cards.toml").read_text("utf-8"))
CARDS = {name: Card(**facts) for name, facts in _TABLE.items()}


def describe(name):
    """Say in one line how large a preset is, its licence, and where it comes from.

    Args:
        name: a name of `CARDS`.
    Raises:
        ValueError: there is no such preset.

    Example:
        >>> describe("gpt2_base_en")
        'gpt2_base_en: 124,439,808 weights, MIT, about 498 MB to download on first use'
    """
    card = find_card(name)
    size = f"{card.megabytes:.3g} MB"
    way = f"{size}, comes with the course"
    if not card.sha256:
        way = f"about {size} to download on first use"
    return f"{name}: {card.parameters:,} weights, {card.licence}, {way}"


def find_card(name):
    """Return the card of a preset, or raise a ValueError that lists all of them."""
    if name not in CARDS:
        raise ValueError(
            f"presets: there is no {name!r}; the presets are {', '.join(CARDS)}."
        )
    return CARDS[name]
