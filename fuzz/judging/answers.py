"""Runs named oracles on WGSL texts, for `check`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from wgsl_fuzz.fuzz.cases.case import Case, read_module
from wgsl_fuzz.fuzz.cases.places import UNSUPPORTED, PlacedProblem, placed, problems_of
from wgsl_fuzz.fuzz.judging.asking import Patience, Progress, parts
from wgsl_fuzz.fuzz.judging.certainty import Explanation, explanation_of, is_to_be_explained
from wgsl_fuzz.fuzz.judging.differences import judge_unread
from wgsl_fuzz.fuzz.judging.judge import Disagreement, judge
from wgsl_fuzz.fuzz.problems import Problem, WrongText
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.devices import device as devices
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.families.rules import open_named
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.problems import Unsupported, WgslError

SEMANTICS = "semantics"

NOT_RUN = "not-run"
"""The word for a text that the semantics cannot execute."""

TIMEOUT = 10.0
"""Seconds that a target may take for an answer."""

is_device = devices.is_device
"""Whether a target of this name, or opened by this spec, is a device: importing it is what makes devices known."""

WORDS = {Verdict.ACCEPTS: "uniform", Verdict.REJECTS: "non-uniform", Verdict.INVALID: "invalid"}
"""The reference's verdicts as JSON has them (docs/commands.md)."""


@dataclass(frozen=True, slots=True)
class OracleSet:
    """The oracles that a command was told to ask: ours by name, the targets open."""

    reference: bool
    semantics: bool
    targets: tuple[Target, ...]
    notion: Notion = CONTROL_STACKS
    """What counts as convergence for the semantics."""


def open_specs(names: Sequence[str], notify: Callable[[str], None], timeout: float = TIMEOUT) -> dict[str, Target]:
    """The targets by the names given, started in parallel. Raises Problem if one cannot be opened; the others are
    closed.

    Two names may mean one target, such as `tint` and `tint@0.6.2`; it is opened once. A rule set of our own may be
    named without `rules:` (`wgsl-2023-01-28`).
    """

    def attempt(name: str) -> Target | TargetError:
        try:
            return open_oracle(name, notify, timeout)
        except TargetError as error:
            return error

    wanted = list(dict.fromkeys(names))
    if len(wanted) > 1:
        with ThreadPoolExecutor(len(wanted)) as pool:
            attempts = list(pool.map(attempt, wanted))
    else:  # Ctrl-C waits for threads
        attempts = [attempt(name) for name in wanted]
    targets = [target for target in attempts if not isinstance(target, TargetError)]
    by_name = {target.name: target for target in reversed(targets)}
    errors = [error for error in attempts if isinstance(error, TargetError)]
    for target in targets:
        if errors or target is not by_name[target.name]:
            target.close()
    if errors:
        raise Problem(str(errors[0]))
    return {name: by_name[target.name] for name, target in zip(wanted, targets, strict=True)}


@contextmanager
def opened(
    names: Sequence[str], notify: Callable[[str], None], timeout: float = TIMEOUT
) -> Iterator[dict[str, Target]]:
    """The targets by the names given, closed at the end; raises Problem, also for a target that fails within."""
    specs = open_specs(names, notify, timeout)
    try:
        yield specs
    except TargetError as error:
        raise Problem(str(error)) from error
    finally:
        for target in distinct(specs):
            target.close()


def distinct(specs: Mapping[str, Target]) -> list[Target]:
    """Each target of `open_specs` once: two names may mean one."""
    return list({target.name: target for target in specs.values()}.values())


@contextmanager
def opened_oracles(
    names: Sequence[str],
    notify: Callable[[str], None],
    timeout: float = TIMEOUT,
    notion: Notion = CONTROL_STACKS,
) -> Iterator[OracleSet]:
    """The oracles of these names, the reference if there are none; raises Problem as `opened` does."""
    wanted = list(dict.fromkeys(names))
    with opened([name for name in wanted if name != SEMANTICS], notify, timeout) as specs:
        yield OracleSet(not wanted, SEMANTICS in wanted, tuple(specs.values()), notion)


def open_oracle(name: str, notify: Callable[[str], None], timeout: float = TIMEOUT) -> Target:
    """The target of this name; an analysis of our own (`wgsl-2023-01-28`) needs no `rules:` before it."""
    if is_ours(name):
        return open_named(name, name)
    return open_target(name, notify=notify, timeout=timeout)


