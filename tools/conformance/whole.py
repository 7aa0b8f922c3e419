"""Looking for the rows of the whole language: the pairs of `corpus/wgsl/pairs`, reduced to what a branch still decides.

A row keeps its shaders as long as they still show what they did. Where none of the pairs shows a branch by a verdict,
one does with a diagnostic filter before it: which rule a built-in function is reported by can be seen in that way only.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache

from tools.conformance.answers import answer_under
from tools.conformance.sections_whole import place_of, says, section_of
from tools.conformance.twins import distance, twins
from wgsl_fuzz.fuzz.cases.module_case import read_module
from wgsl_fuzz.fuzz.cases.pairs import Pair, load
from wgsl_fuzz.fuzz.conformance.rows import ACCEPTED, REJECTED, SIDES, Level, Row, Rows
from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, all_variants, judge_wgsl
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
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
FILTERS = tuple(f"diagnostic(off, {rule}_uniformity);\n" for rule in ("derivative", "subgroup"))

_OTHER = {Verdict.ACCEPTS: Verdict.REJECTS, Verdict.REJECTS: Verdict.ACCEPTS}

Valid = Callable[[Sequence[str]], Sequence[bool]]
"""Of texts, whether a compiler takes them for WGSL."""


@cache
def verdict_of(text: str) -> Verdict:
    """The reference's; INVALID for what is no WGSL, or is refused by its behaviours."""
    resolution = read(text)
    return Verdict.INVALID if resolution is None else _judged(resolution)


def _judged(resolution: Resolution) -> Verdict:
    try:
        return judge_wgsl(resolution, INTENT).verdict
    except WgslError:
        return Verdict.INVALID


def flips(variant: Variant, text: str) -> bool:
    """Whether a branch decides a text, and by a verdict on its uniformity."""
    verdict = verdict_of(text)
    return verdict in _OTHER and answer_under(Level.WHOLE, variant.name, text) is _OTHER[verdict]


