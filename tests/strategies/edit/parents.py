"""Modules to edit: the pairs and applications of `corpus/wgsl`, and drawn ones; with the verdicts of the reference."""

from functools import cache

from wgsl_fuzz.fuzz.cases.pairs import load, load_applications, load_combinations
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import SMALL_TINY, TINY, draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.motifs.modules import draw
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

STEP = 53
"""From one text of the corpus to the next: all of its rows are seen."""
VALID = (Verdict.ACCEPTS, Verdict.REJECTS)
NOT_REFUSED = (*VALID, Verdict.CRASHED)
"""Tint checks a module before it analyses it. Two of its crashes are known, both while it explains a rejection."""


@cache
def texts() -> tuple[str, ...]:
    """Every text of the corpus for the whole language, valid or not."""
    pairs = [text for pair in load() for text in (pair.accepted, pair.rejected)]
    return (*pairs, *(c.text for c in load_combinations()), *load_applications().values())


@cache
def parent(index: int) -> Resolution | None:
    """One of the texts with its names resolved; None if it is not valid."""
    try:
        resolution = resolve(parse(texts()[index % len(texts())]))
        analyse_wgsl(resolution)
    except WgslError:
        return None
    return resolution


def parent_near(index: int) -> Resolution:
    """The next valid text from an index on."""
    while (found := parent(index)) is None:
        index += 1
    return found


KINDS = (*MODULE_PROFILES, "tiny", "corpus")


@cache
def parent_of(kind: str, index: int) -> Resolution:
    """A module of the corpus, one that a profile draws, or a shader of TinyWGSL."""
    if kind == "corpus":
        return parent_near(index * STEP)
    if kind == "tiny":
        return resolve(parse(print_shader(draw_shader(index, SMALL_TINY if index % 2 else TINY))))
    return resolve(draw(RandomSource(index), MODULE_PROFILES[kind]))


def accepts(resolution: Resolution, rules: Rules = UNCHANGED) -> bool:
    """The verdict of the reference, or of another rule set."""
    return analyse_wgsl(resolution, rules).verdict is Verdict.ACCEPTS
