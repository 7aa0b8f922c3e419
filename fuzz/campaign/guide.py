"""Steering, kept in a run's state: each round has an agenda, which is stored before any of its shaders is drawn."""

from collections.abc import Mapping
from dataclasses import replace

import orjson

from wgsl_fuzz.fuzz.campaign.rounds import Round, round_of
from wgsl_fuzz.fuzz.campaign.steering import PROBE_EVERY, Agenda, Steering, lesson_of
from wgsl_fuzz.fuzz.campaign.worker import ShaderResult, Task
from wgsl_fuzz.fuzz.cases.plan import FRESH, GROUP, Plan, Recipe
from wgsl_fuzz.fuzz.findings.loading import recipes_in
from wgsl_fuzz.fuzz.findings.records import AgendaRecord, Lesson, RecipeLine, SteeringRecord
from wgsl_fuzz.fuzz.findings.schema import from_json, read, write
from wgsl_fuzz.fuzz.findings.state import RunState


class Guide:
    """Says how the shaders of a run are drawn, and takes in what is learned of them."""

    def __init__(self, plan: Plan, steering: Steering | None) -> None:
        self.steering = steering
        self._plan = plan
        self._round: Round | None = None
        self._agenda = Agenda()

    def needs(self, index: int) -> int:
        """How many shaders must be learned of before the one at `index` can be drawn."""
        ahead = round_of(index)
        return 0 if self.steering is None or not ahead.first else round_of(ahead.first - 1).first

    def advised(self, task: Task, state: RunState, *, probing: bool) -> Task:
        """The task with what its round's agenda says. `probing`: some shaders are asked for all that decides them."""
        if self.steering is None:
            return replace(task, coverage=probing)
        ahead = round_of(task.first)
        if ahead != self._round:
            self._round, self._agenda = ahead, self._agenda_of(ahead, state)
        groups = range(task.first // GROUP, -(-(task.first + task.count) // GROUP))
        return replace(
            task,
            recipes=tuple((group, self._agenda.recipes[group]) for group in groups if group in self._agenda.recipes),
            coverage=probing,
            probe_every=PROBE_EVERY,
            probe_arms=self._agenda.probe_arms,
        )

    def _agenda_of(self, ahead: Round, state: RunState) -> Agenda:
        """A round's agenda: the one that an earlier part of the run stored, or a new one."""
        assert self.steering is not None, "asked by `advised`"
        stored = state.value("SELECT content FROM agenda WHERE round = ?", ahead.number)
        if stored is not None:
            record = read(AgendaRecord, from_json(stored))
            recipes = dict(recipes_in(state, ahead.groups.start, ahead.groups.stop))
            return Agenda(recipes, record.probe_arms)
        agenda = self.steering.agenda(ahead, self._plan)
        _store(state, agenda.recipes)
        record = AgendaRecord(agenda.probe_arms)
        state.write("INSERT INTO agenda VALUES (?, ?)", ahead.number, orjson.dumps(write(record)))
        learned = orjson.dumps(write(self.steering.record()))
        state.write("INSERT OR REPLACE INTO steering VALUES (0, ?)", learned)
        state.write("DELETE FROM lesson WHERE shader < ?", self.needs(ahead.first))
        return agenda

    def learn(self, judged: ShaderResult, state: RunState) -> None:
        """Takes in what was said of a shader, and stores it until it is part of what steering has learned."""
        if self.steering is None or (lesson := lesson_of(judged)) is None:
            return
        self.steering.learn(lesson)
        state.write("INSERT OR REPLACE INTO lesson VALUES (?, ?)", judged.index, orjson.dumps(write(lesson)))

    def restore(self, state: RunState) -> None:
        """Goes on where an earlier part of the run ended."""
        if self.steering is None:
            return
        content = state.value("SELECT content FROM steering")
        record = None if content is None else read(SteeringRecord, from_json(content))
        rows = state.rows("SELECT content FROM lesson ORDER BY shader")
        self.steering.restore(record, [read(Lesson, from_json(lesson)) for (lesson,) in rows])


def recipe_of(index: int, state: RunState) -> Recipe:
    """How the group of a shader was drawn."""
    return dict(recipes_in(state, index // GROUP, index // GROUP + 1)).get(index // GROUP, FRESH)


def _store(state: RunState, recipes: Mapping[int, Recipe]) -> None:
    """Keeps recipes; of their parents each text once."""
    texts: dict[str, int] = {}
    for group, recipe in recipes.items():
        texts |= {text: state.parent(text) for text in recipe.parents if text not in texts}
        line = RecipeLine(group=group, like=recipe.like, parents=tuple(texts[text] for text in recipe.parents))
        state.write("INSERT INTO recipe VALUES (?, ?)", group, orjson.dumps(write(line)))
