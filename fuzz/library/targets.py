"""Targets as users of the library open and ask them."""

from collections.abc import Callable, Sequence
from typing import Self

from wgsl_fuzz.fuzz.judging.answers import TIMEOUT, open_oracle
from wgsl_fuzz.oracle.targets.families.functions import FunctionTarget
from wgsl_fuzz.oracle.targets.protocol import silent
from wgsl_fuzz.oracle.verdict import Answer, Verdict


class Target:
    """A compiler or an analysis under test: what a name means on the command line, or a plain function of a text.

    A function says `True`, `"accepts"` or `Verdict.ACCEPTS` of what it accepts, and `False`, `"rejects"` or another
    verdict of the rest. Raises TargetError if there is no such target. It is a target of
    `oracle.targets.protocol` too.
    """

    def __init__(self, which: str | Callable[[str], bool | str | Verdict], *, timeout: float = TIMEOUT) -> None:
        self._target = open_oracle(which, silent, timeout) if isinstance(which, str) else FunctionTarget(which)
        self.name: str = self._target.name
        self.origin: str = self._target.origin

    @property
    def checks_uniformity(self) -> bool:
        """Whether it has a uniformity analysis at all."""
        return self._target.checks_uniformity

    def verdict(self, text: str) -> Verdict:
        """What it says of a text. What a function raises is raised here."""
        return self.answers([text])[0].verdict

    def answers(self, texts: Sequence[str]) -> list[Answer]:
        """Verdicts and the target's own words, in order. It is faster to ask about many texts at once."""
        self.submit(texts)
        return self.collect()

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of texts."""
        self._target.submit([str(text) for text in texts])

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        return self._target.collect()

    def close(self) -> None:
        """Ends its processes. `with Target(...) as target` does so too."""
        self._target.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
