"""Language features: a probe for each, and what is written with one that a compiler lacks is unsupported."""

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.oracle.targets.features import PROBES, used, with_features
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID
from wgsl_fuzz.oracle.targets.protocol import InProcess, own_names
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.builtins import LANGUAGE_FEATURES

DIRECTIVES = ("enable f16;", "requires buffer_view;")
FEATURES = (*PROBES, *DIRECTIVES)
REPEATED = "var<workgroup> a: u32; var<workgroup> a: u32;\n" + VALID
"""Refused by every compiler."""


class Older(InProcess):
    """A compiler that lacks some features; it also refuses what it knows, if that has a comment `// no`."""

    def __init__(self, lacked: Collection[str]) -> None:
        super().__init__("older@1", "a fake", self._said)
        self.asked: list[str] = []
        self._lacked = lacked

    def submit(self, texts: Sequence[str]) -> None:
        self.asked += texts
        super().submit(texts)

    def _said(self, text: str) -> Answer:
        if used(text) & {*self._lacked} or text in (BROKEN, REPEATED) or "// no" in text:
            return Answer(Verdict.INVALID, "error: unknown")
        return Answer(read_case(text).verdict)


def with_feature(name: str) -> str:
    return PROBES.get(name, name + "\n") + VALID


@pytest.mark.parametrize("name", FEATURES)
def test_the_reference_accepts_a_probe_that_needs_the_feature(name: str) -> None:
    assert name in LANGUAGE_FEATURES or name in DIRECTIVES
    case = read_case(with_feature(name))
    assert (case.problem, case.verdict) == ("", Verdict.ACCEPTS)
    assert name in used(with_feature(name))
    assert {one for one in used(with_feature(name)) if not one.startswith("enable ")} <= {name}
    assert used(VALID) == used(NON_UNIFORM) == used(BROKEN) == frozenset()


@given(st.sets(st.sampled_from(FEATURES)), st.lists(st.lists(st.sampled_from(FEATURES), max_size=3), max_size=4))
def test_only_what_needs_a_lacked_feature_is_unsupported(lacked: set[str], batches: list[list[str]]) -> None:
    older = Older(lacked)
    target = with_features(older)
    texts = [[VALID, BROKEN, REPEATED, *map(with_feature, names)] for names in batches]
    for batch in texts:  # all are in flight when the first is answered
        target.submit(batch)
    for names in batches:
        verdicts = [answer.verdict for answer in target.collect()]
        assert verdicts[:3] == [Verdict.ACCEPTS, Verdict.INVALID, Verdict.INVALID]
        for name, verdict in zip(names, verdicts[3:], strict=True):
            lacks = bool(used(with_feature(name)) & lacked)
            assert verdict is (Verdict.UNSUPPORTED if lacks else Verdict.ACCEPTS)
    probes = older.asked[sum(map(len, texts)) :]
    assert len(probes) == len({*probes})  # one each


def test_another_fault_in_what_is_known_stays_invalid_and_a_refusal_names_what_is_lacked() -> None:
    target = with_features(Older({"swizzle_assignment"}))
    target.submit([with_feature("linear_indexing") + "// no", with_feature("swizzle_assignment")])
    known, lacked = target.collect()
    assert known == Answer(Verdict.INVALID, "error: unknown")
    assert lacked == Answer(Verdict.UNSUPPORTED, "it lacks swizzle_assignment: error: unknown")
    assert (target.name, own_names([target])) == ("older@1", {})
