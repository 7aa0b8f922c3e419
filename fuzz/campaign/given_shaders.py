"""What a campaign asks before it draws: the shaders of the corpus and of the user's folders.

Each is asked about as it stands in its file; of TinyWGSL the recorder tells what only the spelling shows.
"""

from collections.abc import Mapping, Sequence

from wgsl_fuzz.fuzz.campaign.recorder import Origin, Recorder
from wgsl_fuzz.fuzz.cases.module_case import Given
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.judging.cases import judge_given
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer

AT_ONCE = 8
"""So many shaders are asked about before someone looks whether the run is to end."""


class GivenShaders:
    """Asks about given shaders, and files what is wrong with the answers."""

    def __init__(
        self, shaders: Sequence[Given], targets: Mapping[str, Target], without_uniformity: frozenset[str]
    ) -> None:
        self._shaders = shaders
        self._targets = targets
        self._without_uniformity = without_uniformity

    def after(self, done: int) -> Sequence[Given]:
        """The next ones, if so many have been asked about; none at the end."""
        return self._shaders[done : done + AT_ONCE]

    def ask(self, some: Sequence[Given], plan: Plan, filing: Recorder) -> None:
        """Asks about these. If `filing.waiting` is broken off, what was filed by then stays."""
        cases = [given.case(plan.convergence) for given in some]
        with filing.waiting():
            answers = self._answers([case.text for case in cases])
        for given, case, said in zip(some, cases, answers, strict=True):
            for found in judge_given(case, said, self._without_uniformity):
                filing.found(case, found, said, Origin(plan, 0, file=given.path))

    def _answers(self, texts: Sequence[str]) -> list[dict[str, Answer]]:
        """What each target says of each text."""
        for target in self._targets.values():
            target.submit(texts)
        answers = {name: target.collect() for name, target in self._targets.items()}
        return [{name: of_target[i] for name, of_target in answers.items()} for i in range(len(texts))]
