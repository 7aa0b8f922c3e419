"""Resolution on mutated texts: it takes what current Tint takes, and refuses what Tint refuses for a name."""

import re
from random import Random

import pytest

from tests.wgsl.applications import applications, forms
from tests.wgsl.current_tint import ask_tint
from tests.wgsl.test_resolve import ACCEPTED, check
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.builtins import words
from wgsl_fuzz.wgsl.lexer import KEYWORDS
from wgsl_fuzz.wgsl.problems import WgslError

COUNTS = [pytest.param(1000, id="1,000"), pytest.param(20_000, id="20,000", marks=pytest.mark.slow)]

TOKEN = re.compile(r"//[^\n]*|[A-Za-z_]\w*|\d[\w.]*|\s+|[^\w\s]")
NAME = re.compile(r"[A-Za-z_]\w*")
OTHER_NAMES = sorted(
    words("x f32 min read vec3f function array position dpdx subgroupAdd vec2 textureLoad workgroupBarrier")
)
STATEMENTS = ["break;", "continue;", "return;", "let x = 1;", "var x = 1;", "_ = x;", "x = 2;", "{ let x = 1; }"]

OF_NAMES = re.compile(
    r"""unresolved|redeclaration|redefinition|cyclic\ dependency|cannot\ use\ .*\ as\ |too\ (many|few)\ arguments\ in
    |does\ not\ return\ a\ value|ignoring\ return\ value|struct\ member\ .*\ not\ found|missing\ entry\ point\ IO
    |pipeline\ stage|cannot\ assign\ to\ '|bypasses\ declaration|statement\ must\ be\ in|must\ not\ contain\ a
    |without\ extension|does\ not\ exit|missing\ return|conflicting\ diagnostic""",
    re.VERBOSE,
)
"""Tint's messages about what resolution and behaviour analysis look at, rather than about types or values."""
BY_NAME_ONLY = "bypasses declaration"
"""Tint refuses these where another variable of that name is meant as well (names.toml, `differs`)."""
UNNAMED_STRUCTURES = ("modf(", "frexp(", "atomicCompareExchangeWeak(")
"""Their results have members, which are not looked up."""


def is_of_names(message: str, text: str) -> bool:
    """Whether resolution should refuse what Tint refuses with this message."""
    if BY_NAME_ONLY in message or ("struct member" in message and any(name in text for name in UNNAMED_STRUCTURES)):
        return False
    return OF_NAMES.search(message) is not None


def mutated(random: Random, text: str) -> str:
    """The text with one or all uses of a name replaced, a line moved or doubled, or a statement put in."""
    kind = random.random()
    if kind < 0.7:
        tokens = TOKEN.findall(text)
        names = [i for i, token in enumerate(tokens) if NAME.fullmatch(token) and token not in KEYWORDS]
        old = random.choice(names)
        new = tokens[random.choice(names)] if random.random() < 0.8 else random.choice(OTHER_NAMES)
        everywhere = kind < 0.2
        return "".join(new if i == old or (everywhere and t == tokens[old]) else t for i, t in enumerate(tokens))
    pieces = re.split(r"(?<=[;{}])", text)
    at, other = random.randrange(len(pieces)), random.randrange(len(pieces))
    if kind < 0.8:
        pieces[at], pieces[other] = pieces[other], pieces[at]
    else:
        pieces.insert(at, pieces[other] if kind < 0.85 else random.choice(STATEMENTS))
    return "".join(pieces)


def drawn(count: int) -> list[str]:
    """Mutated texts: two thirds of them small ones."""
    random = Random(20261122)
    large = [*applications().values(), *forms().values()]
    return [mutated(random, random.choice(ACCEPTED if i % 3 else large)) for i in range(count)]


def refusal(text: str) -> str | None:
    try:
        check(text)
    except WgslError as error:
        return error.message
    return None


@pytest.mark.parametrize("count", COUNTS)
def test_current_tint_agrees_on_mutated_texts(count: int) -> None:
    texts = drawn(count)
    wrong, taken = [], 0
    for text, answer in zip(texts, ask_tint(texts), strict=True):
        ours = refusal(text)
        first = answer.message.split("\n")[0]
        if answer.verdict is not Verdict.INVALID:
            taken += 1
            if ours is not None:
                wrong.append((text, "takes it", ours))
        elif ours is None and is_of_names(first, text):
            wrong.append((text, first, "takes it"))
    assert wrong == []
    assert taken > count / 10
