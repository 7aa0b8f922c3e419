"""Compilers that are commands: a process for each text, below a supervisor that stays.

They are opened by description: `my.toml`, and the commands `tint:PATH`, `naga:PATH` and `webkit:PATH`, whose files are
shipped.
"""

import os
import re
import shutil
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import product
from pathlib import Path

from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.targets import description as desc
from wgsl_fuzz.oracle.targets.cache import digest
from wgsl_fuzz.oracle.targets.children.line_server import MEMORY_LIMIT, USERS_START, LineServer, describe_status
from wgsl_fuzz.oracle.targets.children.scratch import discard, end_strays, marked, scratch_directory
from wgsl_fuzz.oracle.targets.children.supervision import ProcessLimits, Report, Supervisor
from wgsl_fuzz.oracle.targets.probes import BROKEN, VALID, Ask, has_analysis
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError, TargetRequest, known_prefixes, normal_path
from wgsl_fuzz.oracle.verdict import Answer, Verdict

AGAIN = 2
"""How often a command is run again that was killed from outside: by a system out of memory, say."""
SWEEP_EVERY = 64
"""After so many calls, processes that the compiler left behind are looked for."""

GONE = "it removed the directory in which it ran"
_SHELL_SIGNALS = range(128 + 1, 128 + 32)


def judge(dialect: desc.Dialect, report: Report | None, seconds: float) -> Answer:
    """The answer that a report stands for. Only a plain exit that the dialect knows accepts."""
    if report is None:
        return Answer(Verdict.CRASHED, "the supervisor did not report")
    end, status = report["end"], int(report["status"])
    if end == "timeout":
        return Answer(Verdict.TIMED_OUT, f"no answer within {seconds:g} s")
    if end == GONE:
        return Answer(Verdict.CRASHED, GONE)
    if end == "not-started":
        return Answer(Verdict.CRASHED, f"cannot be started: {report['err']}")
    if end == "signal" or status in _SHELL_SIGNALS:
        number = status if end == "signal" else status - 128
        output = "\n".join(text for text in (report["err"], report["out"]) if text)
        return Answer(Verdict.CRASHED, f"{describe_status(-number)}\n{output}".strip()[: desc.MESSAGE_LIMIT])
    return desc.answer(dialect, desc.Said(status, report["out"], report["err"]))


