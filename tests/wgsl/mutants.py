"""Texts that may be broken: a token of a valid text deleted, doubled, swapped, replaced, or another one inserted."""

from collections.abc import Iterator
from functools import cache
from random import Random

from tests.wgsl.texts import VALID
from wgsl_fuzz.wgsl.lexer import tokens

_STRANGERS = """
    # $ ' " \\ ? _ __x 01 1x 0x 1e é · -> -- ++ <<= >>= %= && || async fallthrough enable requires override
    ptr const const_assert loop continuing break discard @ @const @compute break_if false
    """


@cache
def split(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tokens of a valid text, and what is before the first, between them, and behind the last."""
    found = tokens(text)
    edges = list(zip(found.starts, found.ends))
    words = tuple(text[start:end] for start, end in edges[:-1])
    return words, tuple(text[before:start] for before, (start, _) in zip([0, *found.ends], edges))


@cache
def _words() -> tuple[str, ...]:
    return tuple(sorted({word for text in VALID for word in split(text)[0]} | set(_STRANGERS.split())))


def mutants(seed: int, count: int) -> Iterator[str]:
    """As many texts as asked for, always the same for one seed."""
    random = Random(seed)
    texts = [text for text in VALID if split(text)[0]]
    for _ in range(count):
        words, gaps = split(random.choice(texts))
        yield gaps[0] + "".join(word + gap for word, gap in zip(_changed(random, list(words)), gaps[1:]))


def _changed(random: Random, words: list[str]) -> list[str]:
    at = random.randrange(len(words))
    match random.choice(["delete", "double", "swap", "exchange", "replace", "insert"]):
        case "delete":
            words[at] = random.choice(["", " "])
        case "double":
            words[at] += random.choice(["", " "]) + words[at]
        case "swap":
            other = max(at - 1, 0)
            words[at], words[other] = words[other], words[at]
        case "exchange":
            other = random.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        case "replace":
            words[at] = random.choice(_words())
        case _:
            words[at] = f"{random.choice(_words())} {words[at]}"
    return words
