"""What a run draws, as data. See docs/design.md, "Determinism"."""

from dataclasses import dataclass

from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate.profile import GENERATOR_VERSION, MODULE_PROFILES

GROUP = 8
"""Consecutive shaders that share a language."""

TINY, MIXED = "tiny", "mixed"
ENUMERATED = "enumerate"
"""Instead of a language, where all shaders of some families are gone through."""
LANGUAGES = (MIXED, *MODULE_PROFILES)
"""What may be drawn: modules by a profile of the generator, of which `tiny` is TinyWGSL, or all of these."""
MIX = ("compute", TINY, "fragment", "compute", "subgroups", "compute", "all", "subgroups", "fragment")
"""The languages of consecutive groups of a mixed run."""

REQUIRED = {"uniform": Verdict.ACCEPTS, "non-uniform": Verdict.REJECTS}
"""What the verdict on all shaders can be asked to be."""

SAMPLE, ALL = "sample", "all"
EXECUTED = (SAMPLE, ALL)
"""Which shaders are executed that the reference and all targets accept."""


@dataclass(frozen=True, slots=True)
class Course:
    """What an enumeration goes through, family after family: all that the number of a shader depends on."""

    version: int
    families: tuple[str, ...]
    max_statements: int
    count: int
    """How many shaders they have."""
    first: int = 0
    """The shader that the run begins with."""
    near: tuple[tuple[str, str], ...] = ()
    """Behind the families, the neighbourhoods of these shaders: name of the file, and text."""
    near_counts: tuple[int, ...] = ()
    """How many shaders each neighbourhood has, since counting them is work."""

    @property
    def described(self) -> str:
        """The families and neighbourhoods, for people."""
        names = [f"near {name}" for name, _ in self.near]
        if len(names) > 3:
            names[3:] = [f"near {len(names) - 3} more"]
        return ", ".join([*self.families, *names])


@dataclass(frozen=True, slots=True)
class Plan:
    """The options of a run that decide what is drawn, and what is executed."""

    seed: int
    require: str | None = None
    """Of REQUIRED, what the reference says of all shaders, by rejection sampling; None: anything."""
    relations: bool = True
    """Whether some shaders are transformed, so that metamorphic relations can be judged."""
    language: str = TINY
    """One of LANGUAGES."""
    execute: str = SAMPLE
    """One of EXECUTED."""
    convergence: Notion = CONTROL_STACKS
    """What counts as convergence where shaders are executed."""
    known_first: bool = True
    """Whether what known departures of a target explain is mostly only counted."""
    corpus: bool = True
    """Whether the cases of the corpus are asked about first."""
    course: Course | None = None
    """The shaders of an enumeration; None: shaders are drawn."""

    @property
    def generator(self) -> int:
        """The version of what makes the shaders."""
        return GENERATOR_VERSION if self.course is None else self.course.version

    @property
    def wanted(self) -> Verdict | None:
        """The verdict that all shaders have; None: any."""
        return None if self.require is None else REQUIRED[self.require]

    def language_of(self, index: int) -> str:
        """The language of the shader at a place of the run: `tiny`, or a profile of the generator of modules."""
        return MIX[index // GROUP % len(MIX)] if self.language == MIXED else self.language

    def languages_of(self, programs: int) -> dict[str, int]:
        """How many of the first so many shaders are in each language."""
        if self.language != MIXED:
            return {self.language: programs}
        rounds, rest = divmod(programs, GROUP * len(MIX))
        return {
            language: rounds * GROUP * MIX.count(language)
            + sum(max(0, min(GROUP, rest - GROUP * i)) for i, one in enumerate(MIX) if one == language)
            for language in dict.fromkeys(MIX)
        }

    def flags(self) -> str:
        """The options of the command line that give this plan again."""
        required = f" --require {self.require}" if self.require else ""
        return f"--seed {self.seed} --language {self.language}{required}"


@dataclass(frozen=True, slots=True)
class Budget:
    """When a run ends: after so many seconds or programs, whichever comes first; None: no limit."""

    seconds: float | None = None
    programs: int | None = None


_SPREAD, _BITS = 0x9E3779B97F4A7C15, (1 << 64) - 1
"""The golden ratio as a fraction of 64 bits: its multiples lie evenly (Knuth, The Art of Computer Programming, 6.4)."""


def is_sampled(index: int, every: int) -> bool:
    """Whether a place of the run is one of the sample that has one in `every`, a power of two; place 0 always is.

    A sample lies evenly over languages and over the places in a group, and within larger samples.
    """
    return ((index * _SPREAD & _BITS) >> 32) % every == 0


def shader_seed(run_seed: int, index: int) -> int:
    """The seed of a run's shader: runs with different seeds share none."""
    return (run_seed << 40) + index
