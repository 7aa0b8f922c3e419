"""Looking for the rows of a level: known shaders of both verdicts, reduced to what a branch still decides.

A row keeps its shaders as long as they still show what they did. For all of WGSL the pairs of `corpus/wgsl/pairs` are
reduced; for TinyWGSL the witnesses of the tests, the cases of the corpus, and small shaders. The other shader of a row
is what a small edit makes of the one that the branch decides. Where no pair shows a branch by a verdict, one does with
a diagnostic filter before it: which rule a built-in function is reported by can be seen in that way only.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from tools.conformance import sections_tiny, sections_whole
from tools.conformance.answers import OTHER, answer_under, branches, outcome_of, verdict_of
from tools.conformance.twins import distance, twins
from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, Row, Rows
from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.oracle.rules.in_words import broken_in_words
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies.enumerate.families import FAMILIES
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Variable

CANDIDATES = 1_500
"""So many candidates a reduction tries."""
TRIED = 60
"""So many of the shortest pairs are tried if the witness does not show a branch by a verdict."""
CHECKED = 12
"""So many twins are checked."""
FILTERS = tuple(
    f"diagnostic(off, {rule}_uniformity);\n" for rule in ("derivative", "subgroup", "chromium.subgroup_matrix")
)

SMALL = {"main": 4, "single-loop": 1, "two-function": 2}
"""How many statements the small shaders of each family have at most."""

Valid = Callable[[Sequence[str]], Sequence[bool]]
"""Of texts, whether a compiler takes them for WGSL."""


@dataclass(frozen=True)
class Start:
    """Known shaders that a branch may decide."""

    texts: tuple[str, ...]
    """Of a pair the rejected one first."""
    row: str = ""
    """Of a pair: the section, and the row of its table in words."""
    refusal: Verdict = Verdict.REJECTS


def flips(level: Level, variant: Variant, text: str) -> bool:
    """Whether a branch decides a text, and by a verdict on its uniformity."""
    verdict = verdict_of(level, text)
    return verdict in OTHER and answer_under(level, variant.name, text) is OTHER[verdict]


@cache
def _pairs() -> Mapping[str, Start]:
    pairs = sorted(load(), key=lambda pair: len(pair.accepted) + len(pair.rejected))
    return {pair.name: Start((pair.rejected, pair.accepted), pair.row, pair.refusal) for pair in pairs}


@cache
def _small() -> Sequence[Start]:
    return [Start((print_shader(s),)) for name, most in SMALL.items() for s in FAMILIES[name].up_to(most)]


class Search:
    """Looks for rows of a level. `witnesses` name a pair for each variant of all WGSL, or are texts of TinyWGSL."""

    def __init__(self, level: Level, witnesses: Mapping[str, str], valid: Valid, known: Sequence[Row] = ()) -> None:
        """`known` are the rows of the last time."""
        self._level = level
        self._witnesses = witnesses
        self._valid = valid
        self._known = {row.name: row for row in known}

    def rows(self) -> Iterator[tuple[Variant, Row | None]]:
        """The row of each variant, None for a variant without one."""
        for variant in branches(self._level).values():
            if not variant.equivalent:
                yield variant, self._row(variant)

    def _row(self, variant: Variant) -> Row | None:
        known = self._known.get(variant.name)
        if known is not None and self._holds(variant, known):
            return known
        starts = list(self._starts(variant))
        for start in starts:
            for first in self._decided(variant, start):
                row = self.made(variant, start, first)
                if row is not None:
                    return row
        return self._as_it_is(variant, starts[0])

    def _holds(self, variant: Variant, row: Row) -> bool:
        right = all(verdict_of(self._level, row.text(side)) is row.expected(side) for side in SIDES)
        return right and row.alone == self._alone(variant, row.accepted, row.rejected, row.refusal)

    def _starts(self, variant: Variant) -> Iterator[Start]:
        """What to look at: the witness first."""
        if self._level is not Level.CORE:
            witness = _pairs()[self._witnesses[variant.name]]
            yield witness
            yield from (start for start in list(_pairs().values())[:TRIED] if start is not witness)
            return
        mine = self._witnesses.get(variant.name)
        yield from (Start((text,)) for text in dict.fromkeys((mine, *self._witnesses.values())) if text is not None)
        yield from _small()

    def _decided(self, variant: Variant, start: Start) -> Iterator[str]:
        """The texts, also with a filter before them, that a branch decides."""
        for text in start.texts:
            if flips(self._level, variant, text):
                yield text
            elif self._level is not Level.CORE and (variant.what == "other-rule" or variant.rule == "builtin"):
                yield from (filter_ + text for filter_ in FILTERS if flips(self._level, variant, filter_ + text))

    def made(self, variant: Variant, start: Start, first: str) -> Row | None:
        """The row whose first shader a text becomes; None if it has no twin."""
        resolution = read(first)
        if resolution is None:
            return None
        compiles = self._compiles(first)

        def shows(candidate: Resolution) -> bool:
            text = print_module(candidate.module)
            return flips(self._level, variant, text) and (not compiles or self._compiles(text))

        one = reduce(resolution, shows, most=CANDIDATES).text
        other = self._twin(variant, one, compiles)
        if other is None:
            return self._as_it_is(variant, start)
        by_verdict = {verdict_of(self._level, text): text for text in (one, other)}
        return self._written(variant, start, by_verdict[Verdict.ACCEPTS], by_verdict[Verdict.REJECTS])

    def _twin(self, variant: Variant, one: str, compiles: bool) -> str | None:
        wanted = OTHER[verdict_of(self._level, one)]
        near = [text for text in twins(one) if verdict_of(self._level, text) is wanted]
        near.sort(key=lambda text: (flips(self._level, variant, text), _apart(one, text), len(text), text))
        found = near[:CHECKED]
        if compiles:
            found = [text for text, is_valid in zip(found, self._valid(found), strict=True) if is_valid]
        return next((_plain(text) for text in found if self._keeps(variant, text)), None)

    def _compiles(self, text: str) -> bool:
        return self._valid([text])[0]

    def _as_it_is(self, variant: Variant, start: Start) -> Row | None:
        """A row of a pair without what its texts do not use; also where the refused one is so by its behaviours."""
        if len(start.texts) != len(SIDES):
            return None
        try:
            rejected, accepted = map(stripped, start.texts)
        except WgslError:  # no variant can tell what is no WGSL
            return None
        if verdict_of(self._level, accepted) is not Verdict.ACCEPTS:
            return None
        if verdict_of(self._level, rejected) is not start.refusal:
            return None
        if not self._alone(variant, accepted, rejected, start.refusal):
            return None
        return self._written(variant, start, accepted, rejected, start.refusal)

    def _written(
        self, variant: Variant, start: Start, accepted: str, rejected: str, refusal: Verdict = Verdict.REJECTS
    ) -> Row:
        section, _, words = start.row.partition(": ")
        whole = self._level is not Level.CORE
        outcome = {ACCEPTED: outcome_of(accepted), REJECTED: outcome_of(rejected)}
        assert outcome[ACCEPTED] != Outcome.DIVERGES.value, accepted
        return Row(
            name=variant.name,
            section=sections_whole.section_of(variant, section) if whole else sections_tiny.section_of(variant),
            place=sections_whole.place_of(variant, words) if whole else sections_tiny.place_of(variant),
            rule=(sections_whole if whole else sections_tiny).rule_of(variant),
            does=variant.does or (broken_in_words(variant.name) if whole else ""),
            instead=variant.what.replace("-", " "),
            accepted=accepted,
            rejected=rejected,
            alone=self._alone(variant, accepted, rejected, refusal),
            outcome={side: said for side, said in outcome.items() if said},
            refusal=refusal,
        )

    def _keeps(self, variant: Variant, text: str) -> bool:
        """Whether the plain text has the verdicts of a text."""
        plain = _plain(text)
        if verdict_of(self._level, plain) is not verdict_of(self._level, text):
            return False
        return flips(self._level, variant, plain) is flips(self._level, variant, text)

    def _alone(self, variant: Variant, accepted: str, rejected: str, refusal: Verdict) -> dict[str, Verdict]:
        expected = {ACCEPTED: (accepted, Verdict.ACCEPTS), REJECTED: (rejected, refusal)}
        said = {side: answer_under(self._level, variant.name, text) for side, (text, _) in expected.items()}
        return {side: verdict for side, verdict in said.items() if verdict is not expected[side][1]}


def _apart(one: str, other: str) -> int:
    """How far a twin is; one in which another `return` makes code dead is the last choice."""
    return distance(one, other) + 8 * max(0, other.count("return;") - one.count("return;"))


def stripped(text: str) -> str:
    """A text without the declarations at module scope that nothing uses, as the printer has it."""
    module = parse(text)
    words = Counter(re.findall(r"\w+", text))
    kept = tuple(d for d in module.declarations if not isinstance(d, Variable) or words[d.name] > 1)
    return print_module(replace(module, declarations=kept))


def _plain(text: str) -> str:
    """As the printer has it."""
    return print_module(parse(text))


def table(level: Level, found: Iterable[tuple[Variant, Row | None]]) -> Rows:
    """The rows of a level, and why variants have none: they do what the rules do, or change no verdict."""
    silent = "no verdict shows it: it changes messages that fail nothing, or which code is invalid"
    if level is Level.CORE:
        silent = "no near shader of the other verdict was found for those that it decides"
    rows = {variant.name: row for variant, row in found}
    missing = {name: v.equivalent or silent for name, v in branches(level).items() if rows.get(name) is None}
    return Rows(level, tuple(row for row in rows.values() if row is not None), missing)
