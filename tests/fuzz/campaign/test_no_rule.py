"""A compiler that is wrong in a way that is no rule at all is one bucket, whose title names it."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fuzz.conftest import ran
from tests.fuzz.fakes import FakeTarget, Reader
from tests.fuzz.runs import MadeUp, store
from wgsl_fuzz.fuzz.cases.case import read_module
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.judging.kinds import NO_RULE, UNEXPLAINED, Kind
from wgsl_fuzz.fuzz.present.export import export
from wgsl_fuzz.fuzz.present.report.words import meaning_of
from wgsl_fuzz.fuzz.present.triage_text import cause
from wgsl_fuzz.fuzz.reduction.beside import beside, least_beside, never_right, words_of
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.fuzz.triage.triage import Triage
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2, all_variants
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolve import resolve

STAGE = re.compile("@compute|@fragment|@vertex")
NAMED = re.compile(r"\b(?:var(?:<[^>]*>)?|let|fn|const|override|alias|struct) +(\w+)")
ODD: dict[str, tuple[Callable[[str], object], Verdict, str]] = {
    "switch": (lambda text: "switch" in text, Verdict.ACCEPTS, "`fn a() { switch 0u { default { } } }`"),
    "while": (lambda text: "while" in text, Verdict.REJECTS, "`fn a() { while true { } }`"),
    "f32": (lambda text: re.search(r"\bf32\b", text), Verdict.ACCEPTS, "`f32`"),
    "f16": (lambda text: re.search(r"\bf16\b", text), Verdict.ACCEPTS, "`enable f16;`"),
    "lines": (lambda text: text.count("\n") > 30, Verdict.ACCEPTS, "24 empty lines"),
    "strict lines": (lambda text: text.count("\n") > 30, Verdict.REJECTS, "31 empty lines"),
    "length": (lambda text: len("".join(text.split())) > 700, Verdict.ACCEPTS, "38 lines `const_assert true;`"),
    "a name": (lambda text: any("x" in name for name in NAMED.findall(text)), Verdict.ACCEPTS, "`const x = 0u;`"),
    "struct": (lambda text: "struct " in text, Verdict.ACCEPTS, "`struct a { a: u32, }`"),
    "unequal": (lambda text: "!=" in text, Verdict.ACCEPTS, "!="),
    "atomic": (lambda text: "atomic" in text, Verdict.ACCEPTS, "atomic<u32>"),
    "an address": (lambda text: "&" in text, Verdict.ACCEPTS, "`&`"),
    "switch and for": (
        lambda text: "switch" in text and "for (" in text,
        Verdict.ACCEPTS,
        "beside `for` together with `switch`",
    ),
    "loop": (lambda text: "loop {" in text, Verdict.REJECTS, "`fn a() { loop { break; } }`"),
}
"""What the compiler sees in a text, what it then answers, and what the title has to say."""
FEW, RARE = 24, {"f16": 400}
"""So many shaders are drawn: few, but of what is in few of them more."""
QUICK = ("switch", "while", "lines", "a name", "unequal", "an address")


@pytest.mark.parametrize("name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in ODD])
def test_what_is_no_rule_is_one_bucket_and_named(tmp_path: Path, name: str) -> None:
    sees, answer, words = ODD[name]
    target = Reader(lambda text: Answer(answer) if sees(text) else None)
    ran(tmp_path / "run", [target], Plan(3, language="all"), RARE.get(name, FEW))
    (bucket,) = Triage.of(load_run(tmp_path / "run")).buckets
    assert replace(bucket.key.cause, left=()) == NO_RULE, bucket.name
    assert words in cause(bucket)


IN_FOR, IN_SWITCH, BEHIND, IN_CASE = (
    "fn a() { for (; true;) { switch 0u { default { } } } }\n",
    "fn a() { switch 0u { default { for (; true;) { } } } }\n",
    "fn a() { for (; true;) { } switch 0u { default { } } }\n",
    "fn a() { switch 0u { case default { for (; true;) { } } } }\n",
)
BOTH = ["default for", "for switch"]
WHILE, NOT = ("fn a() { while true { } _ = 1f; }\n", "fn a() { while false { } _ = 1f; }\n")


@pytest.mark.parametrize(
    ("found", "named"),
    [
        ([(IN_FOR, BOTH), (IN_SWITCH, BOTH), (BEHIND, BOTH), (IN_CASE, [*BOTH, "case for"])], {("`for`", "`switch`")}),
        ([(IN_FOR, BOTH), (IN_SWITCH, ["switch"])], {("`for`", "`switch`")}),  # it was right with the word elsewhere
        ([(IN_FOR, ["switch"]), (IN_SWITCH, ["switch"])], {("`switch`",)}),  # it never was
        ([(IN_FOR, BOTH), (BEHIND, ["default for"])], {("`default`", "`for`")}),  # it was right with the others
        ([(IN_FOR, []), (IN_SWITCH, BOTH)], {(f"`{IN_FOR.strip()}`",), (f"`{IN_SWITCH.strip()}`",)}),
        (
            [(IN_FOR, BOTH), (IN_SWITCH, BOTH), (WHILE, ["1f while"]), (NOT, ["1f while"])],
            {("`for`", "`switch`"), ("`1f`", "`while`")},
        ),
    ],
)
def test_two_words_name_what_none_does_alone(
    tmp_path: Path, found: list[tuple[str, list[str]]], named: set[tuple[str, ...]]
) -> None:
    made = [
        MadeUp(
            text,
            kind=Kind.TOO_LENIENT,
            cause=NO_RULE,
            more={"beside": text, "words": words, "left": [f"`{text.strip()}`"]},
        )
        for text, words in found
    ]
    buckets = Triage.of(store(tmp_path / "run", made)).buckets
    assert {bucket.key.cause.left for bucket in buckets} == named
    assert len(buckets) == len(named)


def test_what_no_right_text_has_is_kept_with_pairs_of_what_some_has() -> None:
    right = [words_of("fn a() { for (; true;) { } }"), words_of("fn a() { _ = true; switch 0u { default { } } }")]
    assert never_right(IN_CASE, right) == ("case", "default for", "for switch")
    assert never_right(IN_CASE, [*right, words_of(IN_CASE)]) == ()


def test_what_diverges_as_drawn_stays_unsound(tmp_path: Path) -> None:
    target = Reader(lambda text: Answer(Verdict.ACCEPTS) if "loop {" in text else None)
    ran(tmp_path / "run", [target], Plan(3, language="tiny"), 80)
    (bucket,) = Triage.of(load_run(tmp_path / "run")).buckets
    assert bucket.kind is Kind.UNSOUND
    assert "As drawn, a shader diverges" in meaning_of(bucket)
    drawn = bucket.findings[0].files["drawn.wgsl"]
    assert f"as it was drawn: it diverges\n\n```wgsl\n{drawn.rstrip()}\n```" in export(bucket, "markdown")
    assert {found.record.first.bucket.kind for found in bucket.findings if found.record.first.bucket} >= {Kind.UNSOUND}
    merge([tmp_path / "run"], tmp_path / "all")
    (merged,) = Triage.of(load_run(tmp_path / "all")).buckets
    assert (merged.name, merged.count) == (bucket.name, bucket.count), "what was only counted goes with what was saved"


GIVEN = """enable f16;
@fragment fn main(@location(0) x: f32) {
    let half = 1h % 2h;
    if (x > 0.0) { _ = dpdx(x); }
}
"""


@pytest.mark.parametrize(
    ("sees", "least"),
    [
        (lambda text: "f16" in text, "enable f16;"),
        (lambda text: len(STAGE.findall(text)) > 0, "@compute @workgroup_size(1) fn a() { }"),
        (lambda text: " % " in text, "_ = 0h % 2h;"),
        (lambda text: "if" in text, None),  # the plain violation has one: it says nothing
    ],
)
def test_what_campaigns_never_draw_is_named_as_well(sees: Callable[[str], bool], least: str | None) -> None:
    tree = resolve(parse(GIVEN))

    def wrong(text: str) -> bool:
        return sees(beside(text, Verdict.ACCEPTS))

    found = least_beside(tree, GIVEN, wrong, Verdict.ACCEPTS, lambda: False)
    assert found is None if least is None else found is not None and least in found


# ---------------------------------------------------------------------------------------- modules of the whole language


FAULT = all_variants()["if/condition/dropped"]
"""A target's that no departure explains: what guards a branch does not count."""


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finding, ...]:
    """Those of a campaign against a target that never takes what a branch decides into account."""
    out = tmp_path_factory.mktemp("module-campaign") / "run"
    ran(out, [FakeTarget(FAULT.rules)], Plan(5, language="compute"), 8)
    return load_run(out).findings


def test_what_is_found_is_reduced_and_keeps_its_verdicts(findings: tuple[Finding, ...]) -> None:
    assert findings
    for found in findings:
        assert found.record.reference == SECTION_15_2
        assert found.kind in (Kind.TOO_LENIENT, Kind.UNSOUND)
        least = read_module(found.text)
        assert least.verdict is Verdict.REJECTS
        assert least.verdict_under(FAULT.rules) is Verdict.ACCEPTS
        assert found.record.statements.reduced == (least.statements or 0) <= (found.record.statements.drawn or 0)
    assert min(found.record.statements.reduced or 99 for found in findings) <= 6


def test_what_no_departure_explains_is_explained_by_an_arm(findings: tuple[Finding, ...]) -> None:
    assert UNEXPLAINED in {found.record.cause for found in findings}  # others may fit by coincidence
    unexplained = [found for found in findings if found.record.cause == UNEXPLAINED]
    assert all(FAULT.name in (found.record.branches or ()) for found in unexplained)
    triage = Triage.of(load_run(findings[0].folder.parent.parent))
    assert triage.total >= len(findings)
    assert any(bucket.branch for bucket in triage.buckets)
