"""Cases of both languages, and the drawer that a campaign draws them with."""

from collections import Counter
from dataclasses import replace

from wgsl_fuzz.fuzz.cases.drawer import RELATED_EVERY, TRIES, Drawer
from wgsl_fuzz.fuzz.cases.faults import FAULTS, note_fault
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, drawn_case
from wgsl_fuzz.fuzz.cases.plan import GROUP, TINY, Plan, is_sampled, shader_seed
from wgsl_fuzz.fuzz.cases.stages import ANALYSING, PRINTING, StageClock
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.relations import RelatedShader, related_shader
from wgsl_fuzz.strategies.modules.modules import draw
from wgsl_fuzz.strategies.modules.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolve import resolve


class PlanDrawer:
    """Draws what a plan says, by its index: shaders of TinyWGSL, or modules of the whole language.

    All of it is a pure function of (GENERATOR_VERSION, the plan, the index).
    """

    def __init__(self, plan: Plan, clock: StageClock | None = None) -> None:
        """`clock` is told when modules are printed and analysed."""
        self.plan = plan
        self.tiny = Drawer(plan)
        """Draws the groups in TinyWGSL."""
        self.faults = Counter[str]()
        """Faults of our own, in words: each left a module out, or a question about it."""
        self._refused = 0
        self._clock = StageClock() if clock is None else clock

    @property
    def misses(self) -> int:
        """Shaders that do not have what was asked for, because no try had."""
        return self.tiny.misses + self._refused

    def language_of(self, index: int) -> str:
        """The language of the shader at a place of the run."""
        return self.plan.language_of(index // GROUP)

    def case(self, index: int) -> ModuleCase:
        """The shader or module at a place of the run. No oracle has been asked about it, except for rejection
        sampling.
        """
        language = self.language_of(index)
        if language == TINY:
            return self.tiny.case(index)
        for attempt in range(TRIES):
            found = self._module(language, shader_seed(self.plan.seed, index), attempt)
            if found is not None:
                return found
        raise AssertionError(f"no try of {TRIES} gives a module with a verdict: {self.plan.flags()}, {index}")

    def _module(self, language: str, seed: int, attempt: int) -> ModuleCase | None:
        """A try; None if it has no verdict, which is a fault of the generator or of the reference."""
        source = RandomSource(seed + (attempt << 96))
        try:
            module = draw(source, MODULE_PROFILES[language])
            drawing = self._clock.enter(ANALYSING)
            try:
                resolution = resolve(module)
                self._clock.enter(PRINTING)
                case = drawn_case(resolution, seed, self.plan.convergence)
                self._clock.enter(ANALYSING)
                _ = case.judgement
            finally:
                self._clock.enter(drawing)
        except WgslError:
            self._refused += 1
            return None
        except FAULTS as fault:
            self._refused += 1
            note_fault(self.faults, fault)
            return None
        return case

    def related(self, index: int, case: ModuleCase) -> tuple[ModuleCase, str] | None:
        """What a relation makes of the shader or module at a place of the run, for some of the places; and its name."""
        try:
            related = self.related_module(index, case)
            if related is None:
                return None
            other = replace(drawn_case(related.resolution, case.seed, self.plan.convergence), spelled=case.spelled)
            _ = other.judgement
        except (WgslError, *FAULTS) as fault:
            note_fault(self.faults, fault)
            return None
        return other, related.relation.name

    def related_module(self, index: int, case: ModuleCase) -> RelatedShader | None:
        """The same of a module, with the choices that made it."""
        if not self.plan.relations or not is_sampled(index, RELATED_EVERY):
            return None
        return related_shader(case.resolution, RandomSource(shader_seed(self.plan.seed, index) + (1 << 95)))