@dataclass
class Examination:
    """One text and what was said of it; `case` is None if the text is no WGSL, or has what the reference does not know.

    `problems` then say why.
    """

    text: str
    case: Case | None
    error: WgslError | None = None
    answers: dict[str, Answer] = field(default_factory=dict)
    found: list[Disagreement] = field(default_factory=list)
    explained: dict[str, Explanation] = field(default_factory=dict)
    """What explains the findings of targets, if that was looked for."""

    @property
    def verdict(self) -> Verdict:
        """The reference's."""
        return Verdict.INVALID if self.case is None else self.case.verdict

    @property
    def word(self) -> str:
        """The verdict as JSON has it."""
        return UNSUPPORTED if isinstance(self.error, Unsupported) else WORDS[self.verdict]

    @cached_property
    def problems(self) -> Sequence[PlacedProblem]:
        """Why the text is no WGSL, or what the reference does not know; empty if it is judged."""
        return () if self.error is None else problems_of(self.text, self.error)

    @property
    def problem(self) -> str:
        """The first of them in a sentence; empty if the text is judged."""
        return self.problems[0].sentence if self.problems else ""

    @property
    def not_tiny(self) -> PlacedProblem | None:
        """Why a text of WGSL is not TinyWGSL."""
        core = None if self.case is None else core_of(self.case.resolution)
        return None if core is None or core.shader is not None else placed(self.text, core.why, max(core.at, 0))

    @property
    def semantics(self) -> tuple[str, str]:
        """The word of the semantics, and the name of what it cannot run; empty if that is nothing."""
        if self.case is None:
            return NOT_RUN, "what is no WGSL"
        cannot = self.case.execution.cannot or ""
        outcome = self.case.outcome
        return NOT_RUN if outcome is None else outcome.value, cannot

    def wrong(self, file: str, what: str) -> WrongText:
        """What to raise where only TinyWGSL will do; `what` says so of a text that is other WGSL."""
        if self.problems or self.not_tiny is None:
            return WrongText([problem.told(file) for problem in self.problems])
        return WrongText([f"{self.not_tiny.told(file)}; {what}"])


def examine(text: str, notion: Notion = CONTROL_STACKS) -> Examination:
    """Reads a text for the oracles."""
    try:
        case = read_module(text)
    except WgslError as error:
        return Examination(text, None, error)
    case.thorough, case.notion = True, notion
    return Examination(text, case)


def ask_all(
    texts: Sequence[str],
    asked: OracleSet,
    patience: Patience | None = None,
    progress: Progress = lambda _: None,
) -> list[Examination]:
    """Every text examined, every oracle asked, and the answers judged, in order. A target that hangs is asked until
    there is no `patience`: TargetError.
    """
    examined: list[Examination] = []
    answers: dict[str, list[Answer]] = {target.name: [] for target in asked.targets}
    for part in [texts] if patience is None else parts(texts, patience, progress):
        for target in asked.targets:
            target.submit(part)
        examined += [examine(text, asked.notion) for text in part]
        for target in asked.targets:
            said = target.collect()
            answers[target.name] += said
            if patience is not None:
                patience.hear(target, part, said)
    without_uniformity = frozenset(t.name for t in asked.targets if not t.checks_uniformity)
    for i, one in enumerate(examined):
        one.answers = {name: given[i] for name, given in answers.items()}
        if one.case is not None and (asked.targets or asked.semantics):
            _ = one.semantics if asked.semantics else None
            one.found = judge(one.case, one.answers, without_uniformity, executed=True)
        elif one.case is None and len(asked.targets) > 1:
            one.found = judge_unread(one.answers, without_uniformity)
    return examined


def explain_findings(one: Examination, asked: OracleSet) -> None:
    """Search for causes of the findings on a text: targets are run on its neighbours."""
    targets, case = {target.name: target for target in asked.targets}, one.case
    for found in one.found:
        target = targets.get(found.target)
        if case is None or target is None or not is_to_be_explained(found.target, found.kind, found.cause):
            continue

        def ask(text: str, target: Target = target) -> Answer:
            target.submit([text])
            return target.collect()[0]

        one.explained[found.target] = explanation_of(case, found, ask)