class CommandTarget:
    """A described compiler command as a target, run in a scratch directory. A thread runs the texts one after another
    while the caller does other work.
    """

    def __init__(
        self, named: Sequence[str], description: desc.Description, program: str, here: Path, limits: ProcessLimits
    ) -> None:
        """`named` are its name, its origin, and what opens it again; `program` is the first word of the command, `here`
        the folder of the description.
        """
        self.name, self.origin, self.spec = named
        self.checks_uniformity = False
        self.description, self.limits, self.options = description, limits, description.options[0]
        self.here, self._program = here, program
        self._folder = Path(scratch_directory())
        self._litter = self._folder / "run-in"
        self._litter.mkdir()
        self._supervisor = Supervisor()
        self._environment = {**description.environment, **marked(str(self._folder))}
        self._calls, self._closed = 0, False
        self.report: Report | None = None
        """Of the last call."""
        self._pool = ThreadPoolExecutor(max_workers=1)
        self._batches: deque[Future[list[Answer]]] = deque()

    def submit(self, texts: Sequence[str]) -> None:
        """Hands over a batch of WGSL texts."""
        batch = tuple(texts)
        self._batches.append(self._pool.submit(lambda: [self._single(text) for text in batch if not self._closed]))

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch submitted, in order."""
        if not self._batches:
            raise ValueError("nothing was submitted")
        return self._batches.popleft().result()

    def ask(self, texts: Sequence[str]) -> list[Answer]:
        """The answers to these texts; nothing else must be in flight."""
        self.submit(texts)
        return self.collect()

    def close(self) -> None:
        """Breaks off the text at hand, drops the rest, ends what is left of all calls, and deletes the directory."""
        self._closed = True
        self._supervisor.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        end_strays(str(self._folder))
        discard(str(self._folder))

    def _single(self, text: str) -> Answer:
        """The answer of one run."""
        file = self._folder / "shader.wgsl"
        file.write_text(text, encoding="utf-8", errors="replace", newline="")
        self.report = self._reported(file)
        given = judge(self.description.dialect, self.report, self.limits.seconds)
        return replace(given, message=given.message.replace(str(file), file.name))

    def _reported(self, file: Path) -> Report | None:
        """One run, and others if the supervisor or the command was killed from outside."""
        report = self._run(file)
        for _ in range(AGAIN):
            if self._closed or (report and (report["end"], report["status"]) != ("signal", signal.SIGKILL)):
                break
            report = self._run(file)
        return report

    def _run(self, file: Path) -> Report | None:
        command = [self._program, *self._arguments(file)]
        given = file if self.description.reads_input else Path(os.devnull)
        report = self._supervisor.run(command, self.limits, self._litter, given, self._environment)
        self._calls += 1
        if report is None or self._calls % SWEEP_EVERY == 0:  # without a supervisor nobody ends what it ran
            end_strays(str(self._folder))
        try:
            if any(self._litter.iterdir()):  # what a compiler leaves there would grow for the length of a campaign
                discard(str(self._litter))
                self._litter.mkdir(exist_ok=True)
        except OSError:
            discard(str(self._folder))
            self._litter.mkdir(parents=True, exist_ok=True)
            return None if report is None else {**report, "end": GONE}
        return report

    def _arguments(self, file: Path) -> list[str]:
        words = list[str]()
        for word in self.description.command[1:]:
            if word == desc.OPTIONS_MARK:
                words += self.options
            else:
                marks = {desc.FILE_MARK: str(file), desc.OUT_MARK: str(self._litter / "out")}
                words.append(filled(word, marks | {desc.HERE_MARK: str(self.here), desc.PROGRAM_MARK: self._program}))
        return words


def filled(word: str, marks: Mapping[str, str]) -> str:
    """A word of a command with what its marks stand for."""
    for mark, text in marks.items():
        word = word.replace(mark, text)
    return word


def need_posix(spec: str) -> None:
    """Raises TargetError where commands cannot be supervised."""
    if os.name != "posix":
        raise TargetError(f"{spec}: compiler commands need a POSIX system")


_NUMBER = re.compile(r"\d[\w.+-]*")
_TAKEN = frozenset({"semantics", "test"})


def open_command(request: TargetRequest) -> Target:
    """The target for `tint:PATH` or `naga:PATH`; TargetError when there is no compiler there."""
    need_posix(request.spec)
    path, program = _find_binary(request)
    name = f"{request.prefix}:{path}"
    origin = f"command {program} (sha256 {digest([Path(program)])})"
    description = desc.shipped(request.prefix)
    limits = _limits(description, request)
    target = CommandTarget((name, origin, name), description, program, Path(program).parent, limits)
    return _opened(target, request, f"{program} is no WGSL compiler")


def open_description(request: TargetRequest, *, prove: bool = True) -> Target:
    """The target that the TOML file `request.spec` describes; TargetError with what is wrong with it.

    Unless it has to `prove` itself, what it answers to plain texts does not matter.
    """
    spec = request.spec
    need_posix(spec)
    description, file = desc.load(Path(spec).expanduser()), Path(spec).expanduser().absolute()
    if description.name in {*known_prefixes(), *_TAKEN} or is_ours(description.name):
        raise TargetError(f"{spec}: name: {description.name!r} is the name of another target")
    here, limits = file.parent, _limits(description, request)
    program = _program(spec, "command", description.command, here)
    version = _version(spec, description, here, limits)
    name = f"{description.name}@{version}" if version else description.name
    found = digest([file, *_files(spec, program, description, here)])
    spec, misfit = normal_path(spec), f"{spec} does not fit its compiler"
    origin = f"{spec}: {program} (sha256 {found})"
    if description.mode != desc.LINES:
        target = CommandTarget((name, origin, spec), description, program, here, limits)
        return _opened(target, request, misfit, prove)
    words = [filled(word, {desc.HERE_MARK: str(here)}) for word in description.command[1:]]
    server = LineServer(
        [program, *words],
        description.dialect.refusal,
        spec=spec,
        timeout=limits.seconds,
        start=USERS_START,
        env={**os.environ, **description.environment},
        memory=limits.memory,
    )
    try:
        reason = unproved(server.ask)
        if reason and prove:
            raise TargetError(f"{misfit}: {reason}")
        return server.as_target(name, origin, spec=spec)
    except BaseException:
        server.close()
        raise


# ---------------------------------------------------------------------------------------- what a compiler has to prove


def _opened(target: CommandTarget, request: TargetRequest, what: str, prove: bool = True) -> Target:
    """The target with the first options with which it knows a good text from a bad one; raises TargetError."""
    try:
        reason = _settled(target, request)
    except BaseException:
        target.close()
        raise
    if reason and prove:
        target.close()
        raise TargetError(f"{what}: {reason}")
    return target


def _settled(target: CommandTarget, request: TargetRequest) -> str:
    """Why nothing that the description allows will do; empty, with options and limits set, if something does."""
    reason, given = "", target.limits
    # A build with AddressSanitizer reserves more address space than any limit leaves it.
    memories = dict.fromkeys((given.memory, 0 if target.description.memory is None else given.memory))
    for memory, options in product(memories, target.description.options):
        target.options, target.limits = options, replace(given, memory=memory)
        found = unproved(target.ask)
        if not found:
            if memory != given.memory:
                request.notify(f"{target.name} does not run in {MEMORY_LIMIT >> 30} GiB: no memory limit")
            target.checks_uniformity = has_analysis(target.ask, target.name)
            return ""
        reason = reason or found
        if target.report is not None and target.report["end"] == "timeout":  # other options would hang as well
            break
    target.options, target.limits = target.description.options[0], given
    return reason


def unproved(ask: Ask) -> str:
    """What keeps a compiler from being a target: it refuses a plain shader, or refuses nothing. Empty if nothing."""
    (good,) = ask([VALID])
    if good.verdict is not Verdict.ACCEPTS:
        words = " ".join(good.message.split())[:200]
        return f"a plain valid shader is answered {good.verdict.value}: {words}"
    (bad,) = ask([BROKEN])
    if bad.verdict is Verdict.REJECTS:
        return "a syntax error is answered as a uniformity violation"
    if bad.verdict is Verdict.ACCEPTS and not has_analysis(ask):
        return "it accepts a syntax error, and every uniformity violation"
    return ""


# ------------------------------------------------------------------------------------------------------- its parts


def _limits(description: desc.Description, request: TargetRequest) -> ProcessLimits:
    """The limits of a call: the description's, else what the command line says, or the defaults."""
    memory = MEMORY_LIMIT if description.memory is None else description.memory
    return ProcessLimits(description.seconds or request.timeout, memory, description.output)


