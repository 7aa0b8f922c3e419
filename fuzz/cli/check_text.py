"""What `check` writes for people about one text."""

from collections.abc import Iterator

from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.fuzz.judging.account import short_account, steps_of
from wgsl_fuzz.fuzz.judging.answers import SEMANTICS, Examination, OracleSet
from wgsl_fuzz.fuzz.judging.blame import blamed_otherwise
from wgsl_fuzz.fuzz.judging.differences import account_of_difference
from wgsl_fuzz.fuzz.judging.judge import Disagreement
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count as number
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.in_words import branch_in_words
from wgsl_fuzz.oracle.rules.uniformity.coverage import deciding_arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.diagnostics import Severity

Row = tuple[str, str, str]
"""An oracle, its verdict, and more."""


def show(file: str, one: Examination, asked: OracleSet, with_coverage: bool) -> None:
    """Writes the verdict of each oracle, and why they are what they are."""
    if one.problem:
        for problem in one.problems:
            echo(problem.told(file), err=True)
        for name, answer in one.answers.items():
            echo(f"  {name}  {answer.verdict.value}")
            if name != WHOLE:  # it says the same
                _say(answer)
        for found in one.found:
            echo(f"  {found.kind.value}: {found.key}")
            for line in account_of_difference(found)[:2]:
                echo(f"    {line}")
        return
    echo(file)
    _table(list(_rows(one, asked)))
    if one.case is not None:
        _why(one.case, one, asked)
    if with_coverage and one.case is not None:
        echo("  decided by (breaking any of these changes the verdict):")
        arms = deciding_arms(one.case.resolution, one.case.judgement)
        echo("".join(f"    {branch_in_words(name)}\n" for name in arms), nl=False)


def _rows(one: Examination, asked: OracleSet) -> Iterator[Row]:
    if asked.reference or (asked.targets and WHOLE not in one.answers):
        yield from _row_of_reference(one, asked)
    if asked.semantics:
        word, cannot = one.semantics
        threads = "" if one.case is None or one.case.threads is None else number(one.case.threads, "thread")
        yield SEMANTICS, word, f"it cannot run {cannot}" if cannot else threads
    for name, answer in one.answers.items():
        lines = answer.message.splitlines()
        first = answer.verdict is Verdict.MISCOMPILES  # the account has the rest
        error = lines[0] if first else next((line for line in lines if "error" in line), answer.message)
        more = "" if name != WHOLE or one.case is None else _of_entry_points(one.case, all_of_them=True)
        yield name, answer.verdict.value, more or " ".join(error.split())


def _row_of_reference(one: Examination, asked: OracleSet) -> Iterator[Row]:
    """What a target is held against, also where nobody asked for it."""
    of_reference = "" if asked.reference else "the reference"
    if one.case is not None and WHOLE not in one.answers:
        of_entry_points = _of_entry_points(one.case)
        yield WHOLE, one.verdict.value, "; ".join(filter(None, (of_reference, of_entry_points)))


def _table(rows: list[Row]) -> None:
    width = max((len(name) for name, _, _ in rows), default=0)
    for name, word, more in rows:
        echo(f"  {name:{width}}  {word:12} {more}".rstrip())


def _of_entry_points(module: ModuleCase, *, all_of_them: bool = False) -> str:
    """`compute main: accepts; fragment shade: rejects`; by default where there are several or a message is no error."""
    found = list(module.entry_points())
    if not found:
        return "no entry point"
    plain = (len(found) == 1 and found[0][2] in (None, Severity.ERROR)) or all(worst is None for _, _, worst in found)
    if plain and not all_of_them:
        return ""
    said = {None: "accepts", Severity.ERROR: "rejects"}
    return "; ".join(f"{stage} {f.name}: {said.get(worst, f'accepts with {worst}')}" for f, stage, worst in found)


def _say(answer: Answer) -> None:
    """A target's own words below its verdict."""
    for line in answer.message.splitlines():
        if line.strip():
            echo(f"    {line.rstrip()}")


def _cause(one: Examination, found: Disagreement) -> list[str]:
    """How sure the cause of a finding is."""
    explained = one.explained.get(found.target)
    return [] if explained is None else explained.words(found.cause)


def _why(module: ModuleCase, one: Examination, asked: OracleSet) -> None:
    for found in one.found:
        echo(f"  {found.kind.value}: {found.key}")
        for line in [*short_account(module, found), *_cause(one, found)]:
            echo(f"    {line}")
    for line in blamed_otherwise(module, one.answers):
        echo(f"  {line}")
    if module.explanations and (asked.reference or {WHOLE, REFERENCE} & one.answers.keys() or one.found):
        echo("  why:")
        for line in steps_of(module.source, module.explanations):
            echo(f"    {line}")
    if asked.semantics and not one.found and module.execution.witness is not None:
        echo("  it does diverge:")
        for line in module.placed_execution.describe(module.text):
            echo(f"    {line}")
