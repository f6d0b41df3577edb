"""Words and word forms of the generated English–Spanish phrasebook.

Persons are numbered as in Spanish tables without vosotros: yo, tú, él, nosotros,
ellos = 0 … 4. A gender is "m" or "f", a number is 0 (singular) or 1 (plural).
"""

from typing import NamedTuple


class Noun(NamedTuple):
    """A noun with its Spanish gender, plural and kind of thing."""

    english: tuple  # singular, plural
    spanish: tuple
    gender: str
    kind: str


class Adjective(NamedTuple):
    """An adjective with the kinds of nouns that it fits."""

    english: str
    spanish: str
    copula: str  # ser or estar
    kinds: frozenset


class Verb(NamedTuple):
    """A verb with the kinds of objects or places that it takes."""

    english: tuple  # base form, third person, past; each of one or two words
    present: tuple
    preterite: tuple
    future: str
    objects: tuple


IRREGULAR_ENGLISH = {
    "knife": "knives", "man": "men", "woman": "women",
    "dress": "dresses", "box": "boxes", "glass": "glasses",
    "beach": "beaches", "church": "churches", "city": "cities",
    "library": "libraries", "story": "stories", "tomato": "tomatoes",
    "sandwich": "sandwiches", "bench": "benches",
}  # fmt: skip
IRREGULAR_SPANISH = {
    "jardín": "jardines", "estación": "estaciones", "habitación": "habitaciones",
    "cajón": "cajones", "joven": "jóvenes", "marrón": "marrones",
    "melón": "melones", "balón": "balones", "paraguas": "paraguas",
}  # fmt: skip

# kind -> "english spanish gender" per noun
NOUNS = {
    "object": (
        "key llave f, bag bolsa f, lamp lámpara f, clock reloj m, pencil lápiz m,"
        "camera cámara f, suitcase maleta f, map mapa m, mirror espejo m, ball balón m,"
        "guitar guitarra f, phone teléfono m, knife cuchillo m, painting cuadro m,"
        "blanket manta f, umbrella paraguas m"
    ),
    "dish": (
        "cup taza f, plate plato m, glass vaso m, bottle botella f, spoon cuchara f"
    ),
    "text": (
        "book libro m, letter carta f, poem poema m, message mensaje m,"
        "newspaper periódico m, novel novela f, story cuento m"
    ),
    "clothes": (
        "shirt camisa f, coat abrigo m, hat sombrero m, dress vestido m, shoe zapato m,"
        "skirt falda f, scarf pañuelo m"
    ),
    "food": (
        "apple manzana f, orange naranja f, cake pastel m, egg huevo m,"
        "tomato tomate m, sandwich bocadillo m, melon melón m, pear pera f"
    ),
    "drink": "coffee café m, milk leche f, tea té m, juice zumo m, soup sopa f",
    "furniture": "chair silla f, table mesa f, bed cama f, bench banco m",
    "opening": "door puerta f, window ventana f, box caja f, drawer cajón m",
    "vehicle": "car coche m, bicycle bicicleta f, boat barco m, train tren m",
    "building": (
        "house casa f, school escuela f, hotel hotel m, library biblioteca f,"
        "museum museo m, church iglesia f, restaurant restaurante m, office oficina f"
    ),
    "place": (
        "park parque m, market mercado m, garden jardín m, station estación f,"
        "beach playa f, village pueblo m, city ciudad f, bridge puente m"
    ),
    "person": (
        "boy niño m, girl niña f, man hombre m, woman mujer f, neighbour vecino m,"
        "doctor médico m, teacher profesora f, waiter camarero m, cook cocinero m,"
        "queen reina f, king rey m, student estudiante m, writer escritora f,"
        "painter pintor m"
    ),
    "relative": (
        "sister hermana f, brother hermano m, friend amigo m, grandmother abuela f,"
        "uncle tío m, aunt tía f, daughter hija f, son hijo m, cousin primo m"
    ),
}

