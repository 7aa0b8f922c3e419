"""`python:MODULE:FUNCTION`: a plain Python function from a text to its verdict, as a target."""

from collections import deque
from collections.abc import Callable, Sequence

from wgsl_fuzz.oracle.targets.children.line_server import USERS_START, LineServer, ServedTarget
from wgsl_fuzz.oracle.targets.children.python_child import child_command, child_environment
from wgsl_fuzz.oracle.targets.probes import VALID, has_analysis
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.targets.registry import Family, State, TargetInfo, TargetRequest
from wgsl_fuzz.oracle.verdict import Answer, Verdict

PREFIX = "python"

Checker = Callable[[str], object]
"""Says `True`, `"accepts"` or `Verdict.ACCEPTS` of a text that it accepts; `as_verdict` has the rest."""


def as_verdict(said: object) -> Verdict:
    """The verdict that a function's result means. Raises TypeError if it means none."""
    if isinstance(said, Verdict):
        return said
    if isinstance(said, bool):
        return Verdict.ACCEPTS if said else Verdict.REJECTS
    words = [verdict.value for verdict in Verdict]
    if said not in words:
        raise TypeError(f"{said!r} is no verdict: True, False, or one of {', '.join(words)}")
    return Verdict(said)


def _message(verdict: Verdict) -> str:
    return "" if verdict is Verdict.ACCEPTS else f"error: {verdict.value}"


def answer_in_words(words: str) -> Answer:
    """The answer that a child of `function_child` gives in words: a verdict, and of a crash what was raised."""
    word, _, message = words.partition(" ")
    verdict = Verdict(word)
    return Answer(verdict, message or _message(verdict))


def open_function(request: TargetRequest) -> Target:
    """`python:MODULE:FUNCTION`, in a process of its own: what it raises is a crash, and it may take its time.

    The module is imported from the working directory or from where Python finds it. Raises TargetError, also if the
    function gives no verdict on a plain shader.
    """
    module, _, function = (request.path or "").partition(":")
    if not module or not function:
        raise TargetError(f"not a target: {request.spec!r}; write {PREFIX}:MODULE:FUNCTION")
    command = [*child_command("wgsl_fuzz.oracle.targets.children.function_child"), module, function]
    server = LineServer(
        command,
        answer_in_words,
        name=request.spec,
        timeout=request.timeout,
        start=USERS_START,
        env=child_environment(),  # and the user's own directory, from where the module may be imported
        scratch=False,
    )
    (answer,) = server.ask([VALID])
    if answer.verdict in (Verdict.CRASHED, Verdict.TIMED_OUT):
        server.close()
        raise TargetError(f"{request.spec}: asked about {VALID.strip()!r}: {' '.join(answer.message.split())}")
    return ServedTarget(request.spec, f"the function {function} of {module}", server.has_analysis(), server)


def function_infos() -> Sequence[TargetInfo]:
    """One line for all functions."""
    return [TargetInfo(f"{PREFIX}:MODULE:FUNCTION", "a function of yours", State.INSTALLED)]


class FunctionTarget:
    """A function as a target in this process. It raises what the function raises."""

    def __init__(self, function: Checker, name: str = "") -> None:
        self.name = name or f"{function.__module__}:{getattr(function, '__qualname__', type(function).__name__)}"
        self.origin = "a Python function"
        self._function = function
        self._batches: deque[tuple[str, ...]] = deque()

    @property
    def checks_uniformity(self) -> bool:
        """Whether it rejects any plain violation."""
        return has_analysis(lambda texts: [self._answer(text) for text in texts])

    def submit(self, texts: Sequence[str]) -> None:
        """Keeps the batch; the function is called when it is collected."""
        self._batches.append(tuple(texts))

    def collect(self) -> list[Answer]:
        """The answers to the oldest batch."""
        return [self._answer(text) for text in self._batches.popleft()]

    def close(self) -> None:
        """Nothing to end."""

    def _answer(self, text: str) -> Answer:
        verdict = as_verdict(self._function(text))
        return Answer(verdict, _message(verdict))


FAMILIES = (Family(PREFIX, open_function, function_infos),)
