"""What `diff` says of two rule sets of the whole language."""

import time
from collections.abc import Iterator, Mapping, Sized
from typing import Protocol

import orjson

from wgsl_fuzz.fuzz.judging.steps import steps_of
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count as number
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.fuzz.regression.module_diff import Decides, ModuleDiffer, ModuleDifference
from wgsl_fuzz.oracle.explain.module_path import explain_module
from wgsl_fuzz.oracle.rules.rule_set import Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.problems import Source

_INDENT = "    "
_HOW = {
    Decides.ALONE: "",
    Decides.ENOUGH: "this is enough to decide here; something else that differs would be, too",
    Decides.NEEDED: "this decides here together with",
    Decides.HIDDEN: "no shader was found on which this decides between the two: it does where nothing else differs",
}


def diff_modules(
    differ: ModuleDiffer, max_statements: int, programs: int, seconds: float, seed: int, as_json: bool
) -> bool:
    """Searches, tells how far it came, and shows what was found; whether the rule sets differ on some module."""
    if differ.base == differ.goal:
        echo(f"{differ.one} and {differ.other} are the same rules", err=True)
        return False
    deadline = time.monotonic() + seconds
    known, all_known = differ.known(deadline)
    search(differ, f"{number(known, 'text')} that ship", all_known, max_statements, programs, seed, deadline)
    for difference in differ.sorted():
        if as_json:
            echo(orjson.dumps(_json(difference)))
        else:
            _show(differ, difference)
    return differ.differs


class Searcher(Protocol):
    """What finds differences between two rule sets, of TinyWGSL or of the whole language."""

    @property
    def found(self) -> Sized:
        """The groups so far."""
        ...

    def enumerate(self, most: int, deadline: float) -> Iterator[tuple[int, int]]:
        """Tries every small shader; gives each size that is done and how many it had."""
        ...

    def search(self, programs: int, seed: int, deadline: float) -> int:
        """Tries random ones; returns how many."""
        ...


def search(
    differ: Searcher, known: str, all_known: bool, max_statements: int, programs: int, seed: int, deadline: float
) -> None:
    """Goes on from what is `known`, and tells how far the search came."""
    echo(f"{known}: {number(len(differ.found), 'group')} so far", err=True)
    enumerated = 0
    for statements, count in differ.enumerate(max_statements, deadline):
        enumerated = statements
        shaders = f"{number(count, 'shader')} of {number(statements, 'statement')}"
        echo(f"{shaders}: {number(len(differ.found), 'group')} so far", err=True)
    drawn = differ.search(programs, seed, deadline)
    echo(f"{number(drawn, 'random shader')}: {number(len(differ.found), 'group')}", err=True)
    late = enumerated < max_statements or not all_known or drawn < programs
    if late or not differ.found:
        echo(_bounds(enumerated, known, drawn, late, bool(differ.found)), err=True)


def _bounds(enumerated: int, known: str, drawn: int, late: bool, found: bool) -> str:
    """How far a search came, and what takes it further."""
    tried = [known]
    tried += [f"every one of up to {enumerated} statements"] if enumerated else []
    tried += [f"{drawn} random ones"]
    said = "other differences may be beyond" if found else "no difference was found, which does not say there is none"
    more = "the time was up: --seconds takes it further" if late else "--max-statements and --programs take it further"
    return f"{said}: tried {', '.join(tried[:-1])} and {tried[-1]}; {more}"


def does(variant: Variant) -> str:
    """What an analysis with a variant does, and the variant's name."""
    said = variant.does or (variant.what if variant.place else "has rules of its own")
    return f"{said} ({variant.name})"


def why(text: str, rules: Rules) -> Iterator[str]:
    """Why a rule set of the whole language rejects a text."""
    resolution, source = read(text), Source(text)
    assert resolution is not None, "it was judged before"
    yield from steps_of(source, explain_module(analyse_wgsl(resolution, rules), resolution, source))


def _json(difference: ModuleDifference) -> Mapping[str, object]:
    names = [side.name for side in difference.sides]
    return {
        "decides": difference.decides,
        "how": difference.how.name.lower(),
        "code": difference.text,
        "verdicts": {name: verdict.value for name, verdict in zip(names, difference.verdicts, strict=True)},
        "origin": difference.origin,
    }


def _others(differ: ModuleDiffer, difference: ModuleDifference) -> list[str]:
    """The names of what decides together with a variant that is not enough."""
    if difference.how is not Decides.NEEDED:
        return []
    together = differ.together(difference.resolution, difference.verdicts)
    return [", ".join(Rules(together - difference.variants).names)]


def _show(differ: ModuleDiffer, difference: ModuleDifference) -> None:
    changed = sorted(difference.variants, key=lambda v: v.name)
    said = [f"{differ.one if v in differ.base else differ.other} {does(v)}" for v in changed]
    echo(f"{'; '.join(said)}  ({difference.origin})")
    for variant in changed:
        if variant.about:
            echo(f"  {variant.about}")
    if _HOW[difference.how]:
        echo("  " + " ".join([_HOW[difference.how], *_others(differ, difference)]))
    text = difference.text
    for line in text.splitlines():
        echo(f"{_INDENT}{line}".rstrip())
    for side, verdict in zip(difference.sides, difference.verdicts, strict=True):
        echo(f"  {side.name} {verdict.value}")
        if verdict is Verdict.REJECTS:
            for line in why(text, side.rules):
                echo(_INDENT + line)
    echo()