THINGS = "object dish text clothes furniture vehicle opening"
PEOPLE = "person relative"
# english spanish copula: kinds
ADJECTIVES = """
red rojo ser: object dish clothes furniture vehicle opening
blue azul ser: object dish clothes furniture vehicle opening
green verde ser: object dish clothes furniture vehicle opening
white blanco ser: object dish clothes furniture vehicle opening building
black negro ser: object dish clothes furniture vehicle opening
yellow amarillo ser: object dish clothes furniture vehicle opening building
brown marrón ser: object dish clothes furniture opening
big grande ser: object dish furniture vehicle opening building place food
small pequeño ser: object dish furniture vehicle opening building place food
new nuevo ser: object dish text clothes furniture vehicle opening building place
old viejo ser: object dish text clothes furniture vehicle opening building person
expensive caro ser: object dish clothes furniture vehicle drink food
cheap barato ser: object dish clothes furniture vehicle drink food
heavy pesado ser: object furniture opening
beautiful hermoso ser: object text clothes vehicle building place
strange extraño ser: object text clothes building place person
broken roto estar: object dish furniture vehicle opening
clean limpio estar: dish clothes furniture vehicle opening building place
dirty sucio estar: dish clothes furniture vehicle opening building place
empty vacío estar: dish vehicle opening building place
open abierto estar: opening building
cold frío estar: drink food
hot caliente estar: drink
sweet dulce ser: drink food
fresh fresco ser: drink food
long largo ser: text clothes
short corto ser: text clothes
interesting interesante ser: text building place person
difficult difícil ser: text
famous famoso ser: text building place person
quiet tranquilo ser: building place person
modern moderno ser: building vehicle furniture
tall alto ser: person relative
young joven ser: person relative
kind amable ser: person relative
happy feliz ser: person relative
strong fuerte ser: person relative
intelligent inteligente ser: person relative
tired cansado estar: person relative
sick enfermo estar: person relative
"""

# english base/third/past | spanish infinitive[:present[:preterite]] | kinds
VERBS = f"""
see/sees/saw | ver:veo ves ve vemos ven:vi viste vio vimos vieron | {THINGS} building place {PEOPLE}
buy/buys/bought | comprar | {THINGS} food drink
sell/sells/sold | vender | {THINGS} food drink
find/finds/found | encontrar:encuentro encuentras encuentra encontramos encuentran | object dish text clothes
look for/looks for/looked for | buscar::busqué buscaste buscó buscamos buscaron | object text clothes vehicle
need/needs/needed | necesitar | object dish clothes furniture vehicle
paint/paints/painted | pintar | furniture opening building vehicle
clean/cleans/cleaned | limpiar | dish furniture opening building
wash/washes/washed | lavar | dish clothes vehicle food
open/opens/opened | abrir | opening text
close/closes/closed | cerrar:cierro cierras cierra cerramos cierran | opening
read/reads/read | leer:leo lees lee leemos leen:leí leíste leyó leímos leyeron | text
write/writes/wrote | escribir | text
send/sends/sent | enviar:envío envías envía enviamos envían | text
receive/receives/received | recibir | text
eat/eats/ate | comer | food
drink/drinks/drank | beber | drink
prepare/prepares/prepared | preparar | food drink
break/breaks/broke | romper | dish furniture opening
lose/loses/lost | perder:pierdo pierdes pierde perdemos pierden | object clothes
bring/brings/brought | traer:traigo traes trae traemos traen:traje trajiste trajo trajimos trajeron | object dish food drink text
hide/hides/hid | esconder | object text
use/uses/used | usar | object dish furniture vehicle
repair/repairs/repaired | reparar | furniture vehicle opening
draw/draws/drew | dibujar | object vehicle building place
build/builds/built | construir:construyo construyes construye construimos construyen:construí construiste construyó construimos construyeron | building furniture
visit/visits/visited | visitar | building place {PEOPLE}
remember/remembers/remembered | recordar:recuerdo recuerdas recuerda recordamos recuerdan | text place {PEOPLE}
forget/forgets/forgot | olvidar | object text clothes
help/helps/helped | ayudar | {PEOPLE}
call/calls/called | llamar | {PEOPLE}
invite/invites/invited | invitar | {PEOPLE}
greet/greets/greeted | saludar | {PEOPLE}
wait for/waits for/waited for | esperar | {PEOPLE}
"""  # noqa: E501

