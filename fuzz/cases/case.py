"""Asking the oracles about one shader: the reference, the semantics, and what people are told of their answers."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from wgsl_fuzz.fuzz.cases.keys import key_of
from wgsl_fuzz.fuzz.cases.written import Written, text_of
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.dynamics.execution import Execution, sample
from wgsl_fuzz.oracle.dynamics.exploration import Bounds, explore
from wgsl_fuzz.oracle.dynamics.parting import part
from wgsl_fuzz.oracle.dynamics.shrinking import simplest
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.analysis import Analysis, analyse
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader, count_statements, id_of, walk
from wgsl_fuzz.tinywgsl.printer import Position, PrintedShader, print_shader, print_with_positions

RUNS, STEPS = 2, 600
"""How often an accepted shader is run in a campaign, and for how many steps at most: those that go on never end."""
DISPUTED_RUNS = 48
"""How often a shader is run on which oracles or people do not agree, if exploring leaves it open."""
DISPUTED_STEPS = 10_000
"""And for how many steps at most."""
DISPUTED_TOTAL = 60_000
"""After how many steps of all runs together no other begins: of runs that never end, 48 would take seconds."""
EXPLORED = Bounds(steps=20_000)
"""What is decided by exploring takes less than that, nearly always; what is not would take seconds."""
EXPLORED_THREADS = 8
"""Larger workgroups are only sampled."""


@dataclass
class Case:
    """A shader and, each asked at most once, what our own oracles say of it."""

    shader: Shader
    seed: int = 0
    """Of the sampled stores and schedules."""
    thorough: bool = False
    """Whether to explore and to run more; a shader that the reference rejects gets that in any case."""
    written: Written | None = None
    """The surface forms of the text; None: as the printer has it."""
    shortened: str | None = None
    """The text itself, if it is what `written` draws without what WGSL does not need."""
    notion: Notion = CONTROL_STACKS
    """What counts as convergence."""

    tacit: ClassVar[bool] = False
    """Whether the plain text leaves out the `continue`s that the end of a loop implies."""

    @cached_property
    def printed(self) -> PrintedShader:
        """The plain WGSL text, with positions: for people."""
        return print_with_positions(self.shader, tacit=self.tacit)

    @cached_property
    def text(self) -> str:
        """The WGSL text that targets are asked about."""
        if self.shortened is not None:
            return self.shortened
        if self.written is not None:
            return text_of(self.shader, self.written)
        return print_shader(self.shader, tacit=self.tacit)

    @property
    def statements(self) -> int:
        """How many statements it has."""
        return count_statements(self.shader)

    @property
    def threads(self) -> int | None:
        """The workgroup size."""
        return self.shader.workgroup_size

    @property
    def key(self) -> int:
        """Equal for equal texts."""
        return key_of(self.text)

    @property
    def reference(self) -> str:
        """The name of the rules that give the verdict."""
        return REFERENCE

    @property
    def plain(self) -> "Case":
        """The same shader as the printer has it."""
        if self.written is None:
            return self
        return Case(self.shader, self.seed, self.thorough, notion=self.notion)

    @cached_property
    def analysis(self) -> Analysis:
        """The reference's answer."""
        return analyse(self.shader)

    @cached_property
    def verdict(self) -> Verdict:
        """The reference's verdict."""
        return self.analysis.verdict

    @cached_property
    def execution(self) -> Execution:
        """What the semantics says with the shader's own number of threads: explored if it matters, else sampled.

        A campaign asks for a rejected shader only if a target accepts it.
        """
        threads, notion = (self.shader.workgroup_size,), self.notion
        if self.verdict is Verdict.ACCEPTS and not self.thorough:
            return sample(self.shader, runs=RUNS, seed=self.seed, threads=threads, steps=STEPS, notion=notion)
        if threads[0] <= EXPLORED_THREADS:
            explored = explore(self.shader, bounds=EXPLORED, notion=notion)
            if explored.outcome in (Outcome.DIVERGES, Outcome.CONVERGES):
                return Execution(explored.outcome, explored.steps, explored.witness)
        parted = part(self.shader, seed=self.seed, notion=notion)
        if parted.outcome is Outcome.DIVERGES:
            return parted
        return sample(
            self.shader,
            runs=DISPUTED_RUNS,
            seed=self.seed,
            threads=threads,
            steps=DISPUTED_STEPS,
            total=DISPUTED_TOTAL,
            notion=notion,
        )

    @cached_property
    def shown_execution(self) -> Execution:
        """The same for people: with a witness that is simple to read."""
        return simplest(self.shader, self.execution)

    @property
    def outcome(self) -> Outcome:
        """What the semantics says."""
        return self.execution.outcome

    def verdicts(self) -> dict[str, str]:
        """The words of our own oracles for JSON: `paper`, and `semantics` if it was asked."""
        words = {REFERENCE: self.verdict.value}
        if "execution" in self.__dict__:
            words["semantics"] = self.execution.outcome.value
        return words


@dataclass
class ConciseCase(Case):
    """A case whose plain text leaves out the `continue`s that the end of a loop implies."""

    tacit = True


def line_of_id(shader: Shader, positions: dict[int, Position]) -> dict[int, int]:
    """The line on which the statement with an ID stands."""
    return {
        number: positions[id(s)][0]
        for f in shader.all_functions
        for s in walk(f.body)
        if (number := id_of(s)) is not None and id(s) in positions
    }