class Search:
    """Looks for rows; `witnesses` name a pair for each variant, `known` are rows of the last time."""

    def __init__(self, witnesses: dict[str, str], valid: Valid, known: Sequence[Row] = ()) -> None:
        self._witnesses = witnesses
        self._valid = valid
        self._known = {row.name: row for row in known}
        self._pairs = sorted(load(), key=lambda pair: len(pair.accepted) + len(pair.rejected))
        self._by_name = {pair.name: pair for pair in self._pairs}

    def rows(self) -> Iterator[tuple[Variant, Row | None]]:
        """The row of each variant, None for a variant without one."""
        for variant in all_variants().values():
            if not variant.equivalent:
                yield variant, self._row(variant)

    def _row(self, variant: Variant) -> Row | None:
        known = self._known.get(variant.name)
        if known is not None and self._holds(variant, known):
            return known
        for pair in self._candidates(variant):
            for first in self._decided(variant, pair):
                row = self._made(variant, pair, first)
                if row is not None:
                    return row
        return self._as_it_is(variant, self._by_name[self._witnesses[variant.name]])

    def _holds(self, variant: Variant, row: Row) -> bool:
        right = all(verdict_of(row.text(side)) is row.expected(side) for side in SIDES)
        return right and row.alone == _alone(variant, row.accepted, row.rejected, row.refusal)

    def _candidates(self, variant: Variant) -> Iterator[Pair]:
        """The pairs to look at: the witness, those of the same table row, and then all."""
        witness = self._by_name[self._witnesses[variant.name]]
        yield witness
        yield from (pair for pair in self._pairs[:TRIED] if pair is not witness)

    @staticmethod
    def _decided(variant: Variant, pair: Pair) -> Iterator[str]:
        """The texts of a pair, also with a filter before them, that a branch decides."""
        for text in (pair.rejected, pair.accepted):
            if flips(variant, text):
                yield text
            elif variant.what == "other-rule" or variant.rule == "builtin":
                yield from (filter_ + text for filter_ in FILTERS if flips(variant, filter_ + text))

    def _made(self, variant: Variant, pair: Pair, first: str) -> Row | None:
        """The row whose first shader a text becomes; None if it has no twin."""
        resolution = read(first)
        if resolution is None:
            return None
        compiles = self._compiles(first)

        def shows(candidate: Resolution) -> bool:
            text = print_module(candidate.module)
            return flips(variant, text) and (not compiles or self._compiles(text))

        one = reduce(resolution, shows, most=CANDIDATES).text
        other = self._twin(variant, one, compiles)
        if other is None:
            return self._as_it_is(variant, pair)
        by_verdict = {verdict_of(text): text for text in (one, other)}
        return self._written(variant, pair, by_verdict[Verdict.ACCEPTS], by_verdict[Verdict.REJECTS])

    def _twin(self, variant: Variant, one: str, compiles: bool) -> str | None:
        wanted = _OTHER[verdict_of(one)]
        near = [text for text in twins(one) if verdict_of(text) is wanted]
        near.sort(key=lambda text: (flips(variant, text), _apart(one, text), len(text), text))
        found = near[:CHECKED]
        if compiles:
            found = [text for text, is_valid in zip(found, self._valid(found), strict=True) if is_valid]
        return next((_plain(text) for text in found if _keeps(variant, text)), None)

    def _compiles(self, text: str) -> bool:
        return self._valid([text])[0]

    def _as_it_is(self, variant: Variant, pair: Pair) -> Row | None:
        """A row of a pair without what its texts do not use; also where the refused one is so by its behaviours."""
        try:
            accepted, rejected = stripped(pair.accepted), stripped(pair.rejected)
        except WgslError:  # no variant can tell what is no WGSL
            return None
        if verdict_of(accepted) is not Verdict.ACCEPTS or verdict_of(rejected) is not pair.refusal:
            return None
        if not _alone(variant, accepted, rejected, pair.refusal):
            return None
        return self._written(variant, pair, accepted, rejected, pair.refusal)

    @staticmethod
    def _written(variant: Variant, pair: Pair, accepted: str, rejected: str, refusal: Verdict = Verdict.REJECTS) -> Row:
        section, _, words = pair.row.partition(": ")
        outcome = {ACCEPTED: outcome_of(accepted), REJECTED: outcome_of(rejected)}
        assert outcome[ACCEPTED] != Outcome.DIVERGES.value, accepted
        return Row(
            name=variant.name,
            section=section_of(variant, section),
            place=place_of(variant, words),
            says=says(variant),
            accepted=accepted,
            rejected=rejected,
            alone=_alone(variant, accepted, rejected, refusal),
            outcome={side: said for side, said in outcome.items() if said},
            refusal=refusal,
        )


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


def _keeps(variant: Variant, text: str) -> bool:
    """Whether the plain text has the verdicts of a text."""
    plain = _plain(text)
    return verdict_of(plain) is verdict_of(text) and flips(variant, plain) is flips(variant, text)


def _alone(variant: Variant, accepted: str, rejected: str, refusal: Verdict) -> dict[str, Verdict]:
    expected = {ACCEPTED: (accepted, Verdict.ACCEPTS), REJECTED: (rejected, refusal)}
    said = {side: answer_under(Level.WHOLE, variant.name, text) for side, (text, _) in expected.items()}
    return {side: verdict for side, verdict in said.items() if verdict is not expected[side][1]}


@cache
def outcome_of(text: str) -> str:
    """What the semantics says; empty if it cannot run the text."""
    try:
        case = read_module(text)
    except WgslError:
        return ""
    case.thorough = True
    _ = case.execution
    return "" if case.outcome is None else case.outcome.value


def reasons(names: Iterable[str]) -> dict[str, str]:
    """Why variants have no row: they do what the rules do, or change messages that are no errors."""
    silent = "no verdict shows it: it changes messages that fail nothing, or which code is invalid"
    return {name: all_variants()[name].equivalent or silent for name in names}


def table(found: Iterable[tuple[Variant, Row | None]]) -> Rows:
    """The rows of a level."""
    rows = {variant.name: row for variant, row in found}
    missing = [name for name, variant in all_variants().items() if variant.equivalent or rows.get(name) is None]
    return Rows(Level.WHOLE, tuple(row for row in rows.values() if row is not None), reasons(missing))
