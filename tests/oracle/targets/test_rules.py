"""Our own analyses as targets."""

import pytest

from wgsl_fuzz.oracle.rules.analyses import ANALYSES, is_named, rules_named
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, WGSL_RULE_SETS, all_variants
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.families.rules import reads_modules
from wgsl_fuzz.oracle.targets.probes import MOST_HANGS
from wgsl_fuzz.oracle.targets.protocol import InProcess, TargetError
from wgsl_fuzz.oracle.targets.trial import QUESTIONS, doubts, notes, tried
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader


@pytest.mark.parametrize("name", ANALYSES)
def test_a_rule_set_answers_as_its_analysis(name: str) -> None:
    target = open_target(f"rules:{name}")
    shaders = [draw_shader(seed) for seed in range(100)]
    for batch in (shaders[:50], shaders[50:]):
        target.submit([print_shader(shader) for shader in batch])
    answers = [*target.collect(), *target.collect()]
    assert [a.verdict for a in answers] == [ANALYSES[name](shader) for shader in shaders]
    assert target.name == f"rules:{name}"
    target.close()


def test_what_is_not_tinywgsl_is_unsupported_and_why_is_said() -> None:
    target = open_target("rules:paper")
    head = "@compute @workgroup_size(1) fn main() { "
    target.submit([head, head + "var x = 1.0; }", head + "loop { } }"])
    assert [(a.verdict, a.message.rpartition(": ")[2]) for a in target.collect()] == [
        (Verdict.INVALID, "expected a statement or '}', found the end of the text"),
        (Verdict.UNSUPPORTED, "floating point is outside TinyWGSL"),
        (Verdict.UNSUPPORTED, "a loop that cannot be left (wgsl)"),
    ]


@pytest.mark.parametrize("spec", ["rules:none", "rules", "rules@paper"])
def test_unknown_rule_sets_are_refused(spec: str) -> None:
    with pytest.raises(TargetError, match="known: paper"):
        open_target(spec)


# ------------------------------------------------------------------------------------------------------------- variants

SOME_WHOLE = (
    "if/then/from-start",
    "while/condition/dropped",
    "letter/index-of-value-first",
    "B/while/condition-never-breaks",
)
BRANCHING = """
@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if lid == 0u { workgroupBarrier(); }
}
"""


@pytest.mark.parametrize("name", SOME_WHOLE)
def test_a_variant_of_the_whole_language_reads_all_of_it(name: str) -> None:
    target = open_target(f"rules:{name}")
    target.submit([BRANCHING])
    assert target.collect()[0].verdict is (Verdict.ACCEPTS if name == "if/then/from-start" else Verdict.REJECTS)
    assert rules_named(name) == all_variants()[name].rules
    assert reads_modules(f"rules:{name}")


def test_no_name_of_a_variant_means_two_things() -> None:
    names = [*ANALYSES, *WGSL_RULE_SETS, *ALIASES, *all_variants()]
    assert len(names) == len({*names})
    assert all(is_named(name) for name in names)


@pytest.mark.parametrize(
    ("misspelt", "offered"),
    [
        ("tint/full-swizzle", "tint/full-swizzles"),
        ("if/then/from-strat", "if/then/from-start"),
        ("without-10e", "without-10"),
        ("/joins-at-", "before-2025-12-01/joins-at-continuing or before-2025-12-01/joins-at-exit"),
    ],
)
def test_a_misspelt_variant_is_offered_a_name(misspelt: str, offered: str) -> None:
    with pytest.raises(TargetError, match=f"did you mean {offered}"):
        open_target(f"rules:{misspelt}")


@pytest.mark.parametrize("said", Verdict, ids=[verdict.value for verdict in Verdict])
def test_who_says_the_same_of_everything(said: Verdict) -> None:
    asked: list[str] = []

    def answer(text: str) -> Answer:
        asked.append(text)
        return Answer(said, "why")

    target = InProcess("rules:made", "made", answer)
    if said is Verdict.TIMED_OUT:
        with pytest.raises(TargetError, match=r"^rules:made hangs on a plain valid shader, .* \(why\)"):
            tried(target)
        assert len(asked) == MOST_HANGS
        return
    results = tried(target)
    assert len(asked) == 2 * len(QUESTIONS)
    (doubt,) = doubts(results)
    assert doubt.startswith(f"Every answer is {said.value}: ")
    assert isinstance(notes(results), list)
