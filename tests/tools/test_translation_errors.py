"""Names, numbers and banks of rivers in translations."""

from tools import translation_errors as errors

ENGLISH = ["I saw Tom and Mary.", "They sold 20,000 copies.", "It was the bank."]
REFERENCES = [
    ["Vi a Tom y a Mary.", "Vi a Tom y a María."],
    ["Vendieron 20.000 copias."],
    ["Era la orilla.", "Era el banco."],
]


def test_a_name_that_each_reference_keeps_has_to_be_kept():
    good = ["Tom estaba con María.", "", ""]
    bad = ["Vi a Juan y a Mary.", "", ""]
    assert errors.kept(errors.names_in, ENGLISH, good, REFERENCES) == (1, 1)
    assert errors.kept(errors.names_in, ENGLISH, bad, REFERENCES) == (0, 1)


def test_a_number_may_have_other_separators_but_no_other_digits():
    good = ["", "Vendieron 20 000 y 20.000.", ""]
    bad = ["", "Vendieron 2.000 copias.", ""]
    assert errors.kept(errors.numbers_in, ENGLISH, good, REFERENCES) == (1, 1)
    assert errors.kept(errors.numbers_in, ENGLISH, bad, REFERENCES) == (0, 1)


def test_the_bank_of_a_river_is_no_house_of_money():
    assert errors.riversides(ENGLISH, ["", "", "Era la ribera."], REFERENCES) == (1, 1)
    assert errors.riversides(ENGLISH, ["", "", "Era el banco."], REFERENCES) == (0, 1)


def test_nothing_to_keep_is_no_error():
    assert errors.kept(errors.names_in, ["It rains."], ["Llueve."], [["Llueve."]]) == (
        0,
        0,
    )
