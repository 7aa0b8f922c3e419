"""Asking the oracles about one shader: the reference, the semantics, and what people are told of their answers."""

from dataclasses import dataclass
from functools import cached_property

from fuzz.judge import (
    NOT_IMPLEMENTED,
    REFERENCE,
    UNEXPLAINED,
    VERDICTS_DIFFER,
    Disagreement,
    departures_in,
    rules_of,
)
from fuzz.respelling import Written, text_of
from oracle.analysis import Analysis, analyse
from oracle.execution import Execution, sample
from oracle.explanation import explain
from oracle.exploration import explore
from oracle.verdict import Outcome, Verdict
from tinywgsl.ast import Barrier, Call, Continue, Loop, Shader, walk
from tinywgsl.printer import Position, Printed, print_with_positions

RUNS, STEPS = 2, 600
"""How often an accepted shader is run in a campaign, and for how many steps at most: those that go on never end."""
DISPUTED_RUNS = 48
"""How often a shader is run on which oracles or people do not agree, if exploring leaves it open."""
DISPUTED_STEPS = 10_000
"""And for how many steps at most."""
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

    @cached_property
    def printed(self) -> Printed:
        """The plain WGSL text, with positions."""
        return print_with_positions(self.shader)

    @cached_property
    def text(self) -> str:
        """The WGSL text that targets are asked about."""
        return self.printed.text if self.written is None else text_of(self.shader, self.written)

    @property
    def plain(self) -> "Case":
        """The same shader as the printer has it."""
        return self if self.written is None else Case(self.shader, self.seed, self.thorough)

    @cached_property
    def analysis(self) -> Analysis:
        """The reference's answer."""
        return analyse(self.shader)

    @property
    def verdict(self) -> Verdict:
        """The reference's verdict."""
        return self.analysis.verdict

    @cached_property
    def execution(self) -> Execution:
        """What the semantics says with the shader's own number of threads: explored if it matters, else sampled.

        A campaign asks for a rejected shader only if a target accepts it.
        """
        threads = (self.shader.workgroup_size,)
        if self.verdict is Verdict.ACCEPTS and not self.thorough:
            return sample(self.shader, runs=RUNS, seed=self.seed, threads=threads, steps=STEPS)
        if threads[0] <= EXPLORED_THREADS:
            explored = explore(self.shader)
            if explored.outcome in (Outcome.DIVERGES, Outcome.CONVERGES):
                return Execution(explored.outcome, explored.steps, explored.witness)
        return sample(self.shader, runs=DISPUTED_RUNS, seed=self.seed, threads=threads, steps=DISPUTED_STEPS)

    def verdicts(self) -> dict[str, str]:
        """The words of our own oracles for JSON: `paper`, and `semantics` if it was asked."""
        words = {REFERENCE: self.verdict.value}
        if "execution" in self.__dict__:
            words["semantics"] = self.execution.outcome.value
        return words


def line_of_id(shader: Shader, positions: dict[int, Position]) -> dict[int, int]:
    """The line on which the statement with an ID stands."""
    return {
        s.id: positions[id(s)][0]
        for f in shader.all_functions
        for s in walk(f.body)
        if isinstance(s, (Barrier, Call, Continue, Loop)) and id(s) in positions
    }


def witness_lines(case: Case, positions: dict[int, Position]) -> list[str]:
    """The divergence that the semantics saw, for people; empty if it saw none."""
    if case.execution.witness is None:
        return []
    lines = line_of_id(case.shader, positions)
    return case.execution.witness.describe(lines.get)


def account(
    case: Case, found: Disagreement, positions: dict[int, Position] | None = None, text: str | None = None
) -> list[str]:
    """A finding in words: who says what, why, and which departure from the rules would explain it.

    Lines are those of the printed shader, unless `positions` says where the statements stand in `text`.
    """
    text = case.text if text is None else text
    positions = case.printed.positions if positions is None else positions
    lines = [f"{found.target}: {found.answer.verdict.value}; the reference (paper): {case.verdict.value}."]
    if found.kind not in VERDICTS_DIFFER:
        return [*lines, "The shader is well-formed TinyWGSL.", *found.answer.message.splitlines()[:6]]
    if case.verdict is Verdict.REJECTS:
        lines += ["Why the reference rejects it:", *_indented(explain(case.analysis, positions, text))]
    rules = rules_of(found.cause)
    if rules is not None:
        lines += because(found)
        departed = analyse(case.shader, rules)
        if departed.verdict is Verdict.REJECTS:
            lines += ["Why it is rejected then:", *_indented(explain(departed, positions, text))]
    elif found.cause == UNEXPLAINED:
        lines.append("No rule set known here explains the target's verdict, nor do two departures from the paper's.")
    elif found.cause == NOT_IMPLEMENTED:
        lines.append(f"{found.target} has no uniformity analysis: one known finding, not many.")
    if case.execution.outcome is Outcome.DIVERGES:
        lines += ["It does diverge:", *_indented(witness_lines(case, positions))]
    elif case.execution.outcome is Outcome.CONVERGES:
        n = case.shader.workgroup_size
        lines.append(f"It converges: with {n} threads every schedule and every store within bounds was explored.")
    elif case.execution.outcome is Outcome.OUT_OF_STEPS:
        lines.append("The semantics cannot tell: no run it tried came to its end.")
    else:
        lines.append("The semantics saw no divergence in the runs tried.")
    return lines


def because(found: Disagreement) -> list[str]:
    """Which rules answer as the target of a finding does, and who is right where the specification's letter differs."""
    named = departures_in(found.cause)
    if not named:
        return [f"No two departures from the paper's rules explain it; the rule set {found.cause} answers alike."]
    what, these = " and ".join(it.does for it in named), "this departure" if len(named) == 1 else "these departures"
    lines = [f"{found.target} answers as the paper's rules with {these} would: it {what}."]
    lines += _indented([departure.about for departure in named])
    if any(departure.by_the_letter for departure in named):
        lines.append(f"Either {found.target} or the letter of the specification should change.")
    return lines


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]
