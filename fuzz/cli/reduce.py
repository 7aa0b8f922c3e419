"""The command `reduce`: the smallest shader that still shows what a file shows."""

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import join

import click

from wgsl_fuzz.fuzz.campaign.reduce_finding import MOST_HANGS
from wgsl_fuzz.fuzz.cases.case import NOT_RUN, SEMANTICS, Case, count_statements, read_case
from wgsl_fuzz.fuzz.cli import options as o
from wgsl_fuzz.fuzz.cli.options import NAME as STANDARD_INPUT
from wgsl_fuzz.fuzz.cli.runs.progress import changing_line
from wgsl_fuzz.fuzz.files import write_bytes
from wgsl_fuzz.fuzz.findings.directory import convergence_option
from wgsl_fuzz.fuzz.judging.answers import opened_oracles
from wgsl_fuzz.fuzz.output import notice, write_code
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.fuzz.problems import INTERRUPTED, Problem, WrongText
from wgsl_fuzz.fuzz.reduction import interestingness
from wgsl_fuzz.fuzz.reduction.search import changes_in_words, read, reduce
from wgsl_fuzz.fuzz.reduction.text import reduce_text
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution


@dataclass(frozen=True, slots=True)
class _Result:
    """The text reached, in what way, and what the reducer met."""

    text: str
    how: str
    nearest: str | None = None
    """The text of the near miss."""
    noted: Mapping[Hashable, str] = field(default_factory=dict)
    """By what they show: the smallest other texts met."""


@click.command("reduce")
@click.argument("file")
@click.option(
    "--keep",
    "--oracle",
    "--target",
    "-t",
    "kept",
    multiple=True,
    metavar="ORACLE[=VERDICT]",
    help="Keep this verdict, or without one what the oracle says now; repeats, or several with commas.",
)
@click.option("--test", metavar="COMMAND", help="Keep what this command ends with 0 for; FILE comes last, or for {}.")
@o.output_option()
@o.CONVERGENCE
@o.TIMEOUT_OPTION
@click.pass_context
def reduce_command(
    context: click.Context, file: str, kept: tuple[str, ...], test: str | None, output: Path | None
) -> None:
    """Reduce a shader; the verdicts of oracles stay the same.

    \b
        wgsl-fuzz reduce shader.wgsl --keep tint@0.3.8=accepts,wgsl=rejects
        wgsl-fuzz reduce shader.wgsl --oracle tint --oracle semantics
        wgsl-fuzz reduce shader.wgsl --test "./interesting.sh"

    Verdicts: accepts, rejects, invalid, crashed, timed-out; of the oracle semantics: diverges, converges, not-seen,
    out-of-steps, not-run. The reference is wgsl; paper is asked about TinyWGSL, and stands for wgsl otherwise. What is
    no valid WGSL is reduced as text, for what targets say. Ctrl-C ends with the best so far.

    FILE `-` is standard input. Exit status: 0 reduced, 2 FILE does not show it, 130 interrupted.
    """
    wanted, names = interestingness.read_keep(kept)
    case = read_case(o.read_wgsl(file))
    others = [name for name in (*wanted, *names) if name != SECTION_4_2]
    stands_for = {SECTION_4_2: SECTION_15_2 if case.core is None else SECTION_4_2}
    reference = None
    if len(others) < len(wanted) + len(names):
        reference = stands_for[SECTION_4_2]
    elif not wanted and test is None and case.is_read:  # else it has nothing to say, or nobody asks
        reference = SECTION_15_2
    wanted = {stands_for.get(name, name): word for name, word in wanted.items()}
    predicate = (
        None if test is None else interestingness.CommandPredicate(test, "shader.wgsl" if file == o.DASH else file)
    )
    file = o.name_of(file)
    with _opened(others, wanted, predicate, o.notion_of(context), context.meta["timeout"]) as keeper:
        keeper.reference = reference
        _check_shown(file, case, keeper, [stands_for.get(name, name) for name in names])
        try:
            with changing_line("reducing") as show:
                result, status = _reduced(case.text, keeper, show), 0
        except KeyboardInterrupt:
            result, status = _Result(keeper.best or case.text, "interrupted"), INTERRUPTED
        _account(file, case, result, keeper)
    _hand_over(file, result, keeper, output)
    context.exit(status)


@contextmanager
def _opened(
    names: Sequence[str],
    wanted: dict[str, str],
    predicate: interestingness.CommandPredicate | None,
    notion: Notion,
    timeout: float,
) -> Iterator[interestingness.InterestingnessTest]:
    """The interestingness test of these oracles, and of the user's own predicate if there is one."""
    if notion is not CONTROL_STACKS and SEMANTICS not in names:
        raise Problem("--convergence is for the semantics: keep what it says, by --keep semantics=diverges")
    with ExitStack() as stack:
        asked = stack.enter_context(opened_oracles(names, notice, timeout, notion))
        given = [name for name in dict.fromkeys(names) if name != SEMANTICS]  # `tint` is open as `tint@0.6.2`
        targets = dict(zip(given, asked.targets, strict=True))
        if predicate is not None:
            stack.callback(predicate.close)
            targets[interestingness.NAME], wanted = predicate, wanted | {interestingness.NAME: Verdict.ACCEPTS.value}
        yield interestingness.InterestingnessTest(asked, targets, wanted)


