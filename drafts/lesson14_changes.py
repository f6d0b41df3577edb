"""What lesson 14 changes in shared files; run it when the lesson lands (again after a new mini_bert.keras)."""
import hashlib
from landing import *

# the shipped model
change(".gitignore", "!models/en_es.keras\n", "!models/en_es.keras\n!models/mini_bert.keras\n")
name = "course_utils/models.py"
change(name, '''"""The trained translator that comes with the course: where it is, and loading it.

In a checkout it lies in `models/`. Where only the package is installed, as in Colab, it
is fetched from the repository's address on first use and checked.
"""
''', '''"""The trained models that come with the course: where they are, and loading them.

In a checkout they lie in `models/`. Where only the package is installed, as in Colab,
each is fetched from the repository's address on first use and checked.
"""
''')
change(name, "from course_utils.environment import data_dir\n", "import keras\n\nfrom course_utils import bert  # noqa: F401 (the small BERT is made of its layers)\nfrom course_utils.environment import data_dir\n")
text = read(name)
if "MINI_BERT" not in text:
    sha_line = next(l for l in text.splitlines() if l.startswith("SHA256 = "))
    text = text.replace(sha_line, sha_line + '''
MINI_BERT = "mini_bert.keras"
# Of models/mini_bert.keras; scripts/pretrain_bert.py prints that of a new one.
MINI_BERT_SHA256 = "SHA_OF_MINI_BERT"''')
    start = text.index("def translator_path():"); end = text.index("def load_translator():")
    text = text[:start] + '''def translator_path():
    """Return the path of the English→Spanish translator, fetching it if needed.

    Raises:
        DataError: it isn't there and can't be fetched.
    """
    return _path(NAME, SHA256, "trained translator")


def mini_bert_path():
    """Return the path of the small BERT, fetching it if needed.

    Raises:
        DataError: it isn't there and can't be fetched.
    """
    return _path(MINI_BERT, MINI_BERT_SHA256, "pre-trained BERT")


''' + text[end:]
    start = text.index("def _repository():")
    text = text[:start] + '''def load_mini_bert():
    """Return the small BERT of `models/`, pre-trained on film reviews.

    Returns:
        A ``course_utils.bert.MiniBert``.
    Raises:
        DataError: it isn't there and can't be fetched.
    """
    return keras.models.load_model(mini_bert_path())


def _path(name, checksum, kind):
    """Return the path of a model, fetching it where there is no checkout."""
    here = CHECKOUT / name
    if here.is_file():
        return here
    url = f"{_repository()}/raw/main/models/{name}"
    path = data_dir() / "models" / name
    try:
        return download(url, path, checksum)
    except DataError as error:
        cause, _, _ = str(error).partition("; either set")
        raise DataError(
            f"{cause}; put the course's {kind} at {shown(path)} yourself."
        ) from error


''' + text[start:]
    write(name, text)
model = ROOT / "models/mini_bert.keras"
if model.exists():
    digest = hashlib.sha256(model.read_bytes()).hexdigest()
    text = read(name)
    text = re.sub(r'^MINI_BERT_SHA256 = ".*"', f'MINI_BERT_SHA256 = "{digest}"', text, flags=re.M)
    write(name, text)
else:
    print("models/mini_bert.keras isn't there yet: run this script again after the pre-training")