def _find_binary(request: TargetRequest) -> tuple[str, str]:
    """The path as records have it, and the file."""
    given = request.path or ""
    if os.sep not in given:
        found = shutil.which(given)
        if found is not None:
            return given, found
        if not Path(given).is_file():
            raise TargetError(f"{request.spec}: there is no command {given} on PATH, and no such file")
    path = _executable(request.spec, given, Path(given).expanduser().absolute())
    normal = normal_path(given)
    return (normal if os.sep in normal else f"./{normal}"), path  # without a `/` it would be a command on PATH


def _program(spec: str, key: str, command: Sequence[str], here: Path) -> str:
    """The file that a description's command starts; TargetError with the key."""
    given = filled(command[0], {desc.HERE_MARK: str(here)})
    if os.sep in given:
        return _executable(f"{spec}: {key}", command[0], here / Path(given).expanduser())
    found = shutil.which(given)
    if found is None:
        beside = f"; for the one beside {Path(spec).name} write ./{given}" if (here / given).is_file() else ""
        raise TargetError(f"{spec}: {key}: there is no command {given} on PATH{beside}")
    return found


def _executable(where: str, given: str, path: Path) -> str:
    if not path.is_file():
        raise TargetError(f"{where}: there is no file {given}")
    if not os.access(path, os.X_OK):
        raise TargetError(f"{where}: {given} is not executable: chmod +x {given}")
    return str(path)


def _version(spec: str, description: desc.Description, here: Path, limits: ProcessLimits) -> str:
    """The version, asked for if the description says how."""
    if isinstance(description.version, str):
        return description.version
    program = _program(spec, "version", description.version, here)
    words = [filled(word, {desc.HERE_MARK: str(here)}) for word in description.version[1:]]
    with closing(Supervisor()) as supervisor:
        report = supervisor.run([program, *words], limits) or {"out": "", "err": "the command cannot be run", "end": ""}
    if report["end"] == "timeout":
        raise TargetError(f"{spec}: version: no answer within {limits.seconds:g} s")
    said = f"{report['out']}\n{report['err']}"
    found = _NUMBER.search(said)
    if found is None:
        raise TargetError(f"{spec}: version: there is no number in {' '.join(said.split())[:200]!r}")
    return found[0]


def _files(spec: str, program: str, description: desc.Description, here: Path) -> list[Path]:
    """The files that decide what a compiler does, as far as its command names them. Raises TargetError for one that it
    would look for in the wrong folder.
    """
    files = [Path(program)]
    for word in description.command[1:]:
        path = Path(filled(word, {desc.HERE_MARK: str(here)}))
        if path.is_absolute() and path.is_file() and desc.HERE_MARK in word:
            files.append(path)
        elif not path.is_absolute() and (here / path).is_file():
            inside = f"{desc.HERE_MARK}/{path.as_posix()}"
            raise TargetError(f"{spec}: command: it runs in an empty folder: write {inside} for {word}")
    return files
