"""`targets rules`: what `rules:NAME` can name."""

from functools import partial

import orjson

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.oracle.rules.analyses import BUILT_IN, is_named
from wgsl_fuzz.oracle.rules.in_words import description
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, named_variants

listed = partial(wgsl_fuzz, "targets", "rules")


def test_a_part_lists_the_variants_that_have_it() -> None:
    lines = listed("if/then/").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [name for name in named_variants() if "if/then/" in name]
    assert all(line.endswith(description(line.split()[0])) for line in lines)
    assert all("; the specification's rule for `if`: then has “" in line for line in lines)
    lines = listed("without-10").stdout.splitlines()
    assert {line.split()[0] for line in lines} == {name for name in ALIASES if name.startswith("without-")}


def test_json_names_everything_that_can_be_a_target() -> None:
    said = [orjson.loads(line) for line in listed("--format", "json").stdout.splitlines()]
    assert all(is_named(one["name"]) for one in said)
    assert {one["name"] for one in said} == {*BUILT_IN, *named_variants()}
