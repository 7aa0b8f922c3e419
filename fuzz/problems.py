"""Problems with the request or the set-up: one clear line and exit status 2, whatever the command."""

from collections.abc import Sequence

PROBLEM, INTERRUPTED, CLOSED_PIPE = 2, 130, 141
"""Exit statuses; the last two are what shells give to a command ended by SIGINT or SIGPIPE."""


class Problem(Exception):
    """Shown as one line on standard error; exit status 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def shown(self) -> list[str]:
        """What is printed."""
        return [f"wgsl-fuzz: {self.message}"]


class WrongText(Problem):
    """A text is not what it must be: a line for each place, as compilers write them, so that editors find it."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(lines[0])
        self.lines = lines

    @property
    def shown(self) -> list[str]:
        """The lines, without a word of ours before the name of the file."""
        return [*self.lines]
