"""The reducer: the smallest shader that still shows what was found, by edits on the tree.

The search is greedy: it takes the first smaller neighbour that is still interesting, and goes on from there. It ends
when no neighbour is interesting, nor a shader with two statements less. `size` strictly decreases, so it does end.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import cycle, islice

from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.reduction import declarations, expressions, names, shapes, slices, statements
from wgsl_fuzz.fuzz.reduction.context import Context, Edit
from wgsl_fuzz.fuzz.reduction.size import SharedSizes, Size
from wgsl_fuzz.strategies.edit.subject import valid
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.rewrite import Misfit
from wgsl_fuzz.wgsl.syntax import Module
from wgsl_fuzz.wgsl.walk import with_more_stack

EditKind = Callable[[Context], Iterator[Edit]]
"""A kind of edits. They come lazily: the search may apply one before it asks for the next."""

EDIT_KINDS: Mapping[str, EditKind] = {
    "slices": slices.slices,
    "unused": names.unused,
    "functions": names.without_function,
    "names": names.forgotten,
    "statements": statements.removals,
    "replaced statements": statements.replacements,
    "stores": statements.stores,
    "declarations": declarations.declarations,
    "calls": declarations.inlined_calls,
    "named values": names.inlined_values,
    "assigned values": names.propagated,
    "parts": declarations.without_parts,
    "results": declarations.without_results,
    "members": shapes.without_members,
    "structures": shapes.single_members,
    "plain inputs": shapes.plain_inputs,
    "elements": shapes.elements,
    "aliases": declarations.aliases,
    "constants": expressions.constants,
    "expressions": expressions.simpler,
    "families": expressions.plainer,
    "declared plainly": declarations.plainer_declarations,
    "numbers": shapes.unsigned,
}
"""The kinds of edits by name, in the order in which they are tried."""

Interesting = Callable[[Resolution], Hashable]
"""Returns what a module shows: True or False, or a key or None."""
MOVES_UP_TO = 16
"""Moves are tried on modules up to this number of statements."""
GROWTH, HEAVY = 4, 4_096
"""A candidate weighs at most so many times what the first module does, plus so much: inlining may double it."""
_COMPARED = 8
"""How many of the neighbours that are nearest in size are compared line by line."""
_SHOWN = 3
"""The number of changes that are described; further changes are only counted."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """The reduced shader, the numbers of candidates, and other candidates worth showing."""

    resolution: Resolution
    tried: int
    asked: int
    nearest: str | None = None
    """The near miss: the nearest simpler candidate that does not show what is wanted."""
    differs: tuple[str, ...] = ()
    """How `nearest` differs from the reduced module, in words, with line numbers of the plain print."""
    noted: dict[Hashable, str] = field(default_factory=dict)
    """By any other key that `interesting` returned: the text of the smallest such candidate."""

    @property
    def text(self) -> str:
        """The reduced module as the printer writes it."""
        return print_module(self.resolution.module)

    @property
    def statements(self) -> int:
        """How many statements it has."""
        return count_statements(self.resolution.module)


def reduce(
    resolution: Resolution,
    interesting: Interesting,
    *,
    most: int = 20_000,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[Resolution, int], None] = lambda _resolution, _asked: None,
) -> Reduction:
    """The smallest module found for which `interesting` returns True, as it must for `resolution`.

    Every candidate has names that resolve and valid behaviours, and values keep their types as far as those are known.
    No candidate is tested twice. The search stops after `most` candidates, or when `give_up` returns True. `progress`
    is called with each smaller module and the number of tests so far. `noted` holds the other keys that `interesting`
    returned, without False and None.
    """
    return with_more_stack(lambda: _Search(resolution, interesting, most, give_up, progress).reduction())


class _Search:
    def __init__(
        self,
        resolution: Resolution,
        interesting: Interesting,
        most: int,
        give_up: Callable[[], bool],
        progress: Callable[[Resolution, int], None],
    ) -> None:
        self._sizes = SharedSizes()
        _, self.best = self._sizes.of(resolution.module)
        self._heaviest = GROWTH * self.best[1] + HEAVY
        self._go_on(resolution)
        self.tried = self.asked = 0
        self.noted: dict[Hashable, tuple[Size, str]] = {}
        self._interesting = interesting
        self._most, self._give_up = most, give_up
        self._progress = progress
        self._seen: set[int] = set()
        """The numbers of the modules that were candidates."""
        self._refused: list[Resolution] = []
        """The modules tested since the last step that show nothing."""

    def reduction(self) -> Reduction:
        """Runs the search."""
        if not self._over():
            self._rename(names.with_unique_names(self.current))
            self.run()
            self._rename(names.with_plain_order(self.current))
        others = {print_module(other.module): other for other in self._refused}
        nearest = nearest_text(print_module(self.current.module), list(others))
        plain = names.plain_names(self.current)
        is_renamed = not self._over() and self._rename(names.plainly_spelled(names.renamed(self.current, *plain)))
        if nearest is not None and is_renamed:
            nearest = print_module(names.plainly_spelled(names.renamed(others[nearest], *plain)))
        differs = () if nearest is None else changes_in_words(print_module(self.current.module), nearest)
        noted = {shown: other for shown, (_, other) in self.noted.items()}
        return Reduction(self.current, self.tried, self.asked, nearest, differs, noted)

    def run(self) -> None:
        """Takes steps until no smaller neighbour is interesting."""
        while True:
            self._one_by_one()
            is_small = count_statements(self.current.module) <= MOVES_UP_TO
            if not is_small or not any(self._pass(kind, once=True) for kind in statements.MOVES.values()):
                return

    def _one_by_one(self) -> None:
        """Takes steps until no single edit helps: every kind of edit was tried since the last step."""
        idle = 0
        for kind in cycle(EDIT_KINDS.values()):
            idle = 0 if self._pass(kind) else idle + 1
            if idle == len(EDIT_KINDS):
                return

    def _over(self) -> bool:
        """Whether the budget is spent."""
        return self.tried >= self._most or self._give_up()

    def _pass(self, kind: EditKind, *, once: bool = False) -> bool:
        """Applies the edits of one kind that help; returns whether there was one."""
        changed, position = False, 0
        neighbours = kind(self._context)
        while not self._over() and (edit := next(neighbours, None)) is not None:
            if not self._takes(edit):
                position += 1
                continue
            changed = True
            if once:
                break
            neighbours = islice(kind(self._context), position, None)  # on from here, not from the start
        return changed

    def _takes(self, edit: Edit) -> bool:
        """Makes an edit; whether it is a step."""
        try:
            candidate = edit()
        except Misfit:
            return False
        if candidate is self.current.module:
            return False
        self.tried += 1
        number, measure = self._sizes.of(candidate)
        if measure >= self.best or measure[1] > self._heaviest or number in self._seen:
            return False
        self._seen.add(number)
        resolution = valid(candidate)
        if resolution is None:
            return False
        shown = self._shows(resolution, measure)
        if shown is not True:
            if not shown and not self._give_up():  # an answer cut short says nothing
                self._refused.append(resolution)
            return False
        self.best = measure
        self._go_on(resolution)
        self._refused.clear()
        self._progress(resolution, self.asked)
        return True

    def _shows(self, resolution: Resolution, measure: Size) -> Hashable:
        self.asked += 1
        shown = self._interesting(resolution)
        if shown and shown is not True:
            known = self.noted.get(shown)
            if known is None or measure < known[0]:
                self.noted[shown] = measure, print_module(resolution.module)
        return shown

    def _rename(self, module: Module) -> bool:
        """Other names, if it still shows with them; whether the module has them now."""
        if module == self.current.module:
            return True
        resolution = valid(module)
        self.asked += resolution is not None
        if resolution is None or self._interesting(resolution) is not True:
            return False
        self._go_on(resolution)
        return True

    def _go_on(self, resolution: Resolution) -> None:
        """Goes on from another module."""
        self.current = resolution
        self._context = Context(resolution)
        self._sizes.keep(resolution.module)


def read(text: str) -> Resolution | None:
    """The module that a text is; None for one that is not valid, as far as that is looked at."""
    try:
        return valid(parse(text))
    except WgslError:
        return None


# --------------------------------------------------------------------------------------------------------- near misses


def nearest_text(text: str, others: Sequence[str]) -> str | None:
    """The one of `others` with the fewest words that differ from a text, and the shortest; None if there is none."""
    close = sorted(dict.fromkeys(others), key=lambda other: abs(len(text) - len(other)))[: 4 * _COMPARED]
    words = _words(text)

    def apart(other: str) -> int:
        return sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in _changes(words, _words(other)))

    nearest: tuple[int, int, str] | None = None
    for least, other in sorted((_least_apart(words, _words(other)), other) for other in close):
        if nearest is not None and least > nearest[0]:
            break  # as all that follow
        found = apart(other), len(other), other
        nearest = found if nearest is None else min(nearest, found)
    return None if nearest is None else nearest[2]


def _least_apart(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words differ at least, wherever they stand."""
    mine, theirs = Counter(one), Counter(other)
    return max((mine - theirs).total(), (theirs - mine).total())


def _words(text: str) -> list[str]:
    return re.findall(r"\w+|\S", text)


def _changes(one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    matcher = SequenceMatcher(None, [s.strip() for s in one], [s.strip() for s in other], autojunk=False)
    return (change for change in matcher.get_opcodes() if change[0] != "equal")


def changes_in_words(text: str, other: str) -> tuple[str, ...]:
    """What must be done to a text to get another one: a line for each run of lines that differ."""
    one, two = text.splitlines(), other.splitlines()
    lines = []
    for tag, i1, i2, j1, j2 in _changes(one, two):
        gone = " ".join(s.strip() for s in one[i1:i2])
        come = " ".join(s.strip() for s in two[j1:j2])
        if not (gone.strip("} ") or come.strip("} ")):
            continue  # a brace goes with its head
        if tag == "delete":
            lines.append(f"without `{gone}` on line {i1 + 1}")
        elif tag == "insert":
            lines.append(f"with `{come}` after line {i1}")
        else:
            lines.append(f"with `{come}` instead of `{gone}` on line {i1 + 1}")
    if len(lines) > _SHOWN:
        return (*lines[: _SHOWN - 1], f"and {len(lines) - _SHOWN + 1} more changes")
    return tuple(lines)
