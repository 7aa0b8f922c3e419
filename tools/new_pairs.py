"""Pairs that are missing: `python -m tools.new_pairs` adds them to files.

Those of a built-in function follow from its row: one for each of its tags. What needs variables, or is no function of
subgroups, you write. That of a variant that no pair shows is a drawn shader that it decides, reduced.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing

from tests.quality.module_mutants import killers, pairs, witnesses
from tests.wgsl.current_tint import AHEAD
from tools.conformance.answers import OTHER
from tools.conformance.search import Search, Start, flips
from wgsl_fuzz.fuzz.cases.pairs import load, pairs_folder
from wgsl_fuzz.fuzz.conformance.rows import SIDES, Level
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.proposals import is_proposed
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, BuiltinFunction, Rule, Scope
from wgsl_fuzz.wgsl.printer import print_module

FILE = pairs_folder() / "builtins-subgroup.toml"
SEEDS = 500
ASKING = {Scope.WORKGROUP: "workgroupBarrier();", Scope.SUBGROUP: "_ = subgroupAdd(1u);"}
Entry = tuple[str, ...]
"""What is added to the name, what the row says, and the two texts."""


def texts(row: BuiltinFunction) -> Iterator[Entry]:
    """The pairs of a row."""
    call, any_value = row.called("1u", "1u"), row.called("N", "U & 7u")
    yield "", "call site, error, subgroup_uniformity", *(f"if {x} == 0u {{ _ = {call}; }}" for x in "UN")
    yield (
        "-rule",
        "the rule is subgroup_uniformity",
        *(f"@diagnostic(off, {rule}) {{ if N == 0u {{ _ = {call}; }} }}" for rule in (Rule.SUBGROUP, Rule.DERIVATIVE)),
    )
    for scope, asking in ASKING.items():
        varies = scope in row.non_uniform_in
        told = f"the value is {'not ' * varies}uniform in the {scope} scope"
        bodies = (f"let x = {call}; if {x} == 0u {{ {asking} }}" for x in ("Ux" if varies else "xN"))
        yield f"-in-{scope}-scope", told, *bodies
    if row.required == (1,):
        yield (
            "-second",
            "the second argument is required to be uniform",
            *(f"_ = {row.called(*arguments)};" for arguments in (("N", "U & 7u"), ("U", "N & 7u"))),
        )
    elif not row.required and "SELF" in row.example:
        yield (
            "-value",
            "no argument is required to be uniform",
            *(f"_ = {any_value}; {text}" for text in ("", "if N == 0u { workgroupBarrier(); }")),
        )


def written(row: BuiltinFunction) -> Iterator[str]:
    """The pairs of a row as TOML."""
    slug = re.sub("([A-Z])", r"-\1", row.name).lower()
    for ending, told, accepted, rejected in texts(row):
        yield f'\n[[pair]]\nname = "{slug}{ending}"\nrow = "#subgroup-builtin-functions: {row.name}: {told}"\n'
        yield f'enable = ["subgroups"]\naccepted = {json.dumps(accepted)}\nrejected = {json.dumps(rejected)}\n'
        if row.name in AHEAD:
            yield 'tint = {accepted = "invalid", rejected = "invalid"}\n'
            yield f'who = "{row.name} is newer than this Tint."\n'


def shaders() -> Iterator[str]:
    """Where variants may show: the corpus, then what is drawn."""
    yield from (case.text for case in load_cases())
    for seed in range(SEEDS):
        yield from (print_module(draw_module(seed, profile)) for profile in MODULE_PROFILES.values())


def pair_of(variant: Variant, tint: Target) -> str | None:
    """The pair of a variant as TOML, with what Tint says of it; None if no shader shows it by a verdict."""
    level = Level.PROPOSALS if is_proposed(variant) else Level.WGSL

    def answers(texts: Sequence[str]) -> list[Verdict]:
        tint.submit(texts)
        return [answer.verdict for answer in tint.collect()]

    search = Search(level, {}, lambda texts: [verdict in OTHER for verdict in answers(texts)])
    does = variant.does or variant.branch
    deciding = (text for text in shaders() if flips(level, variant, text))
    rows = (search.made(variant, Start((text,), f"15.2 #uniformity: {does}"), text) for text in deciding)
    row = next(filter(None, rows), None)
    if row is None:
        return None
    said = dict(zip(SIDES, answers([row.accepted, row.rejected]), strict=True))
    other = ", ".join(f'{side} = "{verdict}"' for side, verdict in said.items() if verdict is not row.expected(side))
    head = f'\n[[pair]]\nname = "{variant.name.replace("/", "-")}"\nrow = {json.dumps(f"15.2 #uniformity: {does}")}\n'
    texts = "".join(f'{side} = """\n{row.text(side)}"""\n' for side in SIDES)
    who = f"tint = {{{other}}}\nwho = {json.dumps(f'The rules: Tint {does}.')}\n" if other else ""
    return f"{head}plain = true\n{texts}{who}"


def add_pairs_of_variants() -> list[str]:
    """Adds a pair for each variant that no pair shows. The result: those of which no shader was found."""
    living = [v for v in all_variants().values() if not v.equivalent and v.name not in witnesses()]
    living = [v for v in living if not any(killers(v, pairs()))]
    without = []
    with closing(open_target("tint", notify=print, timeout=10.0)) as tint:
        for variant in living:
            text = pair_of(variant, tint)
            if text is None:
                without.append(variant.name)
                continue
            print(variant.name)
            with (pairs_folder() / "mutants.toml").open("a", encoding="utf-8") as file:
                file.write(text)
    return without


def main() -> None:
    """Adds the pairs."""
    named = {word for pair in load() for word in re.findall(r"\w+", pair.accepted + pair.rejected)}
    for row in FUNCTIONS.values():
        if row.rule is Rule.SUBGROUP and row.name not in named:
            with FILE.open("a", encoding="utf-8") as file:
                file.writelines(written(row))
            print(row.name)
    load.cache_clear()
    if without := add_pairs_of_variants():
        sys.exit(f"no shader shows, so write a pair yourself: {', '.join(without)}")


if __name__ == "__main__":
    main()
