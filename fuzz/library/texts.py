"""Shaders as users of the library hand them over and get them, and what our own oracles and targets say of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Self

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.places import placed, problems_of
from wgsl_fuzz.fuzz.judging.account import steps_of
from wgsl_fuzz.fuzz.judging.answers import TIMEOUT, open_oracle
from wgsl_fuzz.fuzz.present.divergence import witness_lines
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.explain.facts import facts_of
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, rules_named
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.targets.families.functions import target_of
from wgsl_fuzz.oracle.targets.protocol import NamedTarget, answers_of, silent
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.problems import WgslError


class WGSL(str):
    """The text of a shader, as a `str` whose `repr` is the text itself.

    So a counterexample of Hypothesis and a failing assertion show WGSL as it is written.
    """

    _shader: Shader | None = None

    @classmethod
    def of(cls, given: "str | Shader") -> "WGSL":
        """What was handed over: a text, or the plain text of a tree, which it knows then."""
        if isinstance(given, WGSL):
            return given
        made = cls(print_shader(given) if isinstance(given, Shader) else given)
        made._shader = given if isinstance(given, Shader) else None
        return made

    @property
    def shader(self) -> Shader:
        """The tree of the text. Raises ValueError if the text is not TinyWGSL."""
        if self._shader is None:
            self._shader = parse(self)
        return self._shader

    def __repr__(self) -> str:
        return f"\n{self}"


def case_of(given: str | Shader, rules: Rules = UNCHANGED) -> Case:
    """What was handed over, for the oracles; the text of a tree is the plain one.

    Raises ValueError for a text that is no WGSL, or has what the reference does not know.
    """
    text = str.__str__(WGSL.of(given))
    try:
        return read_module(text, rules)
    except WgslError as error:
        raise ValueError(problems_of(text, error)[0].sentence) from error


def parse(text: str) -> Shader:
    """The tree of a text. Raises ValueError, with line and column, if the text is not TinyWGSL."""
    case = case_of(text)
    if case.core is None:
        lowered = core_of(case.resolution)
        raise ValueError(placed(text, lowered.why, max(lowered.at, 0)).sentence)
    return case.core


def analyse(shader: str | Shader, rules: str = SECTION_15_2) -> Verdict:
    """The verdict of an analysis on a shader: `Verdict.ACCEPTS` or `Verdict.REJECTS`.

    `rules` is `wgsl`, another rule set of docs/targets.md, or a file of rules (`FILE.py`). `paper` and the other
    analyses of TinyWGSL judge nothing else. Raises ValueError for a text that the rules do not know or that is no WGSL,
    and for rules that are not there.
    """
    try:
        named = rules_named(rules)
        return ANALYSES[rules](WGSL.of(shader).shader) if named is None else case_of(shader, named).verdict
    except RuleFileError as error:
        raise ValueError(str(error)) from error


def explain(shader: str | Shader, rules: str = SECTION_15_2) -> list[str]:
    """Why an analysis rejects a shader, from the barrier to the source of non-uniformity: a line for each step.

    Of an accepted shader, it is what each function demands of its callers. Raises ValueError as `analyse` does.
    """
    try:
        named = rules_named(rules)
        if named is None:
            raise ValueError(f"{rules} has no uniformity graph here: only its verdict is there")
        return list(_lines(case_of(shader, named)))
    except RuleFileError as error:
        raise ValueError(str(error)) from error


def _lines(case: Case) -> Iterator[str]:
    """The steps of each violation, of whatever severity; of an accepted module, the facts of its functions too."""
    yield from steps_of(case.source, case.explanations)
    if case.verdict is Verdict.ACCEPTS:
        for known in facts_of(case.analysis, case.resolution, case.source):
            yield f"{known.function.name}:"
            yield from (f"  {fact}" for fact in known.facts)


def run(shader: str | Shader, *, threads: int | None = None, seed: int = 0) -> Execution:
    """What happens if a shader is executed: `outcome`, and a `witness` if it diverges; `cannot` names what cannot run.

    Small workgroups are explored: all schedules and stores within bounds. What that leaves open is sampled, from
    `seed`. `threads` replaces the workgroup size. Raises ValueError for a text that is no WGSL.
    """
    if threads is not None and not 1 <= threads <= 256:
        raise ValueError(f"threads: {threads} is not between 1 and 256")
    resolution = case_of(shader).resolution
    effort = None if threads is None else Effort(threads=threads)
    done = execute(resolution, seed=seed, thorough=True, effort=effort)
    return simplest(done, resolution) or done


def step_by_step(shader: str | Shader, execution: Execution) -> list[str]:
    """How a shader diverges in an execution of `run`: the store, where two threads part and why, and their steps.

    Empty if it does not diverge.
    """
    return [] if execution.witness is None else list(witness_lines(case_of(shader), execution))


class Target(NamedTarget):
    """A compiler or an analysis under test: what a name means on the command line, or a plain function of a text.

    A function says `True`, `"accepts"` or `Verdict.ACCEPTS` of what it accepts, and `False`, `"rejects"` or another
    verdict of the rest. Raises TargetError if there is no such target. It is a target of
    `oracle.targets.protocol` too; `with Target(...) as target` closes it.
    """

    def __init__(self, which: str | Callable[[str], bool | str | Verdict], *, timeout: float = TIMEOUT) -> None:
        target = open_oracle(which, silent, timeout) if isinstance(which, str) else target_of(which)
        super().__init__(target.name, target)

    def verdict(self, text: str) -> Verdict:
        """What it says of a text. What a function raises is raised here."""
        return self.answers([text])[0].verdict

    def answers(self, texts: Sequence[str]) -> list[Answer]:
        """Verdicts and the target's own words, in order. It is faster to ask about many texts at once."""
        return answers_of(self, texts)

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of texts."""
        super().submit([str(text) for text in texts])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
