"""Opening the oracles that commands name: each once, and none is left open."""

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.fakes import FakeTarget
from wgsl_fuzz.fuzz.judging.answers import opened
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.protocol import TargetError

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
