"""What the reference of a level answers to a text: as it is, and with one branch of its rules wrong."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache

from tests.quality.paper_mutants import EQUIVALENT, KILLABLE, deciding
from tests.quality.paper_mutants.joins import JOIN_VARIANTS
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.conformance.confusion import Confusion, Wrong
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, Row, Rows
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analysis import paper_verdict
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analysis_under, judge_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import is_proposed
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

OTHER = {Verdict.ACCEPTS: Verdict.REJECTS, Verdict.REJECTS: Verdict.ACCEPTS}
_BEHAVIOURS = "B/"


def branches(level: Level) -> Mapping[str, Variant]:
    """The variants that have one branch of the rules wrong; of the paper's also the joins that it does not make."""
    if level is not Level.CORE:
        proposed = level is Level.PROPOSALS
        return {name: v for name, v in all_variants().items() if is_proposed(v) is proposed}
    return {v.name: v for v in (*KILLABLE, *JOIN_VARIANTS, *EQUIVALENT)}


@cache
def verdict_of(level: Level, text: str) -> Verdict:
    """The reference's; INVALID for what is no WGSL, is refused by its behaviours, or is not of the level."""
    resolution = read(text)
    return Verdict.INVALID if resolution is None else verdict_under(level, resolution)


def verdict_under(level: Level, resolution: Resolution, rules: Rules = UNCHANGED) -> Verdict:
    """The verdict of a rule set of a level; INVALID if it has none."""
    if level is Level.CORE:
        return paper_verdict(resolution, rules) or Verdict.INVALID
    try:
        return judge_wgsl(resolution, rules).verdict
    except WgslError:
        return Verdict.INVALID


def answer_under(level: Level, name: str, text: str) -> Verdict:
    """The verdict of the reference with one branch wrong, which may allow other behaviours."""
    rules = branches(level)[name].rules
    try:
        resolution = resolve(parse(text))
        if level is not Level.CORE:
            behaviours = analysis_under(rules).behaviour_analysis()
            for function in resolution.functions:
                behaviours.check(function)
        return verdict_under(level, resolution, rules)
    except WgslError:
        return Verdict.INVALID


def deciding_in(level: Level, resolution: Resolution, only: Collection[str] | None = None) -> Collection[str]:
    """The branches that decide a shader; of those in `only`, if any are named."""
    if level is not Level.CORE:
        of_level = branches(level).keys()
        return deciding_arms(resolution, only=of_level if only is None else of_level & {*only})
    shader = core_of(resolution).shader
    assert shader is not None, "it has a verdict"
    verdict = verdict_under(level, resolution)
    asked = (v for v in JOIN_VARIANTS if only is None or v.name in only)
    joins = (v.name for v in asked if verdict_under(level, resolution, v.rules) is not verdict)
    found = {*deciding(shader, verdict), *joins}
    return found if only is None else found & {*only}


def answers(level: Level, text: str) -> Mapping[str, Verdict]:
    """What the reference answers to a text with one branch wrong, by branch; only where it is another answer.

    Whether they differ is asked of all branches at once; what they answer of those few that change behaviours.
    """
    resolution, verdict = read(text), verdict_of(level, text)
    if resolution is None or verdict not in OTHER:  # refused by its behaviours: only rules of behaviours say otherwise
        said = {name: answer_under(level, name, text) for name in branches(level) if name.startswith(_BEHAVIOURS)}
        return {name: answer for name, answer in said.items() if answer is not Verdict.INVALID}
    return {
        name: answer_under(level, name, text) if name.startswith(_BEHAVIOURS) else OTHER[verdict]
        for name in sorted(deciding_in(level, resolution))
    }


@cache
def outcome_of(text: str) -> str:
    """What the semantics says; empty if it cannot run the text."""
    try:
        case = read_module(text, thorough=True)
    except WgslError:
        return ""
    case.execute()
    return "" if case.outcome is None else case.outcome.value


def computed(rows: Rows) -> Confusion:
    """The table, every branch asked about every row."""
    names = {row.name for row in rows.rows}
    wrong: dict[str, set[Wrong]] = {name: set() for name in sorted(names)}
    for row in rows.rows:
        for branch, found in wrong_in(rows.level, row):
            if branch in names:
                wrong[branch].add(found)
    return Confusion(rows.level, {name: frozenset(some) for name, some in wrong.items()})


def exact(confusion: Confusion) -> list[str]:
    """The branches that fail their own row, and no other."""
    return [name for name in confusion.wrong if confusion.rows_of(name) == {name}]


def wrong_in(level: Level, row: Row) -> Iterator[tuple[str, Wrong]]:
    """Each branch that decides a row, with what the reference answers then."""
    for side in SIDES:
        for branch, verdict in answers(level, row.text(side)).items():
            yield branch, (row.name, side, verdict)
