"""Targets that hang: they are asked until their limit is reached, and about no more than a few texts after that."""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.judging.answers import PART, HangLimit, hang_limit_for_files, opened, parts
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.probes import MOST_HANGS, VIOLATIONS, has_analysis
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict

A, T = Verdict.ACCEPTS, Verdict.TIMED_OUT
SAID = st.lists(st.sampled_from([A, A, T]), max_size=40)


class Played:
    """Answers the texts "0", "1", ... as it was told."""

    name = origin = "played"
    checks_uniformity = True

    def __init__(self, said: Sequence[Verdict]) -> None:
        self.said, self.batches, self.asked = said, deque[list[int]](), 0

    def submit(self, texts: Sequence[str]) -> None:
        self.asked += len(texts)
        self.batches.append([int(text) for text in texts])

    def collect(self) -> list[Answer]:
        return [Answer(self.said[i], "no answer within 1 s") for i in self.batches.popleft()]

    def close(self) -> None: ...


def heard(target: Played, hang_limit: HangLimit) -> list[str]:
    """The texts that were answered."""
    done: list[str] = []
    for part in parts([str(i) for i in range(len(target.said))], hang_limit):
        target.submit(part)
        hang_limit.record(target, part, target.collect())
        done += part
    return done


def patience_of(*, in_a_row: bool, may_hang: Sequence[str] = ()) -> HangLimit:
    return HangLimit(lambda text: f"<{text}>", lambda _, text: f"see {text}", in_a_row=in_a_row, may_hang=may_hang)


def row_of_hangs(said: Sequence[Verdict]) -> int:
    most = now = 0
    for one in said:
        now = now + 1 if one is T else 0
        most = max(most, now)
    return most


@given(SAID, st.booleans())
def test_asking_ends_if_and_only_if_a_target_hangs_too_often(said: list[Verdict], in_a_row: bool) -> None:
    target, hang_limit = Played(said), patience_of(in_a_row=in_a_row)
    hangs: Callable[[list[Verdict]], int] = row_of_hangs if in_a_row else lambda part: part.count(T)
    if hangs(said) < MOST_HANGS:
        assert heard(target, hang_limit) == [str(i) for i in range(len(said))]
        return
    with pytest.raises(TargetError, match=r"^played hangs on <.*no answer within 1 s.*see \d+$"):
        heard(target, hang_limit)
    last = next(i for i in range(len(said)) if hangs(said[: i + 1]) == MOST_HANGS)
    assert target.asked <= last + PART


@given(SAID)
def test_what_may_hang_does_not_count(said: list[Verdict]) -> None:
    hang_limit = patience_of(in_a_row=True, may_hang=[str(i) for i in range(len(said))])
    assert len(heard(Played(said), hang_limit)) == len(said)


def test_the_files_that_hang_are_named_with_a_command() -> None:
    hang_limit = hang_limit_for_files({str(i): Path(f"my {i}.wgsl") for i in range(MOST_HANGS)})
    with pytest.raises(TargetError, match=r"my 0.wgsl, my 1.wgsl, .*wgsl-fuzz check --oracle played 'my \d.wgsl'$"):
        heard(Played([T] * MOST_HANGS), hang_limit)


@given(st.lists(st.sampled_from([A, T, Verdict.REJECTS]), min_size=len(VIOLATIONS), max_size=len(VIOLATIONS)))
def test_whether_it_has_an_analysis_is_not_asked_for_ever(said: list[Verdict]) -> None:
    asked = 0

    def ask(texts: Sequence[str]) -> list[Answer]:
        nonlocal asked
        asked += len(texts)
        return [Answer(said[VIOLATIONS.index(text)], "late") for text in texts]

    before = said[: said.index(Verdict.REJECTS)] if Verdict.REJECTS in said else said
    if before.count(T) >= MOST_HANGS:
        with pytest.raises(TargetError, match=r"^mine hangs on 3 plain.*late"):
            has_analysis(ask, "mine")
        assert said[:asked].count(T) == MOST_HANGS
    else:
        assert has_analysis(ask, "mine") is (Verdict.REJECTS in said)


# --------------------------------------------- Opening the oracles that commands name: each once, and none is left open


NAMES = {"a": "a", "a@1": "a", "b": "b", "c": "c"}
"""The names given, and those of the targets: `a` and `a@1` are one."""


@given(st.lists(st.sampled_from([*NAMES, "broken"])), st.sampled_from([None, TargetError, KeyError]))
def test_each_target_is_open_once_and_closed_whatever_happens(names: list[str], fails: type[Exception] | None) -> None:
    made: list[FakeTarget] = []

    def open_target(name: str, **_: object) -> FakeTarget:
        if name == "broken":
            raise TargetError("it is broken")
        made.append(FakeTarget(name=NAMES[name]))
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wgsl_fuzz.fuzz.judging.answers.open_target", open_target)
        expected = Problem if "broken" in names or fails is TargetError else fails
        ends = nullcontext() if expected is None else pytest.raises(expected)
        with ends, opened(names, lambda _: None) as specs:
            assert list(specs) == list(dict.fromkeys(names))
            assert all(target.name == NAMES[spec] for spec, target in specs.items())
            is_open = [target.name for target in made if not target.closed]
            assert sorted(is_open) == sorted({NAMES[name] for name in names})
            if fails is not None:
                raise fails("it ended")
    assert all(target.closed for target in made)
