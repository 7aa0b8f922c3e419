"""Drawn shaders: a strategy of Hypothesis with a few named arguments, and the same shaders by a seed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypedDict, Unpack

from hypothesis.strategies import SearchStrategy

from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.library.texts import WGSL
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.choices.source import ChoiceSource, RandomSource
from wgsl_fuzz.strategies.generate.layout import draw_layout
from wgsl_fuzz.strategies.generate.motifs.modules import draw as draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES, ModuleProfile
from wgsl_fuzz.strategies.under_hypothesis import DrawnBy
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve

LAYOUTS = 1023
"""How many layouts the strategy knows. One choice picks one: layouts of single choices would take minutes to shrink."""
TRIES = 1_000
"""How many shaders of a seed are drawn until one is uniform, or is not."""

Range = tuple[int, int]
"""The fewest and the most, both included."""

STATEMENTS, THREADS = (1, 20), (2, 4)
"""What is drawn if nothing is said."""
LARGER = (5, 40)
"""Statements where our reducer follows: larger shaders show more, and Hypothesis takes minutes to shrink them."""


class Drawing(TypedDict, total=False):
    """The named arguments of `shaders`, for functions that hand them on."""

    statements: Range
    threads: Range
    racy: bool
    uniform: bool | None
    spelled: bool
    language: str


@dataclass(frozen=True, slots=True)
class TextDrawer:
    """Draws texts from a source of choices."""

    base: ModuleProfile
    uniform: bool | None
    spelled: bool
    instead: Mapping[str, WGSL] = field(default_factory=dict)
    """What is given in place of some of the texts."""

    def text(self, source: ChoiceSource) -> WGSL:
        """The next one."""
        module = draw_module(source, self.base)
        if self.base.core and not self.spelled:
            drawn = WGSL.of(lower(resolve(module)).shader)
        else:
            layout = source.integer(0, LAYOUTS) if self.spelled else 0
            drawn = WGSL(draw_layout(RandomSource(layout), module) if layout else print_module(module))
        return self.instead.get(drawn, drawn)

    def fits(self, text: WGSL) -> bool:
        """Whether the reference says of it what was asked for."""
        if self.uniform is None:
            return True
        try:
            return (read_module(text).verdict is Verdict.ACCEPTS) == self.uniform
        except WgslError:  # as a module may be that is being reduced
            return not self.uniform

    @property
    def strategy(self) -> SearchStrategy[WGSL]:
        """For Hypothesis."""
        drawn = DrawnBy(self.text)
        return drawn if self.uniform is None else drawn.filter(self.fits)

    def of(self, seed: int) -> WGSL:
        """The first text of a seed that fits. Raises ValueError if there is none among many."""
        drawn = (self.text(RandomSource(seed + (attempt << 96))) for attempt in range(TRIES))
        text = next(filter(self.fits, drawn), None)
        if text is None:
            raise ValueError(f"seed {seed}: none of {TRIES} shaders is as asked for")
        return text


def drawer(
    *,
    statements: Range = STATEMENTS,
    threads: Range = THREADS,
    racy: bool = True,
    uniform: bool | None = None,
    spelled: bool = False,
    language: str = TINY,
) -> TextDrawer:
    """What draws with the arguments of `shaders`. Raises ValueError for a range or language that is none."""
    ranges = {"statements": (statements, 1, 10_000), "threads": (threads, 1, 256)}
    for name, ((fewest, most), least, greatest) in ranges.items():
        if not least <= fewest <= most <= greatest:
            raise ValueError(f"{name}: ({fewest}, {most}) is no range within {least} to {greatest}")
    if language not in MODULE_PROFILES:
        raise ValueError(f"language: {language!r} is not one of {', '.join(MODULE_PROFILES)}")
    base = MODULE_PROFILES[language]
    if base.core:
        base = replace(base, statements=statements, threads=threads, racy=base.racy if racy else 0)
    elif (statements, threads, racy) != (STATEMENTS, THREADS, True):
        raise ValueError(f"statements, threads and racy are options of {TINY!r}, not of {language!r}")
    return TextDrawer(base, uniform, spelled)


def shaders(**drawing: Unpack[Drawing]) -> SearchStrategy[WGSL]:
    """Hypothesis's strategy for well-formed shaders, as WGSL; the tree is its `shader`.

    `statements` and `threads` are the fewest and the most: of statements aimed at, of threads in a workgroup.
    `racy=False`: there are no data races. `uniform`: only shaders that the reference accepts, or only others.
    `spelled`: `for`, `+=`, `let` and other surface forms are written in `tiny`, too, and texts have any layout.
    `language` is that of campaigns: `tiny`, or `compute`, `fragment`, `subgroups`, `all` for modules of the whole
    language. These have no tree, and neither ranges nor `racy`. Raises ValueError.
    """
    return drawer(**drawing).strategy


def draw(seed: int, **drawing: Unpack[Drawing]) -> WGSL:
    """The shader of a seed; the arguments are those of `shaders`, and nothing else decides what is drawn."""
    return drawer(**drawing).of(seed)
