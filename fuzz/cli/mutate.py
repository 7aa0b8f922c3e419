"""The command `mutate`: modules near those of the user's files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import orjson

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.parents import Mutant, Parents, mutant, read_parents
from wgsl_fuzz.fuzz.cli.options import SEED, SHADER_FOLDER, TARGET, count_option, format_option, timeout_of
from wgsl_fuzz.fuzz.files import make_folder, write_bytes
from wgsl_fuzz.fuzz.judging.answers import WORDS, opened
from wgsl_fuzz.fuzz.output import echo, write_code
from wgsl_fuzz.fuzz.present.wording import count as number
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict

NAMED = 5
"""So many files that are passed over are named."""
AT_ONCE = 64
"""So many texts are asked about together."""


@click.command()
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIR...", type=click.Path(path_type=Path))
@count_option(1)
@SEED
@format_option("jsonl", "wgsl", default="jsonl")
@SHADER_FOLDER
@TARGET
@click.pass_context
def mutate(
    context: click.Context,
    paths: tuple[Path, ...],
    count: int,
    seed: int,
    form: str,
    folder: Path | None,
    names: tuple[str, ...],
) -> None:
    """Change WGSL files a little, with the reference's verdict.

    The parents are any WGSL: files, and the *.wgsl in folders. Each mutant is valid if its parent is. A line
    {"code": ..., "verdict": "uniform" | "non-uniform", "parent": ...} each, or with --format wgsl the WGSL itself. With
    --target the parents are asked about first, then the mutants.

    Exit status: 0 no target disagrees with the reference, 1 one does, 2 there is no parent, or a target cannot be had.
    """
    parents = read_parents(paths)
    _tell(parents)
    if not parents.found:
        raise Problem("no file can be a parent")
    if folder is not None:
        make_folder(folder)
    disagrees = False
    with opened(names, lambda line: echo(line, err=True), timeout_of(context)) as specs:
        targets = list(specs.values())
        if targets:
            disagrees = _ask_parents(parents, targets)
        for start in range(0, count, AT_ONCE):
            mutants = [mutant(parents, seed, k) for k in range(start, min(start + AT_ONCE, count))]
            said = _answers([m.case for m in mutants], targets)
            for index, (one, verdicts) in enumerate(zip(mutants, said, strict=True), start):
                disagrees |= _disagree(one.case, verdicts)
                _write(one, verdicts, form, None if folder is None else folder / f"{seed}-{index:06}")
    context.exit(int(disagrees))


def _tell(parents: Parents) -> None:
    for passed in parents.passed_over[:NAMED]:
        echo(f"passed over: {passed.path}: {passed.reason}", err=True)
    if len(parents.passed_over) > NAMED:
        echo(f"passed over: {number(len(parents.passed_over) - NAMED, 'file')} more", err=True)
    if parents.left_out:
        echo("there are more files than are read", err=True)


def _ask_parents(parents: Parents, targets: Sequence[Target]) -> bool:
    """Whether a target disagrees with the reference on a parent; says which."""
    found = False
    for start in range(0, len(parents.found), AT_ONCE):
        some = parents.found[start : start + AT_ONCE]
        for parent, verdicts in zip(some, _answers([p.case for p in some], targets), strict=True):
            if _disagree(parent.case, verdicts):
                found = True
                words = ", ".join(f"{name} {verdict.value}" for name, verdict in verdicts.items())
                echo(f"{parent.path}: the reference {parent.case.verdict.value}, {words}", err=True)
    return found


def _answers(cases: Sequence[Case], targets: Sequence[Target]) -> Iterator[dict[str, Verdict]]:
    """What the targets say of each text, by their names."""
    texts = [case.source.text for case in cases]
    for target in targets:
        target.submit(texts)
    answers = {target.name: target.collect() for target in targets}
    for i in range(len(texts)):
        yield {name: of_target[i].verdict for name, of_target in answers.items()}


def _disagree(case: Case, verdicts: dict[str, Verdict]) -> bool:
    return any(verdict is not case.verdict for verdict in verdicts.values())


def _write(one: Mutant, verdicts: dict[str, Verdict], form: str, file: Path | None) -> None:
    code, verdict = one.case.source.text, WORDS[one.case.verdict]
    line = f"// {verdict}\n{code}"
    if form == "jsonl":
        record: dict[str, object] = {"code": code, "verdict": verdict, "parent": one.parent.path}
        if verdicts:
            record["verdicts"] = {name: said.value for name, said in verdicts.items()}
        line = orjson.dumps(record).decode()
    if file is None:
        write_code(line)
    else:
        write_bytes(file.with_suffix(".json" if form == "jsonl" else ".wgsl"), line.encode())
