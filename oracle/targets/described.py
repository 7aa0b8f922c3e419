"""Opens compilers by description: `my.toml`, and the commands `tint:PATH` and `naga:PATH`, whose files are shipped."""

import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from wgsl_fuzz.oracle.rules.analyses import is_ours
from wgsl_fuzz.oracle.targets.cache import digest
from wgsl_fuzz.oracle.targets.children.command import MEMORY_LIMIT, Caller, CommandTarget, filled, need_posix
from wgsl_fuzz.oracle.targets.children.line_server import USERS_START, LineServer
from wgsl_fuzz.oracle.targets.children.supervision import Limits, Supervisor
from wgsl_fuzz.oracle.targets.description import HERE_MARK, LINES, Description, load, shipped
from wgsl_fuzz.oracle.targets.probes import BROKEN, VALID, has_analysis
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError, TargetRequest, known_prefixes, normal_path
from wgsl_fuzz.oracle.verdict import Answer, Verdict

Ask = Callable[[Sequence[str]], Sequence[Answer]]
_NUMBER = re.compile(r"\d[\w.+-]*")
_TAKEN = frozenset({"semantics", "test"})


def open_command(request: TargetRequest) -> Target:
    """The target for `tint:PATH` or `naga:PATH`; TargetError when there is no compiler there."""
    need_posix(request.spec)
    path, program = _find_binary(request)
    name = f"{request.prefix}:{path}"
    origin = f"command {program} (sha256 {digest([Path(program)])})"
    description = shipped(request.prefix)
    caller = Caller(description, program, Path(program).parent, _limits(description, request))
    return _opened(CommandTarget(name, origin, name, caller), caller, request, f"{program} is no WGSL compiler")


def open_description(request: TargetRequest, *, prove: bool = True) -> Target:
    """The target that the TOML file `request.spec` describes; TargetError with what is wrong with it.

    Unless it has to `prove` itself, what it answers to plain texts does not matter.
    """
    spec = request.spec
    need_posix(spec)
    description, file = load(Path(spec).expanduser()), Path(spec).expanduser().absolute()
    if description.name in {*known_prefixes(), *_TAKEN} or is_ours(description.name):
        raise TargetError(f"{spec}: name: {description.name!r} is the name of another target")
    here, limits = file.parent, _limits(description, request)
    program = _program(spec, "command", description.command, here)
    version = _version(spec, description, here, limits)
    name = f"{description.name}@{version}" if version else description.name
    found = digest([file, *_files(spec, program, description, here)])
    spec, misfit = normal_path(spec), f"{spec} does not fit its compiler"
    origin = f"{spec}: {program} (sha256 {found})"
    if description.mode != LINES:
        caller = Caller(description, program, here, limits)
        return _opened(CommandTarget(name, origin, spec, caller), caller, request, misfit, prove)
    words = [filled(word, {HERE_MARK: str(here)}) for word in description.command[1:]]
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


def _opened(target: CommandTarget, caller: Caller, request: TargetRequest, what: str, prove: bool = True) -> Target:
    """The target with the first options with which it knows a good text from a bad one; raises TargetError."""
    try:
        reason = _settled(target, caller, request)
    except BaseException:
        target.close()
        raise
    if reason and prove:
        target.close()
        raise TargetError(f"{what}: {reason}")
    return target


def _settled(target: CommandTarget, caller: Caller, request: TargetRequest) -> str:
    """Why nothing that the description allows will do; empty, with options and limits set, if something does."""
    reason, given = "", caller.limits
    # A build with AddressSanitizer reserves more address space than any limit leaves it.
    memories = dict.fromkeys((given.memory, 0 if caller.description.bounds.memory is None else given.memory))
    for memory, options in product(memories, caller.description.options):
        caller.options, caller.limits = options, replace(given, memory=memory)
        found = unproved(target.ask)
        if not found:
            if memory != given.memory:
                request.notify(f"{target.name} does not run in {MEMORY_LIMIT >> 30} GiB: no memory limit")
            target.checks_uniformity = has_analysis(target.ask, target.name)
            return ""
        reason = reason or found
        if caller.report is not None and caller.report["end"] == "timeout":  # other options would hang as well
            break
    caller.options, caller.limits = caller.description.options[0], given
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


def _limits(description: Description, request: TargetRequest) -> Limits:
    """The limits of a call: the description's, else what the command line says, or the defaults."""
    bounds = description.bounds
    memory = MEMORY_LIMIT if bounds.memory is None else bounds.memory
    return Limits(bounds.seconds or request.timeout, memory, bounds.output)


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
    given = filled(command[0], {HERE_MARK: str(here)})
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


def _version(spec: str, description: Description, here: Path, limits: Limits) -> str:
    """The version, asked for if the description says how."""
    if isinstance(description.version, str):
        return description.version
    program = _program(spec, "version", description.version, here)
    words = [filled(word, {HERE_MARK: str(here)}) for word in description.version[1:]]
    with Supervisor() as supervisor:
        report = supervisor.run([program, *words], limits) or {"out": "", "err": "the command cannot be run", "end": ""}
    if report["end"] == "timeout":
        raise TargetError(f"{spec}: version: no answer within {limits.seconds:g} s")
    said = f"{report['out']}\n{report['err']}"
    found = _NUMBER.search(said)
    if found is None:
        raise TargetError(f"{spec}: version: there is no number in {' '.join(said.split())[:200]!r}")
    return found[0]


def _files(spec: str, program: str, description: Description, here: Path) -> list[Path]:
    """The files that decide what a compiler does, as far as its command names them. Raises TargetError for one that it
    would look for in the wrong folder.
    """
    files = [Path(program)]
    for word in description.command[1:]:
        path = Path(filled(word, {HERE_MARK: str(here)}))
        if path.is_absolute() and path.is_file() and HERE_MARK in word:
            files.append(path)
        elif not path.is_absolute() and (here / path).is_file():
            inside = f"{HERE_MARK}/{path.as_posix()}"
            raise TargetError(f"{spec}: command: it runs in an empty folder: write {inside} for {word}")
    return files
