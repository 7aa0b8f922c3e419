"""What a campaign asks before it draws: the shaders of the corpus and of the user's folders.

Of each shader the plain print is asked about, and the text as it stands in its file if that has other forms. Where only
the latter shows a disagreement, a drawn spelling that shows it, too, is filed: that one can be reduced.
"""

from collections.abc import Mapping, Sequence

from wgsl_fuzz.fuzz.campaign.recorder import Origin, Recorder
from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.given import Given, GivenShader
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cases.unread import FiledCase
from wgsl_fuzz.fuzz.judging.cases import judge_given
from wgsl_fuzz.fuzz.reduction.spelling import shown_in_some_spelling
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader

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
        cases = [given.case(notion=plan.convergence) for given in some]
        spelled = [given.text for given in some if not given.is_plain]
        with filing.waiting():
            plain = self._answers([case.text for case in cases])
            own = dict(zip(spelled, self._answers(spelled) if spelled else (), strict=True))
        for given, case, said in zip(some, cases, plain, strict=True):
            origin = Origin(plan, 0, file=given.path)
            self._judge(case, said, origin, filing)
            if not isinstance(given, GivenShader) or not isinstance(case, Case):
                continue
            for name, answer in own.get(given.text, {}).items():
                if answer.verdict not in (said[name].verdict, case.verdict, Verdict.UNSUPPORTED):
                    self._spelled(given, name, answer, origin, filing)

    def _answers(self, texts: Sequence[str]) -> list[dict[str, Answer]]:
        """What each target says of each text."""
        for target in self._targets.values():
            target.submit(texts)
        answers = {name: target.collect() for name, target in self._targets.items()}
        return [{name: of_target[i] for name, of_target in answers.items()} for i in range(len(texts))]

    def _judge(self, case: FiledCase, answers: Mapping[str, Answer], origin: Origin, filing: Recorder) -> None:
        for found in judge_given(case, answers, self._without_uniformity):
            filing.found(case, found, answers, origin)

    def _spelled(self, given: GivenShader, name: str, own: Answer, origin: Origin, filing: Recorder) -> None:
        """Files what only a spelling shows, if one of those that can be drawn does as the file's own."""

        def shows(_: Shader, text: str) -> bool:
            return filing.ask(name, text).verdict is own.verdict

        written = shown_in_some_spelling(given.shader, shows)
        if written is None:
            filing.counters.only_as_written[given.path] = name
            return
        case = given.case(written, origin.plan.convergence)
        self._judge(case, {name: filing.ask(name, case.text)}, origin, filing)
