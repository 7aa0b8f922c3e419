"""Making a row name its cause: a pair of shaders grows by little until fewer other branches decide it.

An analysis with one branch wrong fails every row that this branch decides. The smallest shaders take each rule once, so
that many branches decide them: the only source of non-uniformity, the only barrier, the only `if`. A second source, a
second barrier or the same block in another construct keeps their verdict from hanging on these.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from tools.conformance.twins import block_end, distance
from wgsl_fuzz.fuzz.conformance.rows import SIDES

Pair = Mapping[str, str]
"""The text of each side."""

MORE = 2
"""So many statements a pair may grow by; a `break if` counts as part of its loop."""
STATEMENT, WORD, IMPRECISE = 1.0, 0.25, 3.0
"""What a statement more, a word more between the two shaders, and a rejected shader that was not seen to diverge cost,
in branches that decide the pair as well."""


@dataclass(frozen=True)
class Vocabulary:
    """What may be added to the shaders of a level."""

    lines: tuple[str, ...]
    """Statements."""
    echoes: tuple[str, ...]
    """What a block under a condition `{c}` is said again as; `{s}` stands for its statements."""
    sinks: Mapping[str, str]
    """By what a line has in it, a line that demands as much."""
    source: str
    """A value that is not uniform."""
    declared: Mapping[str, str]
    """By a word that a text uses, what declares it at module scope."""
    locals: Mapping[str, str]
    """By a word that a function uses, what declares it at its head."""


@dataclass(frozen=True)
class Grown:
    """A pair, and what is known about it."""

    texts: Pair
    red: frozenset[str]
    """The branches that decide one of its shaders."""
    cost: float

    @property
    def order(self) -> tuple[object, ...]:
        """The best comes first; of equal cost the shorter one."""
        return self.cost, sum(map(len, self.texts.values())), *(self.texts[side] for side in SIDES)


Ask = Callable[[Pair, frozenset[str]], tuple[Pair, frozenset[str]] | None]
"""A pair as the printer writes it and the branches that decide it; None if it is none of both verdicts.

