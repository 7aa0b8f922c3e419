"""Completes a saved finding on a text that no reference judges: the smallest text on which the targets still differ."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from wgsl_fuzz.fuzz.campaign.minimisation import Effort, HurryUp, Minimisation, PendingFinding, shared_minimisation
from wgsl_fuzz.fuzz.cases.unread import UnreadCase
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, NearestRecord
from wgsl_fuzz.fuzz.judging.differences import still_differs
from wgsl_fuzz.fuzz.judging.judge import Disagreement, Kind
from wgsl_fuzz.fuzz.reduction.text import reduce_text
from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.printer import print_module

_SAYING = frozenset({Verdict.ACCEPTS, Verdict.REJECTS, Verdict.INVALID})
"""The verdicts of targets that take part in a difference."""


class TextMinimiser:
    """Completes findings on texts, with targets of its own to ask."""

    def __init__(self, targets: Mapping[str, Target]) -> None:
        self._effort = Effort(targets)

    def complete(self, item: PendingFinding, hurry: HurryUp) -> Minimisation:
        """Reduces a finding to a text that shows the same difference: as a module if it is one, else as text."""
        self._effort.begin()
        before = self._taking_part(item)

        def give_up() -> bool:
            return hurry() or self._effort.spent

        def shows(text: str) -> bool:
            return still_differs(before, self._asked(before, text), item.found)

        files, nearest, text = dict[str, str](), None, item.case.text
        module = read(text)
        if module is not None and shows(print_module(module.module)):
            reduction = reduce(module, lambda smaller: shows(print_module(smaller.module)), give_up=give_up)
            text = reduction.text
            if reduction.nearest is not None:
                files[NEAREST], nearest = reduction.nearest, NearestRecord(reduction.differs)
        elif shows(text):
            text = reduce_text(text, shows, give_up=give_up)
        shown = replace(item.found, answer=self._effort.ask(item.found.target, text))
        assert isinstance(item.case, UnreadCase), "what a reference judges has a minimiser of its own"
        verdicts = {shown.target: shown.answer.verdict.value}
        return Minimisation(replace(item.case, text=text), shown, files | {REDUCED: text}, verdicts, nearest=nearest)

    def shared(self, item: PendingFinding, done: Minimisation) -> Minimisation | None:
        """The finding of another target on the text that `done` reached, if that shows it, too."""
        self._effort.begin()
        before, text = self._taking_part(item), done.case.text
        if not still_differs(before, self._asked(before, text), item.found):
            return None
        shown: Disagreement = replace(item.found, answer=self._effort.ask(item.found.target, text))
        return shared_minimisation(item, done, shown, self._effort.is_near_miss(done, shown))

    def _taking_part(self, item: PendingFinding) -> dict[str, Answer]:
        """What those targets say of the text that take part in a finding; its own target comes first."""
        own = item.found.target
        others = [name for name in self._effort.targets if name != own and item.found.kind is Kind.TARGETS_DIFFER]
        said = {name: self._effort.ask(name, item.case.text) for name in (own, *others)}
        return {name: answer for name, answer in said.items() if name == own or answer.verdict in _SAYING}

    def _asked(self, before: Mapping[str, Answer], text: str) -> Iterator[tuple[str, Answer]]:
        """Each one's answer, as long as somebody wants to know."""
        for name in before:
            yield name, self._effort.ask(name, text)
