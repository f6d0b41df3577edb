"""Words and sentence patterns of the generated reviews.

In a verdict, `<+>` is the place of the adjective that decides and `<->` the place of
the one that is denied, outweighed, expected in vain or only somebody else's view; an
adverb or a tail may surround either. `[+]` and `[-]` are the same without company.
Half of the verdicts name the deciding one first, so that "the last word wins" is no
rule. Adjectives fit every aspect and start no sentence.
"""

POSITIVE = (
    "brilliant", "moving", "gripping", "clever", "charming", "superb", "delightful",
    "memorable", "beautiful", "wonderful", "convincing", "impressive", "magnificent",
    "splendid", "fascinating", "terrific", "graceful", "refreshing",
)  # fmt: skip
NEGATIVE = (
    "dull", "clumsy", "boring", "tedious", "weak", "awful", "predictable", "lifeless",
    "shallow", "dreadful", "tiresome", "hollow", "messy", "terrible", "forgettable",
    "feeble", "lazy", "mediocre",
)  # fmt: skip

# Before and after an adjective, on either side of a verdict.
ADVERBS = ("", "", "quite", "really", "rather", "truly", "simply")
TAILS = (
    "", "", "", "", "", "", "", "in every scene", "from start to finish",
    "in its own way", "most of the time", "in many places", "on the whole",
    "throughout",
)  # fmt: skip

VERDICTS = (
    # the deciding adjective comes last
    "I expected something <->, and what I got was <+>.",
    "The {first} is <->, but the film itself is <+>.",
    "The {first} is not <->, it is <+>.",
    "Far from being <->, the {first} is <+>.",
    "Although the {first} is <->, the film remains <+>.",
    "{critics} called it <->, but to me it was <+>.",
    "The {first} would have been <-> if the {second} had not been <+>.",
    "Nobody can say that the {first} is <->; it is <+>.",
    "Not only is the {first} not [-], it is also <+>.",
    "What seems [-] at first proves to be <+>.",
    # the deciding adjective comes first
    "What I got was <+>, where I had expected something <->.",
    "The film itself is <+>, even if the {first} is <->.",
    "The {first} is <+>, it is not <->.",
    "The {first} is <+> and anything but <->.",
    "The film remains <+>, although the {first} is <->.",
    "To me it was <+>, but {critics} called it <->.",
    "If the {second} had not been <+>, the {first} would have been <->.",
    "The {first} is <+>; nobody can say that it is <->.",
    "The {first} is <+>, and not only beside the [-] book behind it.",
    "It proves to be <+>, though it seems [-] at first.",
)

# One view and no other: here the words are enough.
PLAIN = (
    "The {first} is <+>.",
    "I found the {first} <+>.",
    "The {first} is <+>, and so is the {second}.",
    "For {critics} and for me the film was <+>.",
    "What I remember is how [+] the {first} was.",
)

WATCHING = (
    "I watched {title} with {company} {time}.",
    "We saw {title} {time}.",
    "{company} and I went to see {title} {time}.",
)
ABOUT = (
    "{title} tells the story of {hero} in {place}.",
    "{actor} plays {hero} in {place}.",
    "The story begins in {place} and lasts for {days}.",
    "{actor} plays {hero}.",
    "{title} is a {genre} set in {place}.",
    "{title} is a {genre} with {actor}.",
    "{actor} wrote the script in {days}.",
    "This {genre} takes us to {place}, where {hero} must wait for {days}.",
    "It was filmed in {place} within {days}.",
)

ASPECTS = (
    "acting", "plot", "dialogue", "music", "ending", "camera work", "cast", "script",
    "opening", "soundtrack", "story", "directing", "second half", "first hour",
    "humour", "main character", "love story", "final scene", "editing", "narration",
)  # fmt: skip
CRITICS = (
    "the critics", "my friends", "the papers", "my neighbours", "other viewers",
    "my parents", "the festival judges", "most people",
)  # fmt: skip
SLOTS = {
    "title": tuple(
        f"{article} {what}"
        for article in (
            "The Silent", "The Last", "A Distant", "The Paper", "Our Blue", "The Third",
            "Beyond the", "The Glass",
        )
        for what in (
            "Harbour", "Orchard", "Winter", "Lantern", "Garden", "Station", "River",
            "Letter", "Island", "Window",
        )
    ),
    "actor": tuple(
        f"{first} {last}"
        for first in (
            "Marta", "Jonas", "Elena", "Victor", "Amina", "Pavel", "Lucia", "Henrik",
            "Noor", "Tomas",
        )
        for last in (
            "Lindgard", "Okorie", "Marquand", "Tesh", "Valdorf", "Hirano", "Bellec",
            "Sorvik",
        )
    ),
    "company": (
        "my sister", "two colleagues", "my class", "an old friend", "my aunt",
        "the neighbours", "my flatmate",
    ),
    "time": (
        "on a rainy Sunday", "last night", "at a festival", "during the holidays",
        "on a long flight", "yesterday evening", "in a crowded cinema", "at home",
    ),
    "hero": (
        "a retired sailor", "a young teacher", "two brothers", "a village doctor",
        "a famous painter", "an honest thief", "a lonely baker", "three cousins",
        "a railway worker", "the mayor",
    ),
    "place": (
        "a fishing village", "a mountain town", "an empty hotel", "a large city",
        "the desert", "a northern port", "a small museum", "an abandoned factory",
        "the suburbs", "a boarding school",
    ),
    "days": (
        "three days", "a single night", "one summer", "ten years", "two weeks",
        "five months",
    ),
    "genre": ("drama", "comedy", "thriller", "romance", "family film", "western"),
}  # fmt: skip
