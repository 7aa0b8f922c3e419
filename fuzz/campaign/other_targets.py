"""What all other targets say of a reduced shader: one target alone was asked while it was reduced."""

from collections.abc import Mapping

from wgsl_fuzz.fuzz.campaign.minimisation import TWO_RUNS, Minimisation, ask
from wgsl_fuzz.fuzz.findings.records import RELATED
from wgsl_fuzz.fuzz.judging.sharing import Words, sharing
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer

LONGEST = 1000
"""Characters of the message of another target that are kept."""


class OtherTargets:
    """Completes what reducing gave by the answers of the targets that were not asked; no text is asked about twice."""

    def __init__(self, targets: Mapping[str, Target], without_uniformity: frozenset[str]) -> None:
        self._targets, self._without_uniformity = targets, without_uniformity
        self._answers: dict[tuple[str, str], Answer] = {}

    def complete(self, done: Minimisation) -> None:
        """Notes every target's verdict, who shares the finding, and what the others say."""
        own = done.found.target
        if done.verdicts is None:  # nothing was reached
            return
        self._know(own, done)
        texts = [done.case.text] + [done.files[name] for name in (RELATED,) if name in done.files]
        others = {name: [self._said(name, text) for text in texts] for name in self._targets if name != own}
        if not others:
            return
        words = {name: tuple(answer.verdict.value for answer in answers) for name, answers in others.items()}
        done.verdicts = done.verdicts | {name: said[0] for name, said in words.items()}
        if len(texts) > 1:
            done.related_verdicts = (done.related_verdicts or {}) | {name: said[1] for name, said in words.items()}
        if done.found.cause != TWO_RUNS:
            done.shared = sharing(own, words | {own: self._own(done, len(texts))}, self._without_uniformity)
        done.messages = {name: said[0].message[:LONGEST] for name, said in others.items() if said[0].message}

    @staticmethod
    def _own(done: Minimisation, texts: int) -> Words:
        """What the finding's own target says."""
        own, related = done.found.target, done.related_verdicts or {}
        return ((done.verdicts or {}).get(own), related.get(own))[:texts]

    def _know(self, own: str, done: Minimisation) -> None:
        """Keeps an answer that was given already: to the finding of another target it is one of the others."""
        if RELATED not in done.files:
            self._answers[own, done.case.text] = done.found.answer

    def _said(self, name: str, text: str) -> Answer:
        if (name, text) not in self._answers:
            self._answers[name, text] = ask(self._targets[name], text)
        return self._answers[name, text]
