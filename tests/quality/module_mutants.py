"""The pairs of `corpus/wgsl/pairs` as judges of variants of the whole-language analysis, and the pair that kills each.

`python -m tests.quality.module_mutants` looks for the pairs again and writes `module_witnesses.toml`.
"""

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.wgsl.reading import resolved
from wgsl_fuzz.fuzz.cases.pairs import Pair, load
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules, Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import analyse_module
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analysis_under
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution

WITNESSES = Path(__file__).with_name("module_witnesses.toml")
SIDES = ("accepted", "rejected")


@dataclass(frozen=True, slots=True)
class Answer:
    """A verdict on one text of a pair, and the messages, as `severity rule`. None: they do not count."""

    verdict: Verdict
    messages: frozenset[str] | None = None


@cache
def pairs() -> Mapping[str, Pair]:
    """By name."""
    return {pair.name: pair for pair in load()}


def text_of(pair: Pair, side: str) -> str:
    """One of the texts."""
    return pair.accepted if side == "accepted" else pair.rejected


def expected(pair: Pair, side: str) -> Answer:
    """What a pair says of one of its texts."""
    if side == "accepted":
        return Answer(Verdict.ACCEPTS, pair.accepted_messages)
    return Answer(pair.refusal, pair.rejected_messages)


def resolution(name: str, side: str) -> Resolution | None:
    """A text of a pair, its names resolved; None if it is refused before: no variant can tell."""
    return resolved(text_of(pairs()[name], side))


def answer(name: str, side: str, rules: Rules) -> Answer | None:
    """What the analysis says of a text under a rule set; None if the text is refused before."""
    module = resolution(name, side)
    if module is None:
        return None
    analysis = analysis_under(rules)
    try:
        for function in module.functions:
            analysis.behaviour_analysis().check(function)
        result = analyse_module(module, analysis)
    except WgslError:
        return Answer(Verdict.INVALID)
    messages = frozenset(f"{v.severity} {rule}" for _, v in result.violations for rule in v.rules or ("",))
    return Answer(result.verdict, messages)


def tells(name: str, side: str, rules: Rules) -> bool:
    """Whether a rule set does not answer one text of a pair as the pair expects."""
    given, wanted = answer(name, side, rules), expected(pairs()[name], side)
    if given is None:
        return False
    return given.verdict is not wanted.verdict or (wanted.messages is not None and given.messages != wanted.messages)


def killers(variant: Variant, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The pairs, each with a side, that tell a variant from the rules."""
    return ((name, side) for name in names for side in SIDES if tells(name, side, variant.rules))


@cache
def witnesses() -> Mapping[str, str]:
    """Of each variant that a pair kills, the pair's name: data, found by running."""
    found: dict[str, str] = tomllib.loads(WITNESSES.read_text(encoding="utf-8"))
    return found


def _order(names: Iterable[str]) -> list[str]:
    """Those whose texts are short first: they are easy to read."""
    return sorted(names, key=lambda name: (len(pairs()[name].accepted) + len(pairs()[name].rejected), name))


def _find() -> tuple[dict[str, str], list[str]]:
    """The pair that kills each variant, the one of the last time if it still does; and the variants that live."""
    known = witnesses() if WITNESSES.exists() else {}
    sound = [n for n in _order(pairs()) if not any(tells(n, side, UNCHANGED) for side in SIDES)]
    print(f"{len(sound)} of {len(pairs())} pairs hold")
    found, living = {}, []
    for variant in all_variants().values():
        old = [name for name in (known.get(variant.name),) if name in sound]
        killer = next(killers(variant, (*old, *sound)), None)
        if killer is not None:
            found[variant.name] = killer[0]
        elif not variant.equivalent:
            living.append(variant.name)
    return found, living


def main() -> None:
    """Writes the witnesses and names the variants that no pair kills."""
    found, living = _find()
    lines = [f'"{variant}" = "{pair}"\n' for variant, pair in sorted(found.items())]
    WITNESSES.write_text(
        "# Of each variant a pair that kills it: tests/quality/module_mutants.py.\n\n" + "".join(lines)
    )
    print(f"{len(found)} killed")
    print("\n".join(living), file=sys.stderr)


if __name__ == "__main__":
    main()
