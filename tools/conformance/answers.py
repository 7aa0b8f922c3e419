"""What the reference answers with one branch of its rules wrong: asked of every branch at once, or of one."""

from collections.abc import Iterator, Mapping

from tests.quality.paper_mutants import VARIANTS, deciding
from tests.quality.paper_mutants.joins import JOIN_VARIANTS
from wgsl_fuzz.fuzz.conformance.confusion import Confusion, Wrong
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level, Row, Rows
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analysis_under, judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.parser import parse as parse_whole
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.reading import parse
from wgsl_fuzz.wgsl.resolve import resolve

_OTHER = {Verdict.ACCEPTS: Verdict.REJECTS, Verdict.REJECTS: Verdict.ACCEPTS}
_BEHAVIOURS = "B/"


def answer_under(level: Level, name: str, text: str) -> Verdict:
    """The verdict of the reference with one branch wrong, of a text that the reference knows."""
    return analyse(parse(text), VARIANTS[name].rules).verdict if level is Level.TINY else _whole_under(name, text)


def _whole_under(name: str, text: str) -> Verdict:
    rules = all_variants()[name].rules
    try:
        resolution = resolve(parse_whole(text))
        behaviours = analysis_under(rules).behaviour_analysis()
        for function in resolution.functions:
            behaviours.check(function)
        return judge_wgsl(resolution, rules).verdict
    except WgslError:
        return Verdict.INVALID


def answers(level: Level, text: str) -> Mapping[str, Verdict]:
    """What the reference answers to a text with one branch wrong, by branch; only where it is another answer."""
    return _tiny(text) if level is Level.TINY else _whole(text)


def _tiny(text: str) -> Mapping[str, Verdict]:
    shader = parse(text)
    verdict = analyse(shader).verdict
    joins = [v.name for v in JOIN_VARIANTS if analyse(shader, v.rules).verdict is not verdict]
    return {name: _OTHER[verdict] for name in sorted([*deciding(shader, verdict), *joins])}


def _whole(text: str) -> Mapping[str, Verdict]:
    """Whether they differ is asked of all arms at once; what they answer of those few that change behaviours."""
    try:
        resolution = resolve(parse_whole(text))
        reference = judge_wgsl(resolution).verdict
        names = deciding_arms(resolution)
    except WgslError:  # refused by its behaviours: only rules of behaviours can say otherwise
        said = {name: _whole_under(name, text) for name in all_variants() if name.startswith(_BEHAVIOURS)}
        return {name: verdict for name, verdict in said.items() if verdict is not Verdict.INVALID}
    return {name: _whole_under(name, text) if name.startswith(_BEHAVIOURS) else _OTHER[reference] for name in names}


def computed(rows: Rows) -> Confusion:
    """The table, every branch asked about every row."""
    names = {row.name for row in rows.rows}
    wrong: dict[str, set[Wrong]] = {name: set() for name in sorted(names)}
    for row in rows.rows:
        for branch, found in wrong_in(rows.level, row):
            if branch in names:
                wrong[branch].add(found)
    return Confusion(rows.level, {name: frozenset(some) for name, some in wrong.items()})


def wrong_in(level: Level, row: Row) -> Iterator[tuple[str, Wrong]]:
    """Each branch that decides a row, with what the reference answers then."""
    for side in SIDES:
        for branch, verdict in answers(level, row.text(side)).items():
            yield branch, (row.name, side, verdict)
