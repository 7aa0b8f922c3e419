"""Trying a target: whatever verdict it gives to all, there is something to say, and one that hangs is soon left."""

import pytest

from wgsl_fuzz.oracle.targets.probes import MOST_HANGS
from wgsl_fuzz.oracle.targets.protocol import InProcess, TargetError
from wgsl_fuzz.oracle.targets.trial import QUESTIONS, doubts, notes, tried
from wgsl_fuzz.oracle.verdict import Answer, Verdict


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
