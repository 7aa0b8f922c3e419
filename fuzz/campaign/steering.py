"""Steering: rule branches that have decided few verdicts, and shapes near them, are drawn more.

One group in STEERED follows a recipe instead of a fresh swarm. A recipe names parents to mutate (shaders that decided
rare branches, and corpus cases), or an earlier group whose swarm is used again. Recipes depend on what the oracles said
of earlier shaders. The run's record keeps each of them, so that its shaders can be drawn again.
"""

import random
from collections import Counter, deque
from collections.abc import Sequence

from wgsl_fuzz.fuzz.campaign.worker import ShaderResult
from wgsl_fuzz.fuzz.cases.plan import GROUP, TINY, Recipe
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms
from wgsl_fuzz.oracle.rules.variants import KILLABLE

PROBE_EVERY = 2048
"""One shader in so many is asked which branches decide it: that takes as long as drawing ten."""
RARE = 12
"""How many of the rarest branches are asked about more often and drawn near to."""
STEERED = 8
"""One group in so many follows a recipe."""
KEPT = 8
"""Shaders kept for each branch, the latest."""
LARGEST = 80
"""Statements: mutations of larger shaders would grow without end."""


class Parents:
    """The shaders of one language that decided branches of its rules."""

    def __init__(self, branches: Sequence[str], corpus: Sequence[str]) -> None:
        self.branches = branches
        """The names of the branches, in the order of the rules."""
        self.corpus = corpus
        """WGSL of corpus cases."""
        self.decided: Counter[str] = Counter()
        self._near: dict[str, deque[tuple[int, str]]] = {}

    def learn(self, judged: ShaderResult) -> None:
        """Takes in what one shader decided."""
        self.decided.update(judged.decided)
        if judged.text is not None and judged.statements <= LARGEST:
            for name in judged.decided:
                self._near.setdefault(name, deque(maxlen=KEPT)).append((judged.index // GROUP, judged.text))

    def rare(self) -> tuple[str, ...]:
        """The branches that decided the fewest shaders so far, rarest first."""
        rows = sorted((self.decided[name], i) for i, name in enumerate(self.branches))
        return tuple(self.branches[i] for _, i in rows[:RARE])

    def recipe(self, choice: random.Random, *, again: bool) -> Recipe | None:
        """A recipe near the rare branches; `again` allows for the swarm of an earlier group."""
        near = [self._near[name] for name in self.rare() if name in self._near]
        if again and near and choice.random() < 0.25:
            return Recipe(like=choice.choice(choice.choice(near))[0])
        parents = [choice.choice(choice.choice(near))[1] for _ in range(3)] if near else []
        if self.corpus:
            parents.append(choice.choice(self.corpus))
        return Recipe(parents=tuple(parents)) if parents else None


class Steering:
    """What a campaign has learned, and what to draw next; the corpus has texts of both languages."""

    def __init__(self, seed: int, corpus: Sequence[str] = (), modules: Sequence[str] = ()) -> None:
        self.seed = seed
        self.shaders = Parents([branch.name for branch in KILLABLE], corpus)
        self.modules = Parents([arm.name for arm in arms()], modules)

    def learn(self, judged: ShaderResult) -> None:
        """Takes in what one shader or module decided."""
        (self.shaders if judged.reference == REFERENCE else self.modules).learn(judged)

    def recipe(self, group: int, language: str = TINY) -> Recipe | None:
        """How to draw a group of a language; None for most of them: from a swarm of its own."""
        if group % STEERED:
            return None
        choice = random.Random(f"{self.seed}/{group}/recipe")
        if language == TINY:
            return self.shaders.recipe(choice, again=True)
        return self.modules.recipe(choice, again=False)
