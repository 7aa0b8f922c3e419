"""Steering: rule branches that have decided few verdicts, and shapes near them, are drawn more.

One group in STEERED follows a recipe instead of a fresh swarm. A recipe names parents to mutate (shaders that decided
rare branches, and corpus cases), or an earlier group whose swarm is used again. Recipes depend on what the oracles said
of earlier shaders. The run's record keeps each of them, so that its shaders can be drawn again.
"""

import random
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from wgsl_fuzz.fuzz.campaign.worker import ShaderResult
from wgsl_fuzz.fuzz.cases.plan import GROUP, Recipe
from wgsl_fuzz.oracle.rules.variants import KILLABLE

PROBE_EVERY = 256
"""One shader in so many is asked which branches decide it: that takes as long as drawing ten."""
RARE = 12
"""How many of the rarest branches are asked about more often and drawn near to."""
STEERED = 8
"""One group in so many follows a recipe."""
KEPT = 8
"""Shaders kept for each branch, the latest."""
LARGEST = 80
"""Statements: mutations of larger shaders would grow without end."""


@dataclass(slots=True)
class Steering:
    """What a campaign has learned, and what to draw next."""

    seed: int
    corpus: Sequence[str] = ()
    """WGSL of corpus cases."""
    decided: Counter[str] = field(default_factory=Counter)
    _near: dict[str, deque[tuple[int, str]]] = field(default_factory=dict)

    def learn(self, judged: ShaderResult) -> None:
        """Takes in what one shader decided."""
        self.decided.update(judged.decided)
        if judged.text is not None and judged.statements <= LARGEST:
            for name in judged.decided:
                self._near.setdefault(name, deque(maxlen=KEPT)).append((judged.index // GROUP, judged.text))

    def rare(self) -> tuple[str, ...]:
        """The branches that decided the fewest shaders so far, rarest first."""
        rows = sorted((self.decided[m.name], i) for i, m in enumerate(KILLABLE))
        return tuple(KILLABLE[i].name for _, i in rows[:RARE])

    def recipe(self, group: int) -> Recipe | None:
        """How to draw a group; None for most of them: from a swarm of its own."""
        if group % STEERED:
            return None
        choice = random.Random(f"{self.seed}/{group}/recipe")
        near = [self._near[name] for name in self.rare() if name in self._near]
        if near and choice.random() < 0.25:
            return Recipe(like=choice.choice(choice.choice(near))[0])
        parents = [choice.choice(choice.choice(near))[1] for _ in range(3)] if near else []
        if self.corpus:
            parents.append(choice.choice(self.corpus))
        return Recipe(parents=tuple(parents)) if parents else None