name = "tests/test_models.py"
text = read(name)
if "mini_bert" not in text:
    text = text.replace('"""The trained translator that comes with the course: complete, described, found."""', '"""The trained models that come with the course: complete, described, found."""')
    start = text.index("def test_the_file_is_the_one"); end = text.index("def test_it_translates")
    text = text[:start] + '''TRANSLATOR = models.translator_path, models.NAME, models.SHA256, "README.md"
MINI_BERT = (
    models.mini_bert_path,
    models.MINI_BERT,
    models.MINI_BERT_SHA256,
    "mini_bert.md",
)
both = pytest.mark.parametrize(
    "find, name, checksum, card", [TRANSLATOR, MINI_BERT], ids=["translator", "bert"]
)


@both
def test_the_file_is_the_one_that_the_card_describes(find, name, checksum, card):
    path = find()
    assert path == models.CHECKOUT / name
    assert files.sha256(path) == checksum
    assert path.stat().st_size <= 12e6
    facts = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert facts["sha256"] == f"`{checksum}`"
    card = (models.CHECKOUT / card).read_text("utf-8")
    for fact, value in facts.items():
        assert f"| {fact} | {value} |" in card


''' + text[end:]
    text = text.replace('''@pytest.fixture
def only_installed''', '''def test_it_fills_a_gap():
    mini_bert = models.load_mini_bert()
    (guesses,) = mini_bert.fill_mask("A waste of [MASK].")
    assert "time" in [piece for piece, _ in guesses]


@pytest.fixture
def only_installed''')
    start = text.index("def test_without_a_checkout")
    text = text[:start] + '''@both
def test_without_a_checkout_it_is_fetched_and_checked(
    find, name, checksum, card, only_installed, monkeypatch
):
    asked = []
    monkeypatch.setattr(models, "download", lambda *what: asked.append(what))
    find()
    ((url, path, expected),) = asked
    assert url.startswith("https://github.com/")
    assert url.endswith(f"/raw/main/models/{name}")
    assert path == only_installed / "models" / name
    assert expected == checksum


@both
def test_a_failed_download_is_one_sentence(
    find, name, checksum, card, only_installed, monkeypatch
):
    def broken(url, name, directory):
        raise OSError("no network")

    monkeypatch.setattr(files, "_fetch", broken)
    with pytest.raises(files.DataError, match="put the course's .* at"):
        find()
    assert not (only_installed / "models" / name).exists()
'''
    write(name, text)

# the course's README
not_planned("14 BERT from scratch")
change("README.md", "Its [model card](models/README.md) names the data, the licence, the recipe and its limits.\n", "Its [model card](models/README.md) names the data, the licence, the recipe and its limits.\n\nLesson 14 starts its fine-tuning from a small BERT that comes with the course, pre-trained on\nfilm reviews without labels: see its [model card](models/mini_bert.md).\n")
add_session(14, "| [14](notebooks/14_bert_from_scratch.ipynb), pre-training | pieces of words, on paper first (15) · hiding and pairing, counted (25) · the model and its proofs (25) · pre-training, and gaps that you write (25) |")
add_session(14, "| [14](notebooks/14_bert_from_scratch.ipynb), fine-tuning | one word, two vectors (20) · frozen and updated weights, predicted first (30) · the curve of labels (25) · exercises (15) |")
for row in (
    "| Without labels a model can learn nothing about praise and blame. | 14, sections 7 and 8 |",
    "| BERT is only asked about [MASK]. | 14, section 3: some tokens stay, and some are wrong |",
    "| Pre-training is worth the same, however many labels there are. | 14, section 9 |",
):
    text = read("README.md")
    if row not in text:
        anchor = "| Overlapping confidence intervals mean that there is no difference. | 11, section 6 |"
        assert text.count(anchor) == 1
        write("README.md", text.replace(anchor, f"{row}\n{anchor}"))
add_line_after("README.md", "| Decoding with a cache equals", "| A small BERT equals KerasHub's with the same weights; hidden tokens have the right shares, and no special token is ever hidden | `tests/test_bert.py`, `tests/test_masked.py`, `tests/test_wordpiece.py` |")
add_test_to_row("| Exercise checks accept good answers", ["tests/test_checks_bert.py"])
add_test_to_row("| The trained translator is the file", ["tests/test_pretrain_bert.py"])
text = read("README.md")
for old, new in (
    ("| The trained translator is the file that its card describes;", "| The trained translator and the small BERT are the files that their cards describe;"),
    ("models/          a trained English→Spanish translator", "models/          a trained English→Spanish translator, a small pre-trained BERT"),
    ("a small pre-trained BERT and its model card", "a small pre-trained BERT, their model cards"),
):
    text = text if new in text else text.replace(old, new)
write("README.md", text)

# 00
start_here(14, '    "| 14 BERT from scratch (planned) | What does pre-training without labels bring? |\\n",', '    "| [14 BERT from scratch](14_bert_from_scratch.ipynb) | What does pre-training without labels bring? |\\n",')

# the rules of notebooks
add_to_tuple("tests/test_notebook_contract.py", "LESSONS", "14")