Only branches of the given set need be looked at, if it is not empty.
"""


class Growth:
    """Looks for the pair of a branch that the fewest others decide."""

    def __init__(self, vocabulary: Vocabulary, ask: Ask, *, rounds: int = 2, beam: int = 3) -> None:
        self._words = vocabulary
        self._ask = ask
        self._rounds = rounds
        self._beam = beam

    def best(self, name: str, start: Pair, alike: Collection[str] = ()) -> list[Grown]:
        """The best pairs that `start` grows to, itself among them. `alike` are branches that need not be told apart."""
        found = self._ask(start, frozenset())
        assert found is not None, start
        least = statements(found[0])
        first = Grown(*found, cost_of(name, *found, least, alike))
        known, front = {_key(first.texts): first}, [first]
        for _ in range(self._rounds):
            new = [one for grown in front for one in self._grown(name, grown, least, alike, known)]
            front = sorted(new, key=lambda one: one.order)[: self._beam]
        return sorted(known.values(), key=lambda one: one.order)

    def _grown(
        self, name: str, grown: Grown, least: int, alike: Collection[str], known: dict[tuple[str, ...], Grown]
    ) -> Iterator[Grown]:
        for texts in edits(grown.texts, self._words):
            if statements(texts) > least + MORE or _key(texts) in known:
                continue
            found = self._ask(texts, grown.red)
            if found is None or name not in found[1] or _key(found[0]) in known:
                continue
            if cost_of(name, *found, least, alike) >= grown.cost + STATEMENT:
                continue  # it takes more than it gives
            whole = self._ask(texts, frozenset())
            assert whole is not None
            one = Grown(*whole, cost_of(name, *whole, least, alike))
            known[_key(one.texts)] = known[_key(texts)] = one
            yield one


def _key(texts: Pair) -> tuple[str, ...]:
    return tuple(texts[side] for side in SIDES)


def statements(texts: Pair) -> int:
    """How many statements the longer one of two shaders has."""
    return max(
        len(re.findall(r"^ .*(?:;|\b(?:if|loop|while|for|switch)\b.*\{)$", t, re.MULTILINE)) for t in texts.values()
    )


def cost_of(name: str, texts: Pair, red: frozenset[str], least: int, alike: Collection[str] = ()) -> float:
    """What a pair costs that shows a branch, in branches that decide it as well."""
    others = len(red.difference({name}, alike))
    return others + STATEMENT * (statements(texts) - least) + WORD * distance(*(texts[side] for side in SIDES))


def edits(texts: Pair, words: Vocabulary) -> Iterator[Pair]:
    """The pairs that one edit of both shaders, or of the lines in which they differ, leads to."""
    lines = {side: texts[side].splitlines() for side in SIDES}
    one, other = (lines[side] for side in SIDES)
    if len(one) == len(other):  # the difference is within lines
        places = [(i, i) for i in range(len(one))]
        yield from (_declared(edited, words) for edited in _echoes(lines, words))
        yield from (_declared(edited, words) for edited in _sources(lines, words))
    else:
        blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
        places = [(b.a + k, b.b + k) for b in blocks for k in range(b.size)]
    for place in places:
        line = one[place[0]]
        if line != "}" and (not line.startswith(" ") or re.match(r" +(?:(?:var|let|const)\b|break if)", line)):
            continue
        added = [*words.lines, *(sink for word, sink in words.sinks.items() if word in one[place[0] - 1])]
        indent = _indent(line) + ("  " if line.strip() == "}" else "")
        for new in added:
            inserted = [indent + part for part in new.splitlines()]
            yield _declared(
                {
                    side: _joined(lines[side][:at], inserted, lines[side][at:])
                    for side, at in zip(SIDES, place, strict=True)
                },
                words,
            )


def _echoes(lines: Mapping[str, list[str]], words: Vocabulary) -> Iterator[dict[str, str]]:
    """The block of an `if` once more, as another construct after it."""
    for i in range(len(lines[SIDES[0]])):
        heads = [re.fullmatch(r" +if (.*) \{", lines[side][i]) for side in SIDES]
        for echo in words.echoes if all(heads) else ():
            made = {}
            for side, head in zip(SIDES, heads, strict=True):
                own, indent = lines[side], _indent(lines[side][i])
                end = block_end(own, i, indent)
                if own[end] != indent + "}" or head is None:
                    break
                body = "\n".join(line.removeprefix(indent) for line in own[i + 1 : end])
                again = echo.format(c=head[1], s=body).splitlines()
                made[side] = _joined(own[: end + 1], [indent + line for line in again], own[end + 1 :])
            if len(made) == len(SIDES):
                yield made


def _sources(lines: Mapping[str, list[str]], words: Vocabulary) -> Iterator[dict[str, str]]:
    """A literal becomes a value that is not uniform, on one side of a line that differs, or on both sides."""
    for i, pair in enumerate(zip(*(lines[side] for side in SIDES), strict=True)):
        places: list[tuple[str, ...]] = [(side,) for side in SIDES] if pair[0] != pair[1] else [SIDES]
        for chosen in places:
            for number in range(len(re.findall(r"\b\d+u\b", lines[chosen[0]][i]))):
                made = {side: list(lines[side]) for side in SIDES}
                for side in chosen:
                    m = [*re.finditer(r"\b\d+u\b", lines[side][i])][number]
                    made[side][i] = lines[side][i][: m.start()] + words.source + lines[side][i][m.end() :]
                yield {side: _joined(made[side]) for side in SIDES}


def _declared(texts: Pair, words: Vocabulary) -> Pair:
    """With what the texts use and do not declare yet; both get it, so that they stay near."""
    both = "\n".join(texts.values())
    for word, declaration in words.declared.items():
        if re.search(rf"\b{word}\b", both) and declaration.strip() not in both:
            texts = {side: _at_module_scope(text, declaration) for side, text in texts.items()}
    for word, declaration in words.locals.items():
        if re.search(rf"\b{word}\b", both) and declaration not in both:
            texts = {
                side: re.sub(r"^(fn main\(.*\{)$", rf"\1\n  {declaration}", t, flags=re.MULTILINE)
                for side, t in texts.items()
            }
    return texts


def _at_module_scope(text: str, declaration: str) -> str:
    """A variable before all functions, a function before the entry point."""
    before = (
        r"^(?:fn|@compute|@fragment|@vertex)" if declaration.startswith("var") else r"^(?:@compute|@fragment|@vertex)"
    )
    found = re.search(before, text, re.MULTILINE)
    start = found.start() if found else len(text)
    return text[:start] + declaration + "\n" + text[start:]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _joined(*parts: list[str]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"