# The last column is the preposition that leads to the place: english/spanish.
MOTIONS = """
go/goes/went | ir:voy vas va vamos van:fui fuiste fue fuimos fueron | to/a
walk/walks/walked | caminar | to/a
run/runs/ran | correr | to/a
travel/travels/travelled | viajar | to/a
return/returns/returned | volver:vuelvo vuelves vuelve volvemos vuelven | from/de
come/comes/came | venir:vengo vienes viene venimos vienen:vine viniste vino vinimos vinieron | from/de
work/works/worked | trabajar | in/en
sleep/sleeps/slept | dormir:duermo duermes duerme dormimos duermen:dormí dormiste durmió dormimos durmieron | in/en
study/studies/studied | estudiar | in/en
sing/sings/sang | cantar | in/en
dance/dances/danced | bailar | near/cerca de
rest/rests/rested | descansar | near/cerca de
wait/waits/waited | esperar | near/cerca de
"""  # noqa: E501
IRREGULAR_FUTURE = {"venir": "vendr"}

COPULA = {  # tense -> english by person, ser, estar
    "present": (
        ("am", "are", "is", "are", "are"),
        ("soy", "eres", "es", "somos", "son"),
        ("estoy", "estás", "está", "estamos", "están"),
    ),
    "past": (
        ("was", "were", "was", "were", "were"),
        ("era", "eras", "era", "éramos", "eran"),
        ("estaba", "estabas", "estaba", "estábamos", "estaban"),
    ),
    "future": (
        ("will be",) * 5,
        ("seré", "serás", "será", "seremos", "serán"),
        ("estaré", "estarás", "estará", "estaremos", "estarán"),
    ),
}

# English, Spanish or None where Spanish drops it, person, gender, number.
PRONOUNS = (
    ("I", None, 0, "m", 0),
    ("you", None, 1, "m", 0),
    ("he", "él", 2, "m", 0),
    ("she", "ella", 2, "f", 0),
    ("we", None, 3, "m", 1),
    ("they", "ellos", 4, "m", 1),
)
CLITICS = (
    ("me", "me", 0), ("you", "te", 1), ("it", "lo", 2), ("her", "la", 2),
    ("him", "lo", 2), ("us", "nos", 3), ("them", "los", 4),
)  # fmt: skip

# English singular and plural; Spanish m. sg., f. sg., m. pl., f. pl.
DETERMINERS = {
    "the": ("the", "the", "el la los las"),
    "a": ("a", "some", "un una unos unas"),
    "my": ("my", "my", "mi mi mis mis"),
    "your": ("your", "your", "tu tu tus tus"),
    "our": ("our", "our", "nuestro nuestra nuestros nuestras"),
    "this": ("this", "these", "este esta estos estas"),
    "that": ("that", "those", "ese esa esos esas"),
}
NUMBERS = (
    ("two", "dos"), ("three", "tres"), ("four", "cuatro"), ("five", "cinco"),
    ("six", "seis"), ("seven", "siete"), ("eight", "ocho"), ("ten", "diez"),
    ("twelve", "doce"), ("twenty", "veinte"),
)  # fmt: skip

