"""The smallest modules of WGSL on which two rule sets of the whole language disagree.

Differences are grouped by the variants that decide: one, if changing it alone changes the verdict; else all of a set
from which none can be spared. What two rule sets differ in may decide nothing because they differ in more: such a
variant is shown by what it does to the one of the two that is without it.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import islice

from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.fuzz.reduction.size import size
from wgsl_fuzz.fuzz.regression.module_texts import Text, drawn_texts, enumerated_texts, known_texts
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import judge_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution

Verdicts = tuple[Verdict, Verdict]
Order = tuple[int, tuple[int, int], str]
BATCH = 500
"""So many texts are compared before the best of each new group is reduced."""


class Decides(IntEnum):
    """How far variants decide, the clearest first."""

    ALONE = 0
    """Changed in either rule set, they lead to the verdict of the other: whatever else differs does not matter."""
    ENOUGH = 1
    """Added to the rule set without them, they do; something else that differs would do as well."""
    NEEDED = 2
    """Taken from the rule set with them, they do; but they are not enough without something else that differs."""
    HIDDEN = 3
    """They change the verdict of the rule set without them, but the other one gives that verdict, too."""


@dataclass(frozen=True, slots=True)
class Side:
    """A rule set by name, maybe with one more variant."""

    name: str
    rules: Rules


@dataclass(frozen=True, slots=True)
class ModuleDifference:
    """A smallest module on which the rule sets disagree, and the variants that decide it."""

    variants: Rules
    how: Decides
    sides: tuple[Side, Side]
    """The two rule sets; of a hidden difference the one without the variant, and that one with it."""
    resolution: Resolution
    verdicts: Verdicts
    origin: str

    @property
    def decides(self) -> str:
        """The names of the variants."""
        return " + ".join(self.variants.names)

    @property
    def text(self) -> str:
        """As the printer writes it."""
        return print_module(self.resolution.module)

    @property
    def source(self) -> Source:
        """That text, with its lines."""
        return Source(self.text)

    @property
    def read(self) -> Resolution:
        """The text, read again: with the places of what stands in it."""
        found = read(self.text)
        assert found is not None, "it was valid before it was printed"
        return found

    @property
    def order(self) -> Order:
        """The clearest and smallest first."""
        return self.how, size(self.resolution.module), self.decides


Best = dict[Rules, ModuleDifference]
"""The best difference of each group."""


class ModuleDiffer:
    """Compares two rule sets that have names; `found` keeps the smallest module of each group."""

    def __init__(self, one: str, other: str, base: Rules, goal: Rules) -> None:
        self.one, self.other, self.base, self.goal = one, other, base, goal
        self.found: Best = {}
        self._tried: dict[Rules, Order] = {}
        """Of each group, how what its difference was reduced from compares."""

    @property
    def differs(self) -> bool:
        """Whether there is a module on which the two rule sets themselves disagree."""
        return any(one.how is not Decides.HIDDEN for one in self.found.values())

    def deciding(self, resolution: Resolution, verdicts: Verdicts) -> Mapping[Rules, Decides]:
        """What decides a difference: the single changes that do so in the clearest way, or else a set of changes."""
        judged = {v.rules: self._how(resolution, v.rules, verdicts) for v in self.base ^ self.goal}
        found = {rules: how for rules, how in judged.items() if how is not None}
        best = min(found.values(), default=None)
        if best is None:
            return {self.together(resolution, verdicts): Decides.ENOUGH}
        return {rules: how for rules, how in found.items() if how is best}

    def _how(self, resolution: Resolution, change: Rules, verdicts: Verdicts) -> Decides | None:
        """How a single change decides a difference, if it does."""
        from_base = _verdict(resolution, Rules(self.base ^ change)) is verdicts[1]
        from_goal = _verdict(resolution, Rules(self.goal ^ change)) is verdicts[0]
        added, taken = (from_goal, from_base) if change <= self.base else (from_base, from_goal)
        if added and taken:
            return Decides.ALONE
        return Decides.ENOUGH if added else Decides.NEEDED if taken else None

    def together(self, resolution: Resolution, verdicts: Verdicts) -> Rules:
        """Changes that decide together, and none of which can be spared."""
        kept = Rules(self.base ^ self.goal)
        rules, verdict = (self.base, verdicts[1]) if len(self.base) <= len(self.goal) else (self.goal, verdicts[0])
        for v in sorted(kept, key=lambda v: v.name):
            fewer = Rules(kept - {v})
            if _verdict(resolution, Rules(rules ^ fewer)) is verdict:
                kept = fewer
        return kept

    # --------------------------------------------------------------------------------------------------------- search

    def known(self, deadline: float) -> tuple[int, bool]:
        """Tries every text that ships with the project; the number tried, and if all were."""
        return self.try_all(known_texts(), deadline)

    def enumerate(self, most: int, deadline: float) -> Iterator[tuple[int, int]]:
        """Tries every shader of TinyWGSL up to `most` statements; yields each size done, and how many it has."""
        for statements in range(1, most + 1):
            count, all_tried = self.try_all(enumerated_texts(statements), deadline)
            if not all_tried:
                return
            yield statements, count

    def search(self, programs: int, seed: int, deadline: float) -> int:
        """Tries what is drawn; the number tried."""
        return self.try_all(drawn_texts(programs, seed), deadline)[0]

    def try_all(self, texts: Iterable[Text], deadline: float) -> tuple[int, bool]:
        """Tries texts, and reduces the best of what each group has in a batch; how many were tried, and if all."""
        count, remaining = 0, iter(texts)
        if time.monotonic() > deadline:
            return count, False
        while batch := list(islice(remaining, BATCH)):
            best: Best = {}
            agreed: list[tuple[str, Resolution]] = []
            for origin, text in batch:
                if time.monotonic() > deadline:
                    break
                count += 1
                agreed += self._compare(origin, text, best)
            self._reduce(best, deadline)
            self._reduce(self._hidden(agreed, deadline), deadline)
            if time.monotonic() > deadline:
                return count, False
        return count, True

    def _compare(self, origin: str, text: str, best: Best) -> Iterator[tuple[str, Resolution]]:
        """Keeps a difference if it is the best of its group so far; yields what both take for the same."""
        resolution = read(text)
        if resolution is not None:
            sides = Side(self.one, self.base), Side(self.other, self.goal)
            verdicts = differ(resolution, sides)
            if verdicts is None:
                yield origin, resolution
            else:
                for variants, how in self.deciding(resolution, verdicts).items():
                    _keep(best, ModuleDifference(variants, how, sides, resolution, verdicts, origin))

    def _hidden(self, agreed: Iterable[tuple[str, Resolution]], deadline: float) -> Best:
        """Of each change without a group, the best module on which it changes a verdict by itself."""
        best: Best = {}
        missing = [v.rules for v in self.base ^ self.goal if v.rules not in self.found]
        for origin, resolution in agreed:
            for change in missing:
                if time.monotonic() > deadline:
                    return best
                sides = self._with(change)
                verdicts = differ(resolution, sides)
                if verdicts is not None:
                    _keep(best, ModuleDifference(change, Decides.HIDDEN, sides, resolution, verdicts, origin))
        return best

    def _with(self, change: Rules) -> tuple[Side, Side]:
        """The rule set that is without a variant, and the same with it."""
        name, rules = (self.other, self.goal) if change <= self.base else (self.one, self.base)
        return Side(name, rules), Side(f"{name} with {' + '.join(change.names)}", Rules(rules | change))

    def _reduce(self, best: Best, deadline: float) -> None:
        """Reduces what opens a group, or is clearer than what the group has."""
        for variants, one in sorted(best.items(), key=lambda item: item[1].order):
            known = self.found.get(variants)
            if known is None or one.how < known.how or one.order < self._tried[variants]:
                self._tried[variants] = one.order
                smaller = self._reduced(one, deadline)
                if known is None or smaller.order < known.order:
                    self.found[variants] = smaller

    def _reduced(self, one: ModuleDifference, deadline: float) -> ModuleDifference:
        def same(candidate: Resolution) -> bool:
            verdicts = differ(candidate, one.sides)
            if verdicts is None or one.how is Decides.HIDDEN:
                return verdicts is not None
            if len(one.variants) > 1:
                return one.variants in self.deciding(candidate, verdicts)
            return self._how(candidate, one.variants, verdicts) in (one.how, Decides.ALONE)

        small = reduce(one.resolution, same, give_up=lambda: time.monotonic() > deadline).resolution
        verdicts = differ(small, one.sides)
        assert verdicts is not None, "the reduction keeps what it was given"
        return replace(one, resolution=small, verdicts=verdicts)

    def sorted(self) -> list[ModuleDifference]:
        """What was found, the clearest and smallest first."""
        return sorted(self.found.values(), key=lambda difference: difference.order)


def differ(resolution: Resolution, sides: tuple[Side, Side]) -> Verdicts | None:
    """The verdicts of two rule sets if one accepts a module, and the other one rejects it."""
    one, other = (_verdict(resolution, side.rules) for side in sides)
    return None if one is other or Verdict.INVALID in (one, other) else (one, other)


def _verdict(resolution: Resolution, rules: Rules) -> Verdict:
    """INVALID if a rule set takes the behaviours for invalid, or does not know what is in the module."""
    try:
        return judge_wgsl(resolution, rules).verdict
    except WgslError:
        return Verdict.INVALID


def _keep(best: Best, found: ModuleDifference) -> None:
    if found.variants not in best or found.order < best[found.variants].order:
        best[found.variants] = found
