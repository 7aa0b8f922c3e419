"""Broken variants that act in one context only: the measure of how many faults a generator finds that nobody knows yet.

An arm is a broken variant of the rules. `ARM @ CONTEXT` is that variant where its rule is applied in this context, and
the rule everywhere else: what a programmer gets wrong for one kind of statement in one kind of block. It is alive if a
text of `small_texts` shows it. `python -m tests.quality.contexts` looks for those and writes `contexts.json`.

Half of the names, by a hash, are hidden: they are counted, and never listed. Who improves the generator looks at the
open half alone.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing import Pool
from pathlib import Path

from tests.quality.module_mutants import pairs
from wgsl_fuzz.oracle.rules.uniformity.contexts import confinable_arms, deciding_in_contexts, pieces
from wgsl_fuzz.oracle.rules.uniformity.places import name_of
from wgsl_fuzz.strategies.enumerate import nested
from wgsl_fuzz.wgsl.problems import WgslError

ALIVE = Path(__file__).with_name("contexts.json")
BUILTIN_ROWS, INPUT_ROWS = "function_row", "input_row"
"""The pieces that have a variant for each row of a table: one in so many of their names is kept."""
SHARE = {BUILTIN_ROWS: 16, INPUT_ROWS: 4}
OTHERS_SHARE = 2


@cache
def digest(name: str) -> str:
    """What a name is known by in `contexts.json`."""
    return hashlib.sha256(name.encode()).hexdigest()[:10]


def is_hidden(digest: str) -> bool:
    """Whether the name with this digest is of the half that nobody looks at."""
    return int(digest[0], 16) % 2 == 1


@cache
def share_of(arm: str) -> int:
    """One in so many contexts of a variant is in the sample: tables have a variant for each row."""
    (cls,) = confinable_arms()[arm].variant.replacements
    return SHARE.get(pieces(cls)[0][1], OTHERS_SHARE)


def is_kept(arm: str, context: str) -> bool:
    """Whether it is in the sample."""
    return int(digest(name_of(arm, context))[1:], 16) % share_of(arm) == 0


@cache
def alive() -> frozenset[str]:
    """The digests of those that some small text shows."""
    return frozenset(json.loads(ALIVE.read_text(encoding="utf-8")))


# -------------------------------------------------------------------------------------------------------------- alive


_EVERY = {1: 1, 2: 10, 3: 5, 4: 10}
"""Of the family of blocks in each other, one text in so many is read, by its size."""


def small_texts() -> Iterator[str]:
    """Texts that nobody drew: the pairs, and the family of blocks in each other."""
    for pair in pairs().values():
        yield from (pair.accepted, pair.rejected)
    for size, every in _EVERY.items():
        texts = nested.of_size(size)
        yield from (texts.nth(i) for i in range(0, texts.count, every))


def _shown(found: set[str], text: str) -> set[str]:
    """The digests of what a text shows that is not found yet."""

    def is_wanted(arm: str, context: str) -> bool:
        return is_kept(arm, context) and digest(name_of(arm, context)) not in found

    try:
        return {digest(name_of(*name)) for name in deciding_in_contexts(text, is_wanted)}
    except WgslError:
        return set()


def _shown_by(texts: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for text in texts:
        found |= _shown(found, text)
    return found


def main() -> None:
    """Writes the digests of what small texts show."""
    texts = [*small_texts()]
    with Pool() as pool:
        found = set().union(*pool.imap_unordered(_shown_by, (texts[i::64] for i in range(64))))
    ALIVE.write_text(json.dumps(sorted(found), indent=0) + "\n", encoding="utf-8")
    print(f"{len(texts)} texts show {len(found)}, {sum(map(is_hidden, found))} of them hidden")


if __name__ == "__main__":
    main()
