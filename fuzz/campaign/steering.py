"""Steering: rule branches that have decided few verdicts, and shapes near them, are drawn more.

One group in STEERED follows a recipe instead of a fresh swarm. A recipe names parents to mutate (shaders that decided
rare branches, and corpus cases), or an earlier group whose swarm is used again. Recipes depend on what the oracles said
of the shaders of earlier rounds (`fuzz.campaign.rounds`). The run's state keeps each of them, so that its shaders can
be drawn again.
"""

import random
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wgsl_fuzz.fuzz.campaign.rounds import Round, round_of
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult
from wgsl_fuzz.fuzz.cases.plan import GROUP, TINY, Plan, Recipe
from wgsl_fuzz.fuzz.findings.records import Lesson, Near, ParentsRecord, SteeringRecord
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms
from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE
from wgsl_fuzz.oracle.rules.variants import KILLABLE

PROBE_EVERY = 2048
"""One module in so many is asked which arms decide it: that takes as long as drawing a hundred."""
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

    def learn(self, lesson: Lesson) -> None:
        """Takes in what one shader decided."""
        self.decided.update(lesson.decided)
        if lesson.text is not None:
            for name in lesson.decided:
                self._near.setdefault(name, deque(maxlen=KEPT)).append((lesson.index // GROUP, lesson.text))

    def record(self) -> ParentsRecord:
        """All that was learned."""
        places: dict[str, int] = {}
        near = {
            name: tuple(Near(group, places.setdefault(text, len(places))) for group, text in kept)
            for name, kept in self._near.items()
        }
        return ParentsRecord(dict(self.decided), near, tuple(places))

    def restore(self, record: ParentsRecord) -> None:
        """Takes over what an earlier part of the run learned. Raises RecordError."""
        self.decided = Counter(record.decided)
        self._near = {
            name: deque(((one.group, record.text_of(one)) for one in kept), maxlen=KEPT)
            for name, kept in record.near.items()
        }

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


@dataclass(frozen=True, slots=True)
class Agenda:
    """What steering asks of one round."""

    recipes: Mapping[int, Recipe] = field(default_factory=dict)
    """Of the groups that are not drawn from a swarm of their own."""
    probe_arms: tuple[str, ...] = ()
    """Arms of the rules that more modules are asked about."""


class Steering:
    """What a campaign has learned, and what to draw next; the corpus has texts of both languages."""

    def __init__(self, seed: int, corpus: Sequence[str] = (), modules: Sequence[str] = ()) -> None:
        self.seed = seed
        self.shaders = Parents([branch.name for branch in KILLABLE], corpus)
        self.modules = Parents([arm.name for arm in arms()], modules)
        self._lessons: deque[Lesson] = deque()
        """Of rounds that no recipe depends on yet, in the order of their indices."""

    def learn(self, lesson: Lesson) -> None:
        """Takes in what one shader or module decided; the shaders come in the order of their indices."""
        self._lessons.append(lesson)

    def agenda(self, ahead: Round, plan: Plan) -> Agenda:
        """What to draw in a round. All shaders up to the round before its predecessor must have been learned."""
        while self._lessons and round_of(self._lessons[0].index).number < ahead.number - 1:
            lesson = self._lessons.popleft()
            (self.shaders if lesson.tiny else self.modules).learn(lesson)
        recipes = {group: self.recipe(group, plan.language_of(group)) for group in ahead.groups}
        return Agenda(
            {group: recipe for group, recipe in recipes.items() if recipe is not None},
            self.modules.rare(),
        )

    def recipe(self, group: int, language: str = TINY) -> Recipe | None:
        """How to draw a group of a language; None for most of them: from a swarm of its own."""
        if group % STEERED:
            return None
        choice = random.Random(f"{self.seed}/{group}/recipe")
        if language == TINY:
            return self.shaders.recipe(choice, again=True)
        return self.modules.recipe(choice, again=False)

    def decided(self) -> dict[str, tuple[frozenset[str], int]]:
        """The branches that decided a shader by now, and how many there are: of TinyWGSL and of the whole language."""
        found = {TINY: set(self.shaders.decided), WHOLE: set(self.modules.decided)}
        for lesson in self._lessons:
            found[TINY if lesson.tiny else WHOLE].update(lesson.decided)
        of = {TINY: len(self.shaders.branches), WHOLE: len(self.modules.branches)}
        return {language: (frozenset(names), of[language]) for language, names in found.items()}

    def record(self) -> SteeringRecord:
        """What recipes depend on by now; lessons of later rounds are not in it."""
        return SteeringRecord(shaders=self.shaders.record(), modules=self.modules.record())

    def restore(self, record: SteeringRecord | None, lessons: Sequence[Lesson]) -> None:
        """Takes over what an earlier part of the run learned, and its lessons that were not in the record yet."""
        if record is not None:
            self.shaders.restore(record.shaders)
            self.modules.restore(record.modules)
        self._lessons = deque(lessons)


def lesson_of(judged: ShaderResult) -> Lesson | None:
    """What is to be learned of a shader; None if it was not asked what decides it, or nothing does."""
    if not judged.decided:
        return None
    text = judged.text if judged.statements <= LARGEST else None
    return Lesson(index=judged.index, tiny=judged.reference == REFERENCE, decided=judged.decided, text=text)
