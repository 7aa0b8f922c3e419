"""Runs targets on many texts in small batches, with progress and a limit on unanswered texts."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote

from wgsl_fuzz.oracle.targets.probes import MOST_HANGS
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError, spec_of
from wgsl_fuzz.oracle.verdict import Answer, Verdict

PART = 4
"""Texts in one batch: each may use its whole time limit, twice."""

Progress = Callable[[str], None]
"""Shows a line such as `12 of 640 shaders asked`."""


class Patience:
    """Counts the texts that each target left without an answer in time; MOST_HANGS of them end the asking.

    With `in_a_row` an answer in between begins the count anew: where single hangs are results among others.
    """

    def __init__(
        self,
        called: Callable[[str], str],
        advice: Callable[[Target, str], str],
        *,
        in_a_row: bool,
        may_hang: Collection[str] = (),
    ) -> None:
        """`called` says what people call a text, `advice` the command that asks a target about it alone. Texts that
        `may_hang` do not count.
        """
        self._called, self._advice, self._in_a_row, self._may_hang = called, advice, in_a_row, may_hang
        self._hung: dict[str, list[str]] = {}

    @property
    def hangs(self) -> int:
        """How many there are just now, of all targets."""
        return sum(map(len, self._hung.values()))

    def hear(self, target: Target, texts: Sequence[str], answers: Sequence[Answer]) -> None:
        """Takes in the answers to some texts. Raises TargetError."""
        hung = self._hung.setdefault(target.name, [])
        for text, answer in zip(texts, answers, strict=True):
            if answer.verdict is Verdict.TIMED_OUT:
                if text not in self._may_hang:
                    hung.append(text)
            elif self._in_a_row:
                hung.clear()
            if len(hung) == MOST_HANGS:
                said, names = " ".join(answer.message.split()), ", ".join(map(self._called, hung))
                raise TargetError(
                    f"{target.name} hangs on {names} ({said}); it is not run any more; to see one: "
                    f"{self._advice(target, text)}"
                )


def parts(texts: Sequence[str], patience: Patience, progress: Progress = lambda _: None) -> Iterator[Sequence[str]]:
    """The texts, a few at a time; one at a time while a target hangs."""
    at = 0
    while at < len(texts):
        hangs = patience.hangs
        progress(f"{at:,} of {len(texts):,} shaders asked" + (f", {hangs} without an answer" if hangs else ""))
        part = texts[at : at + (1 if hangs else PART)]
        yield part
        at += len(part)


def patience_with_files(files: Mapping[str, Path], may_hang: Collection[str] = ()) -> Patience:
    """The limit on unanswered texts when files are checked."""

    def advice(target: Target, text: str) -> str:
        return f"wgsl-fuzz check --oracle {quote(spec_of(target))} {quote(str(files[text]))}"

    return Patience(lambda text: str(files[text]), advice, in_a_row=True, may_hang=may_hang)
