"""Compilers that are commands: one process for each text, or for many, below a supervisor that stays."""

import os
import signal
import uuid
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from wgsl_fuzz.oracle.targets.children.scratch import discard, end_strays, marked, scratch_directory
from wgsl_fuzz.oracle.targets.children.supervision import Limits, Place, Report, Supervisor
from wgsl_fuzz.oracle.targets.description import (
    FILE_MARK,
    FILES,
    FILES_MARK,
    HERE_MARK,
    MESSAGE_LIMIT,
    OPTIONS_MARK,
    OUT_MARK,
    PROGRAM_MARK,
    Description,
    Dialect,
    Said,
    answer,
)
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.oracle.verdict import Answer, Verdict

MEMORY_LIMIT = 4 << 30
AGAIN = 2
"""How often a command is run again that was killed from outside: by a system out of memory, say."""
SWEEP_EVERY = 64
"""After so many calls, processes that the compiler left behind are looked for."""

_SHELL_SIGNALS = range(128 + 1, 128 + 32)


def broken_off(report: Report | None, seconds: float) -> Answer | None:
    """The answer of a run that did not come to an end of its own; None if it did."""
    if report is None:
        return Answer(Verdict.CRASHED, "the supervisor did not report")
    end, status = report["end"], int(report["status"])
    if end == "timeout":
        return Answer(Verdict.TIMED_OUT, f"no answer within {seconds:g} s")
    if end == "not-started":
        return Answer(Verdict.CRASHED, f"cannot be started: {report['err']}")
    if end == "signal" or status in _SHELL_SIGNALS:
        number = status if end == "signal" else status - 128
        output = "\n".join(text for text in (report["err"], report["out"]) if text)
        return Answer(Verdict.CRASHED, f"killed by {_signal_name(number)}\n{output}".strip()[:MESSAGE_LIMIT])
    return None


def judge(dialect: Dialect, report: Report | None, seconds: float) -> Answer:
    """The answer that a report stands for. Only a plain exit that the dialect knows accepts."""
    broken, said = broken_off(report, seconds), _said(report)
    return answer(dialect, said) if broken is None and said is not None else broken or Answer(Verdict.CRASHED)


