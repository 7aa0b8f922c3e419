"""The catalogue of what families hold: `docs/catalogue.json` and the sentence about it are what the families give."""

import orjson
import pytest

from tools import catalogue as c
from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cli.certify import size_within
from wgsl_fuzz.strategies.enumerate.families import ALL_FAMILIES

SAID = orjson.loads(c.FILE.read_bytes())
SAMPLE = 12
"""Members of a family that are looked at for what none may hold."""


@pytest.fixture(scope="module")
def held() -> set[c.Group]:
    """What the witnesses hold together."""
    found = set[c.Group]()
    for name, numbers in SAID["witnesses"].items():
        members = ShaderSequence([ALL_FAMILIES[name]], size_within(ALL_FAMILIES[name], c.MOST))
        found.update(*(c.groups_of(members.case(number).resolution) for number in numbers))
    return found


def test_the_witnesses_hold_what_the_file_says(held: set[c.Group]) -> None:
    """`python tools/catalogue.py` writes it again."""
    assert orjson.loads(orjson.dumps(c.catalogue(SAID["witnesses"], held))) == SAID


def test_every_construct_is_in_some_family(held: set[c.Group]) -> None:
    assert {name for pair in held if len(pair) == 2 for name in pair} == set(c.CONSTRUCTS)


@pytest.mark.parametrize("name", ALL_FAMILIES)
def test_no_member_holds_what_is_missing(name: str, held: set[c.Group]) -> None:
    members = ShaderSequence([ALL_FAMILIES[name]], size_within(ALL_FAMILIES[name], c.MOST))
    for i in range(SAMPLE):
        assert c.groups_of(members.case(members.count * i // SAMPLE).resolution) <= held


def test_a_triple_touches_one_variable() -> None:
    text = """
    @compute @workgroup_size(2) fn main() {
      var a = 0u;
      var b = 0u;
      loop { if a == 0u { break; } b = 1u; }
    }
    """
    groups = c.groups_of(read_case(text).resolution)
    assert ("break", "=") in groups
    assert {group for group in groups if len(group) == 3} == {("var", "if", "loop"), ("var", "=", "loop")}
