"""`python:MODULE:FUNCTION`: a plain Python function from a text to its verdict, as a target."""

from collections.abc import Callable

from wgsl_fuzz.oracle.targets.children.line_server import USERS_START, LineServer
from wgsl_fuzz.oracle.targets.probes import VALID, has_analysis
from wgsl_fuzz.oracle.targets.protocol import (
    Availability,
    InProcess,
    Target,
    TargetError,
    TargetFamily,
    TargetInfo,
    TargetRequest,
)
from wgsl_fuzz.oracle.verdict import Answer, Verdict, as_verdict

PREFIX = "python"

Checker = Callable[[str], object]
"""Says `True`, `"accepts"` or `Verdict.ACCEPTS` of a text that it accepts; `as_verdict` has the rest."""


def _answer(verdict: Verdict, message: str = "") -> Answer:
    return Answer(verdict, message or ("" if verdict is Verdict.ACCEPTS else f"error: {verdict.value}"))


def answer_in_words(words: str) -> Answer:
    """The answer that a child of `function_child` gives in words: a verdict, and of a crash what was raised."""
    word, _, message = words.partition(" ")
    try:
        return _answer(Verdict(word), message)
    except ValueError:  # the function has written where only the child writes
        return Answer(Verdict.CRASHED, f"it wrote an answer by itself: {words[:200]!r}")


def open_function(request: TargetRequest) -> Target:
    """`python:MODULE:FUNCTION`, in a process of its own: what it raises is a crash, and it may take its time.

    The module is imported from the working directory or from where Python finds it. Raises TargetError, also if the
    function gives no verdict on a plain shader.
    """
    module, _, function = (request.path or "").partition(":")
    if not module or not function:
        raise TargetError(f"not a target: {request.spec!r}; write {PREFIX}:MODULE:FUNCTION")
    # It runs in the user's own directory, from where the module may be imported.
    child = ("function_child", module, function)
    server = LineServer.of_python(request, child, answer_in_words, start=USERS_START, scratch=False)
    (answer,) = server.ask([VALID])
    if answer.verdict in (Verdict.CRASHED, Verdict.TIMED_OUT):
        server.close()
        raise TargetError(f"{request.spec}: asked about {VALID.strip()!r}: {' '.join(answer.message.split())}")
    return server.as_target(request.spec, f"the function {function} of {module}")


def target_of(function: Checker, name: str = "") -> Target:
    """A function as a target in this process. It raises what the function raises."""
    name = name or f"{function.__module__}:{getattr(function, '__qualname__', type(function).__name__)}"

    def answer(text: str) -> Answer:
        return _answer(as_verdict(function(text)))

    return InProcess(name, "a Python function", answer, checks=lambda: has_analysis(lambda ts: [*map(answer, ts)]))


_INFO = TargetInfo(f"{PREFIX}:MODULE:FUNCTION", "a function of yours", Availability.INSTALLED)
FAMILIES = (TargetFamily(PREFIX, open_function, lambda: [_INFO]),)
