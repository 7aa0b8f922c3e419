"""Pairs of the built-in functions that no pair names yet: `python -m tools.new_pairs` adds them to a file.

They follow from the row: one for each of its tags. What needs variables, or is no function of subgroups, you write.
"""

import json
import re
from collections.abc import Iterator

from tests.wgsl.current_tint import AHEAD
from wgsl_fuzz.fuzz.cases.pairs import load, pairs_folder
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, BuiltinFunction, Rule, Scope

FILE = pairs_folder() / "builtins-subgroup.toml"
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


def main() -> None:
    """Adds the pairs."""
    named = {word for pair in load() for word in re.findall(r"\w+", pair.accepted + pair.rejected)}
    for row in FUNCTIONS.values():
        if row.rule is Rule.SUBGROUP and row.name not in named:
            with FILE.open("a", encoding="utf-8") as file:
                file.writelines(written(row))
            print(row.name)


if __name__ == "__main__":
    main()
