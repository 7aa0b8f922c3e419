"""Runs named oracles on WGSL texts in small batches, with progress and a limit on unanswered texts."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote

from wgsl_fuzz.fuzz.cases.case import SEMANTICS, Case, failed_case, read_case
from wgsl_fuzz.fuzz.judging.certainty import SMALL, explanation_of, is_to_be_explained
from wgsl_fuzz.fuzz.judging.judge import judge
from wgsl_fuzz.fuzz.judging.kinds import Disagreement, Fit
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.devices import device as devices
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.families.rules import open_named
from wgsl_fuzz.oracle.targets.features import with_features
from wgsl_fuzz.oracle.targets.probes import MOST_HANGS
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError, answers_of, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

TIMEOUT = 10.0
"""Seconds that a target may take for an answer."""

is_device = devices.is_device
"""Whether a target of this name, or opened by this spec, is a device: importing it is what makes devices known."""


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
    """Each target of `open_specs` once: two names may mean one. Raises Problem if two targets have one name."""
    by_name: dict[str, Target] = {}
    for target in specs.values():
        spec, other = spec_of(target), spec_of(by_name.setdefault(target.name, target))
        if spec != other:
            raise Problem(f"{other} and {spec} are both {target.name}: give one a name of yours, such as it@2={spec}")
    return list(by_name.values())


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
    return with_features(open_target(name, notify=notify, timeout=timeout))


PART = 4
"""Texts in one batch: each may use its whole time limit, twice."""

Progress = Callable[[str], None]
"""Shows a line such as `12 of 640 shaders asked`."""


class HangLimit:
    """Counts the texts that each target left without an answer in time; MOST_HANGS of them end the asking.

    With `in_a_row` an answer in between begins the count anew: where single hangs are results among others.
    """

    def __init__(
        self,
        called: Callable[[str], str],
        advice: Callable[[Target, str], str],
        *,
        in_a_row: bool,
        may_hang: Collection[str] = (),
    ) -> None:
        """`called` says what people call a text, `advice` the command that asks a target about it alone. Texts that
        `may_hang` do not count.
        """
        self._called, self._advice, self._in_a_row, self._may_hang = called, advice, in_a_row, may_hang
        self._hung: dict[str, list[str]] = {}

    @property
    def hangs(self) -> int:
        """How many there are just now, of all targets."""
        return sum(map(len, self._hung.values()))

    def record(self, target: Target, texts: Sequence[str], answers: Sequence[Answer]) -> None:
        """Takes in the answers to some texts. Raises TargetError."""
        hung = self._hung.setdefault(target.name, [])
        for text, answer in zip(texts, answers, strict=True):
            if answer.verdict is Verdict.TIMED_OUT:
                if text not in self._may_hang:
                    hung.append(text)
            elif self._in_a_row:
                hung.clear()
            if len(hung) == MOST_HANGS:
                said, names = " ".join(answer.message.split()), ", ".join(map(self._called, hung))
                raise TargetError(
                    f"{target.name} hangs on {names} ({said}); it is not run any more; to see one: "
                    f"{self._advice(target, text)}"
                )


def parts(texts: Sequence[str], hang_limit: HangLimit, progress: Progress = lambda _: None) -> Iterator[Sequence[str]]:
    """The texts, a few at a time; one at a time while a target hangs."""
    at = 0
    while at < len(texts):
        hangs = hang_limit.hangs
        progress(f"{at:,} of {len(texts):,} shaders asked" + (f", {hangs} without an answer" if hangs else ""))
        part = texts[at : at + (1 if hangs else PART)]
        yield part
        at += len(part)


def hang_limit_for_files(files: Mapping[str, Path], may_hang: Collection[str] = ()) -> HangLimit:
    """The limit on unanswered texts when files are checked."""

    def advice(target: Target, text: str) -> str:
        return f"wgsl-fuzz check --oracle {quote(spec_of(target))} {quote(str(files[text]))}"

    return HangLimit(lambda text: str(files[text]), advice, in_a_row=True, may_hang=may_hang)


def ask_in_parts(
    texts: Sequence[str],
    targets: Sequence[Target],
    hang_limit: HangLimit | None = None,
    progress: Progress = lambda _: None,
    meanwhile: Callable[[Sequence[str]], None] = lambda _: None,
) -> Iterator[tuple[str, list[Answer]]]:
    """What each target, by its name, says of a few texts at a time; of all at once if there is no `hang_limit`."""
    for part in [texts] if hang_limit is None else parts(texts, hang_limit, progress):
        for target in targets:
            target.submit(part)
        meanwhile(part)
        for target in targets:
            said = target.collect()
            if hang_limit is not None:
                hang_limit.record(target, part, said)
            yield target.name, said


@dataclass
class Examination:
    """One text, and what was said of it."""

    case: Case
    answers: dict[str, Answer] = field(default_factory=dict)
    found: list[Disagreement] = field(default_factory=list)
    explained: dict[str, tuple[str | None, Fit]] = field(default_factory=dict)
    """What explains the findings of targets, if that was looked for."""


def ask_all(
    texts: Sequence[str],
    asked: OracleSet,
    hang_limit: HangLimit | None = None,
    progress: Progress = lambda _: None,
    *,
    unexecuted: Collection[str] = (),
    effort: Effort | None = None,
    isolated: bool = False,
) -> list[Examination]:
    """Every text examined, every oracle asked, and the answers judged, in order.

    A target that hangs is asked until there is no `hang_limit`: TargetError. The semantics runs if it is asked, or
    oracles disagree, with this `effort`, but never on `unexecuted` texts. If `isolated`, an internal error on a text is
    the answer to it alone.
    """
    faults = Exception if isolated else ()
    examined: list[Examination] = []
    answers: dict[str, list[Answer]] = {target.name: [] for target in asked.targets}

    def read(part: Sequence[str]) -> None:
        for text in part:
            try:
                examined.append(Examination(read_case(text, asked.notion)))
            except faults as fault:
                examined.append(Examination(failed_case(text, fault)))

    for name, said in ask_in_parts(texts, asked.targets, hang_limit, progress, read):
        answers[name] += said
    without_analysis = frozenset(t.name for t in asked.targets if not t.checks_uniformity)
    for i, one in enumerate(examined):
        one.answers = {name: given[i] for name, given in answers.items()}
        one.case.effort = effort
        try:
            verdicts = {one.case.verdict, *(answer.verdict for answer in one.answers.values())}
            disputed = verdicts >= {Verdict.ACCEPTS, Verdict.REJECTS}
            executed = texts[i] not in unexecuted and (asked.semantics or disputed)
            done = one.case.execute() if executed and asked.semantics else None
            one.found = judge(one.case, one.answers, without_analysis, executed=executed, execution=done)
        except faults as fault:
            one.case = failed_case(texts[i], fault)
    return examined


def explain_findings(one: Examination, asked: OracleSet) -> None:
    """Search for causes of the findings on a text: targets are run on its neighbours."""
    targets = {target.name: target for target in asked.targets}
    for found in one.found:
        target = targets.get(found.target)
        if target is None or not is_to_be_explained(found.target, found.kind, found.cause):
            continue

        def ask(text: str, target: Target = target) -> Answer:
            return answers_of(target, [text])[0]

        branch, fit = explanation_of(one.case, found, ask)
        if (one.case.statements or 0) > SMALL:  # what fits all that a large text has may still be a coincidence
            fit = replace(fit, names=tuple(name for name in fit.names if name == str(found.cause)))
        one.explained[found.target] = branch, fit