def _check_shown(file: str, case: Case, keeper: interestingness.InterestingnessTest, beside: Collection[str]) -> None:
    """Tells `keeper` what to keep, also of the oracles `beside` those of --keep; raises Problem if that is nothing."""
    text, tree = case.text, case.resolution if case.is_read else None
    unasked = any(name not in keeper.targets for name in (*keeper.wanted, *beside))
    if tree is None and (unasked or not keeper.targets):
        *lines, why = [problem.told(file) for problem in case.problems]
        raise WrongText([*lines, f"{why}; the text itself can be reduced for what targets say: --keep TARGET=..."])
    if keeper.wanted:
        if not keeper.shows(tree, text):
            now = keeper.all(text, tree)
            why = f"; the semantics cannot run {case.ask_semantics()[1]}" if now.get(SEMANTICS) == NOT_RUN else ""
            raise _not_shown(file, case, f"{file} does not show that: {interestingness.in_words(now)}{why}")
        if beside:
            now = keeper.all(text, tree)
            keeper.wanted = {**keeper.wanted, **{name: now[name] for name in beside if name in now}}
        return
    words = keeper.all(text, tree)
    expected = tree is None and set(words.values()) == {Verdict.INVALID.value}
    amounts = {name: _AMOUNTS.get(word, word) for name, word in words.items()}
    if expected or interestingness.disagreement(amounts) is None:
        said = f"{file} shows no disagreement ({interestingness.in_words(words)})"
        raise _not_shown(file, case, f"{said}; name more oracles, or --keep VERDICTS")
    keeper.wanted = words
    keeper.best = text


def _not_shown(file: str, case: Case, said: str) -> Problem:
    """What to raise; of a text that is no WGSL the places, which are all there is to it."""
    return WrongText([problem.told(file) for problem in case.problems] or [f"wgsl-fuzz: {said}"])


_AMOUNTS = {"diverges": "rejects", "converges": "accepts", "not-seen": "accepts", "out-of-steps": "accepts"}
_AMOUNTS |= {NOT_RUN: Verdict.UNSUPPORTED.value}
"""By outcome the verdict that it amounts to: what diverges should be rejected; the rest decides nothing."""


def _reduced(text: str, keeper: interestingness.InterestingnessTest, show: Callable[[str], None]) -> _Result:
    """The tree that a text is, reduced; or the text, if it is none, or its plain print does not show what it does."""
    tree = read(text)

    def give_up() -> bool:
        return keeper.hangs > MOST_HANGS

    if tree is None or not keeper.shows(tree, print_module(tree.module)):
        least = reduce_text(
            text, keeper.shows_text, give_up=give_up, progress=lambda now: show(count(len(now), "character"))
        )
        return _Result(least, "as text")

    def shown(candidate: Resolution) -> Hashable:
        return keeper.shown(candidate, print_module(candidate.module))

    def progress(candidate: Resolution, asked: int) -> None:
        show(f"{count(count_statements(candidate.module), 'statement')}, {asked} asked")

    reduction = reduce(tree, shown, give_up=give_up, progress=progress)
    return _Result(reduction.text, "plain", reduction.nearest, reduction.noted)


def _hand_over(file: str, result: _Result, keeper: interestingness.InterestingnessTest, output: Path | None) -> None:
    """The text, on standard output or in the file, and how to see what it shows."""
    if output is None:
        write_code(result.text, nl=False)
    else:
        write_bytes(output, result.text.encode())
    notice(_to_see_it(file, keeper, output))


def _to_see_it(file: str, keeper: interestingness.InterestingnessTest, output: Path | None) -> str:
    """The command that asks again about what was written; about the input if that is the only file there is."""
    if interestingness.NAME in keeper.wanted:
        return "to keep it, give -o FILE" if output is None else f"written: {output}"
    words = ["wgsl-fuzz", "check", *(word for name in keeper.wanted for word in ("--oracle", name))]
    words += convergence_option(keeper.asked.notion)
    if output is None and file == STANDARD_INPUT:
        return "to keep it, give -o FILE"
    if output is None:
        return f"to keep it, give -o FILE; to see what {file} shows: {join([*words, file])}"
    return f"to see it: {join([*words, str(output)])}"


def _account(file: str, case: Case, result: _Result, keeper: interestingness.InterestingnessTest) -> None:
    """On standard error: how much smaller it got, and what is nearest."""
    if keeper.hangs > MOST_HANGS:
        notice(f"stopped: {count(keeper.hangs, 'smaller text')} got no answer in time")
    before, after = case.statements, read(result.text)
    if before is not None and after is not None:
        left = count_statements(after.module)
        notice(f"{file}: {count(before, 'statement')} before, {left} after ({result.how})")
    else:
        notice(f"{file}: {count(len(case.text), 'character')} before, {len(result.text)} after ({result.how})")
    notice(f"kept: {interestingness.in_words(keeper.wanted)}")
    if result.nearest is not None:
        said = keeper.all(result.nearest, read(result.nearest))
        notice(f"{'; '.join(changes_in_words(result.text, result.nearest))}: {interestingness.in_words(said)}")
        for line in result.nearest.splitlines():
            notice(f"  {line}")
    for key, text in result.noted.items():
        other = read(text)
        statements = 0 if other is None else count_statements(other.module)
        notice(f"met on the way, {count(statements, 'statement')}: {key}")
