"""docs/specification-notes.md names every variant of the letter and of history, and its shaders have its verdicts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.wgsl.current_tint import ask_tint
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.rules.uniformity.variants.history import HISTORY
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import LETTER_VARIANTS
from wgsl_fuzz.wgsl.resolve import read

PAGE = (Path(__file__).resolve().parent.parent / "docs/specification-notes.md").read_text(encoding="utf-8")
VARIANTS = {v.name: v for v in (*LETTER_VARIANTS, *HISTORY)}
_BLOCK = re.compile(r"^```wgsl\n(.*?)^```$", re.M | re.S)
_SHADER = re.compile(
    r"^(?:By the letter|Before)(?:, with note (\d+) as well,)? \*(\w+)\*, (?:as meant|now) \*(\w+)\*"
    r"(?:, Tint \*(\w+)\*)?:\n\n```wgsl\n(.*?)^```$",
    re.M | re.S,
)
_VARIANT = re.compile(r"Variant: `([^`]+)`")
COMPUTE: str
FRAGMENT: str
COMPUTE, FRAGMENT = _BLOCK.findall(PAGE)[:2]


@dataclass(frozen=True, slots=True)
class Shown:
    """A shader of the page, with the variant that stands before it and what is said of it."""

    variant: str
    other: str
    """The variant of another note that is needed as well, or none."""
    text: str
    changed: str
    meant: str
    tint: str


def shown() -> Iterator[Shown]:
    variants = [(found.start(), found[1]) for found in _VARIANT.finditer(PAGE)]
    for found in _SHADER.finditer(PAGE):
        _, variant = max(place for place in variants if place[0] < found.start())
        note, changed, meant, tint, text = found.groups()
        other = next(name for at, name in variants if at > PAGE.index(f"## {note}. ")) if note else ""
        yield Shown(variant, other, module(text), changed, meant, tint or meant)


def module(text: str) -> str:
    """A shader in its frame; one with an entry point has only the variables added."""
    enable, _, rest = text.rpartition("enable subgroups;\n")
    enable += "enable subgroups;\n" if "enable" in text else ""
    above, _, body = rest.rpartition("---\n")
    if "fn main" in body:
        return enable + COMPUTE.partition("@compute")[0] + body
    frame = FRAGMENT if "dpdx" in body else COMPUTE
    return enable + frame.replace("BODY", body) + above


SHOWN = list(shown())
IDS = [f"{one.variant}-{i}" for i, one in enumerate(SHOWN)]


def test_every_variant_is_named_once() -> None:
    assert sorted(_VARIANT.findall(PAGE)) == sorted(VARIANTS)


def test_every_variant_is_shown() -> None:
    assert {one.variant for one in SHOWN} == set(VARIANTS)
    assert len(SHOWN) == len(_BLOCK.findall(PAGE)) - 2


@pytest.mark.parametrize("one", SHOWN, ids=IDS)
def test_a_shader_has_the_two_verdicts_beside_it(one: Shown) -> None:
    resolution = read(one.text)
    assert one.changed != one.meant
    assert analyse_wgsl(resolution, UNCHANGED).verdict.value == one.meant
    assert (
        analyse_wgsl(resolution, Rules(VARIANTS[name] for name in (one.variant, one.other) if name)).verdict.value
        == one.changed
    )


def test_the_current_tint_answers_as_the_page_says() -> None:
    answers = ask_tint([one.text for one in SHOWN])
    assert [
        (one.variant, a.verdict.value, a.message) for one, a in zip(SHOWN, answers) if a.verdict.value != one.tint
    ] == []
