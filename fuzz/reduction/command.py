"""A predicate of the user's own for `reduce`: a command that ends with 0 if a text is interesting, as for creduce."""

import os
import shlex
import shutil
from collections import deque
from collections.abc import Sequence
from pathlib import Path

from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.targets.scratch import discard, scratch_directory
from wgsl_fuzz.oracle.targets.supervision import Limits, Supervisor
from wgsl_fuzz.oracle.verdict import Answer, Verdict

NAME = "test"
"""The command's name among the oracles."""
PLACE = "{}"
"""Where the path of the text stands in the command; without it the path comes last."""


class CommandPredicate:
    """A target that accepts what the command finds interesting, and rejects the rest.

    The command runs in an empty folder with the text in a file of the name given. What takes longer than `seconds` is
    not interesting. Raises Problem for a command that is not there.
    """

    name = NAME
    checks_uniformity = True

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
        self.origin = command
        self._command = [str(Path(program).absolute()), *(words[1:] if PLACE in words else [*words[1:], PLACE])]
        self._file = Path(file).name
        self._limits = Limits(seconds, 0)
        self._supervisor = Supervisor()
        self._answers: deque[list[Answer]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        """Runs the command on each text."""
        self._answers.append([Answer(Verdict.ACCEPTS if self._holds(text) else Verdict.REJECTS) for text in texts])

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        return self._answers.popleft()

    def close(self) -> None:
        """Ends the process that runs the command."""
        self._supervisor.close()

    def _holds(self, text: str) -> bool:
        folder = scratch_directory()
        try:
            path = Path(folder, self._file)
            path.write_text(text, encoding="utf-8")
            command = [str(path) if word == PLACE else word for word in self._command]
            report = self._supervisor.run(command, self._limits)
        finally:
            discard(folder)
        return report is not None and report["end"] == "exit" and report["status"] == 0