def _said(report: Report | None) -> Said | None:
    return None if report is None else Said(int(report["status"]), report["out"], report["err"])


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class Caller:
    """Calls a described compiler about texts, in a scratch directory. Not for use by several threads at once."""

    def __init__(self, description: Description, program: str, here: Path, limits: Limits) -> None:
        """`program` is the first word of the command; `here` is the folder of the description."""
        self.description, self.limits, self.options = description, limits, description.options[0]
        self.here, self._program = here, program
        self._folder = Path(scratch_directory())
        self._litter = self._folder / "run-in"
        self._litter.mkdir()
        self._supervisor = Supervisor()
        self._token = uuid.uuid4().hex[:8]
        self._environment = {**description.environment, **marked(str(self._folder))}
        self._calls, self._stopped = 0, False
        self.report: Report | None = None
        """Of the last call."""

    def check(self, texts: Sequence[str]) -> list[Answer]:
        """The answers to some texts, in order."""
        if self.description.mode != FILES:
            return [self._single(text) for text in texts if not self._stopped]
        size = self.description.bounds.batch
        parts = (texts[at : at + size] for at in range(0, len(texts), size))
        return [one for part in parts if not self._stopped for one in self._several(part)]

    def break_off(self) -> None:
        """Ends the call at hand, if any, and there are no more."""
        self._stopped = True
        self._supervisor.close()

    def close(self) -> None:
        """Ends what is left of all calls, and deletes the directory."""
        self.break_off()
        end_strays(str(self._folder))
        discard(str(self._folder))

    def _single(self, text: str) -> Answer:
        """The answer of one run."""
        file = self._written("shader.wgsl", text)
        given = file if self.description.reads_input else Path(os.devnull)
        self.report = self._reported([file], given)
        return _without_file(judge(self.description.dialect, self.report, self.limits.seconds), str(file))

    def _several(self, texts: Sequence[str]) -> list[Answer]:
        """One call for several files; unanswered files are retried in smaller batches."""
        # No text can know the names: none can make a compiler write something under the name of another.
        files = [self._written(f"{self._token}-{i}.wgsl", text) for i, text in enumerate(texts)]
        self.report = self._reported(files, Path(os.devnull))
        broken = broken_off(self.report, self.limits.seconds) or self._crashed()
        words = {} if broken or self.report is None else self._sections(self.report, cut_matters=len(texts) > 1)
        if len(texts) == 1:
            said = words.get(files[0].name)
            one = broken or (self._silent() if said is None else self._of_words(said))
            return [_without_file(one, str(files[0]))]
        found = {
            i: _without_file(self._of_words(words[file.name]), str(file))
            for i, file in enumerate(files)
            if file.name in words
        }
        return self._completed(texts, found)

    def _completed(self, texts: Sequence[str], found: dict[int, Answer]) -> list[Answer]:
        """The answers to all texts; `found` has some of them."""
        left = [i for i in range(len(texts)) if i not in found]
        half = (len(left) + 1) // 2 if not found else len(left)
        for some in (left[:half], left[half:]):
            if some and not self._stopped:
                found |= zip(some, self._several([texts[i] for i in some]))
        return [found[i] for i in range(len(texts)) if i in found]

    def _of_words(self, words: str) -> Answer:
        return answer(self.description.dialect, Said(None, words, ""))

    def _sections(self, report: Report, *, cut_matters: bool) -> dict[str, str]:
        """What the compiler said of each file, by its name; a line that begins no section goes on with the last.

        Nothing, if `cut_matters` and the output was cut off: nobody knows of which file something is missing.
        """
        assert self.description.section is not None, "as the mode demands"
        found: dict[str, list[str]] = {}
        for stream in ("out", "err"):
            if cut_matters and len(report[stream].encode()) >= self.limits.output:
                return {}
            name = ""
            for line in report[stream].split("\n"):
                begins = self.description.section.search(line[:MESSAGE_LIMIT])
                name = Path(begins["file"]).name if begins is not None else name
                found.setdefault(name, []).append(line)
        return {name: "\n".join(lines) for name, lines in found.items()}

    def _crashed(self) -> Answer | None:
        """The answer if the last call as a whole is one that the dialect knows for a crash."""
        said = _said(self.report)
        found = None if said is None else answer(self.description.dialect, said)
        return found if found is not None and found.verdict is Verdict.CRASHED else None

    def _silent(self) -> Answer:
        said = _said(self.report) or Said(None, "", "")
        what = f"not classified: the output does not mention the file (exit status {said.status}): {said.text}"
        return Answer(Verdict.INVALID, what[:MESSAGE_LIMIT])

    def _written(self, name: str, text: str) -> Path:
        file = self._folder / name
        file.write_text(text, encoding="utf-8", errors="replace", newline="")
        return file

    def _reported(self, files: Sequence[Path], given: Path) -> Report | None:
        """One run, and others if the supervisor or the command was killed from outside."""
        report = self._run(files, given)
        for _ in range(AGAIN):
            if self._stopped or not _was_killed(report):
                break
            report = self._run(files, given)
        return report

    def _run(self, files: Sequence[Path], given: Path) -> Report | None:
        command = [self._program, *self._arguments(files)]
        place = Place(self._litter, given, self._environment)
        report = self._supervisor.run(command, self.limits, place)
        self._calls += 1
        if report is None or self._calls % SWEEP_EVERY == 0:  # without a supervisor nobody ends what it ran
            end_strays(str(self._folder))
        if any(self._litter.iterdir()):  # what a compiler leaves there would grow for the length of a campaign
            discard(str(self._litter))
            self._litter.mkdir(exist_ok=True)
        return report

    def _arguments(self, files: Sequence[Path]) -> list[str]:
        words = list[str]()
        for word in self.description.command[1:]:
            if word == FILES_MARK:
                words += map(str, files)
            elif word == OPTIONS_MARK:
                words += self.options
            else:
                marks = {FILE_MARK: str(files[0]), OUT_MARK: str(self._litter / "out")}
                words.append(filled(word, marks | {HERE_MARK: str(self.here), PROGRAM_MARK: self._program}))
        return words


def _was_killed(report: Report | None) -> bool:
    return report is None or (report["end"], report["status"]) == ("signal", signal.SIGKILL)


def filled(word: str, marks: Mapping[str, str]) -> str:
    """A word of a command with what its marks stand for."""
    for mark, text in marks.items():
        word = word.replace(mark, text)
    return word


class CommandTarget:
    """A compiler command as a target. A thread runs the texts one after another while the caller does other work."""

    def __init__(self, name: str, origin: str, spec: str, caller: Caller) -> None:
        """`spec` opens it again."""
        self.name, self.origin, self.spec = name, origin, spec
        self.checks_uniformity = False
        self._caller = caller
        self._closed = False
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._batches: deque[Future[list[Answer]]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        batch = tuple(texts)
        self._batches.append(self._pool.submit(lambda: [] if self._closed else self._caller.check(batch)))

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        if not self._batches:
            raise ValueError("nothing was submitted")
        return self._batches.popleft().result()

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """The answers to these texts; nothing else must be in flight."""
        self.submit(texts)
        return self.collect()

    def raw(self, text: str) -> tuple[Answer, Report | None]:
        """The answer to a text, and what was reported of the call; nothing else must be in flight."""
        return self.ask([text])[0], self._caller.report

    def close(self) -> None:
        """Breaks off the text at hand and drops the rest."""
        self._closed = True
        self._caller.break_off()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._caller.close()


def need_posix(spec: str) -> None:
    """Raises TargetError where commands cannot be supervised."""
    if os.name != "posix":
        raise TargetError(f"{spec}: compiler commands need a POSIX system")


def _without_file(given: Answer, file: str) -> Answer:
    return Answer(given.verdict, given.message.replace(file, "shader.wgsl")) if given.message else given