# Words with the same number in brackets translate each other.
TIMES = {
    "present": (
        ("every(1) day(2)", "cada(1) día(2)"),
        ("every(1) morning(2)", "cada(1) mañana(2)"),
        ("every(1) week(2)", "cada(1) semana(2)"),
        ("today(1)", "hoy(1)"),
    ),
    "past": (
        ("yesterday(1)", "ayer(1)"),
        ("last(1) night(1)", "anoche(1)"),
        ("last(1) week(2)", "la semana(2) pasada(1)"),
        ("last(1) year(2)", "el año(2) pasado(1)"),
    ),
    "future": (
        ("tomorrow(1)", "mañana(1)"),
        ("tonight(1)", "esta(1) noche(1)"),
        ("soon(1)", "pronto(1)"),
        ("next(1) week(2)", "la próxima(1) semana(2)"),
    ),
}
QUESTION_WORDS = (
    ("where", ("dónde",)),
    ("when", ("cuándo",)),
    ("why", ("por", "qué")),
    ("how", ("cómo",)),
)


def english_plural(word):
    """Return the plural of an English noun."""
    return IRREGULAR_ENGLISH.get(word, f"{word}s")


def spanish_plural(word):
    """Return the plural of a Spanish noun or adjective."""
    if word in IRREGULAR_SPANISH:
        return IRREGULAR_SPANISH[word]
    if word.endswith("z"):
        return word[:-1] + "ces"
    return word + ("s" if word[-1] in "aeiouáéó" else "es")


def agree(adjective, gender, number):
    """Return the form of a Spanish adjective that fits a gender and a number.

    Example:
        >>> agree("rojo", "f", 1), agree("feliz", "f", 1), agree("azul", "m", 0)
        ('rojas', 'felices', 'azul')
    """
    if gender == "f" and adjective.endswith("o"):
        adjective = adjective[:-1] + "a"
    return spanish_plural(adjective) if number else adjective


def conjugate(verb, tense, person):
    """Return a Spanish verb form.

    Example:
        >>> verbs = {verb.english[0]: verb for verb in verbs_with_objects()}
        >>> [conjugate(verbs["read"], "past", person) for person in range(5)]
        ['leí', 'leíste', 'leyó', 'leímos', 'leyeron']
    """
    if tense == "future":
        return verb.future + ("é", "ás", "á", "emos", "án")[person]
    return (verb.present if tense == "present" else verb.preterite)[person]


def nouns():
    """Return all nouns of the phrasebook."""
    found = []
    for kind, entries in NOUNS.items():
        for entry in entries.split(","):
            english, spanish, gender = entry.split()
            found.append(
                Noun(
                    (english, english_plural(english)),
                    (spanish, spanish_plural(spanish)),
                    gender,
                    kind,
                )
            )
    return found


def adjectives():
    """Return all adjectives of the phrasebook."""
    found = []
    for line in ADJECTIVES.strip().splitlines():
        words, kinds = line.split(":")
        found.append(Adjective(*words.split(), frozenset(kinds.split())))
    return found


def verbs_with_objects():
    """Return the verbs whose `objects` are kinds of nouns."""
    return [_verb(line) for line in VERBS.strip().splitlines()]


def verbs_with_places():
    """Return the verbs whose `objects` are an English and a Spanish preposition."""
    return [_verb(line) for line in MOTIONS.strip().splitlines()]


def _verb(line):
    """Read a line of a verb table and fill in the regular forms."""
    english, spanish, objects = (part.strip() for part in line.split("|"))
    infinitive, present, preterite = (spanish.split(":") + ["", ""])[:3]
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending == "ar":
        endings = "o as a amos an", "é aste ó amos aron"
    else:
        we = "emos" if ending == "er" else "imos"
        endings = f"o es e {we} en", "í iste ió imos ieron"
    regular = [tuple(stem + end for end in table.split()) for table in endings]
    return Verb(
        tuple(english.split("/")),
        tuple(present.split()) or regular[0],
        tuple(preterite.split()) or regular[1],
        IRREGULAR_FUTURE.get(infinitive, infinitive),
        tuple(objects.split("/") if "/" in objects else objects.split()),
    )
