"""The interestingness test of `reduce`: do the named oracles say of a smaller text what they said of the first one?"""

import os
import shlex
import shutil
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from wgsl_fuzz.fuzz.cases.case import NOT_RUN, SEMANTICS, drawn_case
from wgsl_fuzz.fuzz.judging.answers import OracleSet
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.targets.children.scratch import discard, scratch_directory
from wgsl_fuzz.oracle.targets.children.supervision import ProcessLimits, Supervisor
from wgsl_fuzz.oracle.targets.protocol import InProcess, Target, split_name
from wgsl_fuzz.oracle.verdict import Answer, Outcome, Verdict
from wgsl_fuzz.wgsl.problems import WgslError
from wgsl_fuzz.wgsl.resolution import Resolution

Tree = Resolution | None
"""The resolved tree of a text; None if it is no valid WGSL."""
FAILURE_VERDICTS = frozenset(v.value for v in (Verdict.INVALID, Verdict.CRASHED, Verdict.TIMED_OUT))
"""Verdicts that are findings on a well-formed shader without any comparison."""
WORDS = frozenset([*(v.value for v in Verdict), *(v.value for v in Outcome), NOT_RUN])
"""What oracles say."""


def read_keep(kept: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """`tint=accepts,wgsl` as a verdict by oracle, and the oracles without one; raises Problem."""
    wanted: dict[str, str] = {}
    others = []
    for part in chain.from_iterable(one.split(",") for one in kept):
        name, equals, word = (piece.strip() for piece in part.rpartition("="))
        if not equals or (split_name(part)[0] is not None and word not in WORDS):
            others.append(part.strip())
            continue
        words = [*(v.value for v in Outcome), NOT_RUN] if name == SEMANTICS else [v.value for v in Verdict]
        if word not in words:
            raise Problem(f"--keep: {name} does not say {word!r}; its words: {', '.join(words)}")
        if wanted.setdefault(name, word) != word:
            raise Problem(f"--keep: {name} cannot say both {wanted[name]} and {word}")
    return wanted, others


@dataclass
class InterestingnessTest:
    """Runs the oracles on texts. `best` is the last text with the `wanted` verdicts."""

    asked: OracleSet
    targets: Mapping[str, Target]
    """By the names that the user gave them."""
    wanted: Mapping[str, str]
    best: str | None = None
    hangs: int = 0
    """The number of timeouts that were not wanted."""
    reference: str | None = None
    """The reference to run, if any: `wgsl` or `paper`."""

    def static(self, text: str, tree: Tree) -> dict[str, str]:
        """The verdicts of the reference and the targets, by name. The targets run in parallel."""
        for target in self.targets.values():
            target.submit([text])
        words = {}
        if self.reference is not None:
            words[self.reference] = self._verdict(self.reference, tree).value
        said = {name: target.collect()[0].verdict for name, target in self.targets.items()}
        late = {name for name, verdict in said.items() if verdict is Verdict.TIMED_OUT}
        self.hangs += len(late - {name for name, word in self.wanted.items() if word == Verdict.TIMED_OUT.value})
        return words | {name: verdict.value for name, verdict in said.items()}

    @staticmethod
    def _verdict(reference: str, tree: Tree) -> Verdict:
        """What the reference says."""
        if tree is None:
            return Verdict.INVALID
        case = drawn_case(tree)
        try:
            return (case.paper or Verdict.UNSUPPORTED) if reference == SECTION_4_2 else case.verdict
        except WgslError:
            return Verdict.INVALID

    def all(self, text: str, tree: Tree) -> dict[str, str]:
        """The words of every oracle by name; the semantics only if the text is valid WGSL."""
        words = self.static(text, tree)
        if self.asked.semantics and tree is not None:
            words[SEMANTICS] = self._executed(tree)
        return words

    def _executed(self, tree: Resolution) -> str:
        """What the semantics says."""
        try:
            return replace(drawn_case(tree, notion=self.asked.notion), thorough=True).ask_semantics()[0]
        except WgslError:
            return NOT_RUN

    def shown(self, tree: Tree, text: str) -> Hashable:
        """True if the text has the wanted verdicts; otherwise the disagreement that it shows, or None."""
        words = self.static(text, tree)
        is_wanted = all(words.get(name) == word for name, word in self.wanted.items() if name != SEMANTICS)
        if is_wanted and SEMANTICS in self.wanted:
            is_wanted = tree is not None and self._executed(tree) == self.wanted[SEMANTICS]
        if is_wanted:
            self.best = text
            return True
        return disagreement(words)

    def shows(self, tree: Tree, text: str) -> bool:
        """Whether the text shows what is wanted."""
        return self.shown(tree, text) is True

    def shows_text(self, text: str) -> bool:
        """As `shows`, for a text alone. It must be valid WGSL, unless only targets are asked."""
        tree = read(text)
        return (tree is not None or not (self.reference or self.asked.semantics)) and self.shows(tree, text)


def disagreement(words: Mapping[str, str]) -> str | None:
    """`tint@0.3.8 accepts, wgsl rejects` if these verdicts are a finding; None if they agree."""
    said = set(words.values()) - {Verdict.UNSUPPORTED.value}
    return in_words(words) if said & FAILURE_VERDICTS or len(said) > 1 else None


def in_words(words: Mapping[str, str]) -> str:
    """`wgsl rejects, tint@0.3.8 accepts`."""
    return ", ".join(f"{name} {word}" for name, word in words.items())


NAME = "test"
"""The command's name among the oracles."""
PLACE = "{}"
"""Where the path of the text stands in the command; without it the path comes last."""


class CommandPredicate(InProcess):
    """A target that accepts the texts for which a command exits with status 0, and rejects the rest.

    The command runs in an empty folder, with the text in a file of the given name. A run longer than `seconds` is not
    interesting. Raises Problem if the command does not exist.
    """

    def __init__(self, command: str, file: str, seconds: float = 10.0) -> None:
        if os.name != "posix":
            raise Problem("--test needs a POSIX system")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise Problem(f"--test: {error}") from None
        program = shutil.which(words[0]) if words else None
        if program is None:
            raise Problem(f"--test: there is no command {words[0]}" if words else "--test: no command is given")
        super().__init__(NAME, command, self._said)
        self._command = [str(Path(program).absolute()), *(words[1:] if PLACE in words else [*words[1:], PLACE])]
        self._file = Path(file).name
        self._limits = ProcessLimits(seconds, 0)
        self._supervisor = Supervisor()

    def close(self) -> None:
        """Ends the process that runs the command."""
        self._supervisor.close()

    def _said(self, text: str) -> Answer:
        folder = scratch_directory()
        try:
            path = Path(folder, self._file)
            path.write_text(text, encoding="utf-8")
            command = [str(path) if word == PLACE else word for word in self._command]
            report = self._supervisor.run(command, self._limits)
        finally:
            discard(folder)
        holds = report is not None and report["end"] == "exit" and report["status"] == 0
        return Answer(Verdict.ACCEPTS if holds else Verdict.REJECTS)
