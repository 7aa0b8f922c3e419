"""How sure it is that what the reference accepts converges: one count for all that shows a run, and one wording.

A run without a finding says little if the semantics proved nothing.
"""

from collections.abc import Mapping

from wgsl_fuzz.oracle.verdict import Outcome, Verdict

ACCEPTED, NOT_RUN = "accepted", "not run"
WORDS = {
    Outcome.CONVERGES: "proven",
    Outcome.NOT_SEEN: "sampled",
    Outcome.OUT_OF_STEPS: "out of steps",
    Outcome.DIVERGES: "diverging",
}
"""What an accepted shader is, by what the semantics says of it (docs/words.md)."""


def soundness_of(reference: Mapping[Verdict, int], semantics: Mapping[Outcome, int]) -> dict[str, int]:
    """How many shaders the reference accepts, and how many of these are what; from the two counts of a run.

    The others add up to `accepted`, unless a run was killed between two writes.
    """
    accepted = reference.get(Verdict.ACCEPTS, 0)
    counts = {word: semantics.get(outcome, 0) for outcome, word in WORDS.items()}
    return {ACCEPTED: accepted, **counts, NOT_RUN: max(0, accepted - sum(counts.values()))}


def soundness_line(counts: Mapping[str, int]) -> str:
    """`accepted by the reference: 948; 0 proven to converge, 769 sampled without a divergence, ...`."""
    more = {"proven": " to converge", "sampled": " without a divergence"}
    shown = {word: n for word, n in counts.items() if word != ACCEPTED and (n or word != WORDS[Outcome.DIVERGES])}
    parts = ", ".join(f"{n:,} {word}{more.get(word, '')}" for word, n in shown.items())
    return f"accepted by the reference: {counts[ACCEPTED]:,}; {parts}"
