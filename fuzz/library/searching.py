"""The smallest shader with a property: found by drawing and by the reducer, alone or behind a test of Hypothesis."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, Unpack

import hypothesis
from hypothesis import Phase
from hypothesis.errors import UnsatisfiedAssumption

from wgsl_fuzz.fuzz.cases.plan import TINY
from wgsl_fuzz.fuzz.library.drawing import LARGER, Drawing, TextDrawer, drawer
from wgsl_fuzz.fuzz.library.texts import WGSL
from wgsl_fuzz.fuzz.reduction.search import read, reduce
from wgsl_fuzz.fuzz.reduction.text import reduce_text
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution

_P = ParamSpec("_P")

Predicate = Callable[[WGSL], object]
"""What a shader shows if this is true of its text. It may be asked about thousands of texts."""


def minimise(shader: str | Shader, holds: Predicate) -> WGSL:
    """The smallest shader found of which `holds` is true, as it must be of `shader`: else ValueError.

    No statement, operand or function can be taken from it. What depends on how WGSL is spelled is reduced as text, and
    so is what is no WGSL. What is TinyWGSL stays TinyWGSL.
    """
    text = WGSL.of(shader)
    if not holds(text):
        raise ValueError("the predicate does not hold of the shader that is to be reduced")
    module = read(text)
    if module is not None and holds(WGSL(print_module(module.module))):
        tiny = core_of(module).shader is not None

        def shown(candidate: Resolution) -> bool:
            is_kind = not tiny or core_of(candidate).shader is not None
            return is_kind and bool(holds(WGSL(print_module(candidate.module))))

        return WGSL(reduce(module, shown).text)
    return WGSL(reduce_text(text, lambda candidate: bool(holds(WGSL(candidate)))))


def find(holds: Predicate, *, tries: int = 10_000, seed: int = 0, **drawing: Unpack[Drawing]) -> WGSL | None:
    """The smallest shader found of which `holds` is true; None if it is true of none of `tries` drawn ones.

    The other arguments are those of `shaders`, but of `tiny` more statements are drawn unless that is said. Reducing
    keeps none of them but `uniform`. Equal arguments give equal shaders.
    """
    drawn = _larger(drawing)
    for index in range(tries):
        text = drawn.of((seed << 64) + index)
        if holds(text):
            return minimise(text, lambda candidate: holds(candidate) and drawn.fits(candidate))
    return None


def _larger(drawing: Drawing) -> TextDrawer:
    larger: Drawing = {"statements": LARGER} if drawing.get("language", TINY) == TINY else {}
    return drawer(**(larger | drawing))


def given_shaders(
    *, settings: hypothesis.settings | None = None, **drawing: Unpack[Drawing]
) -> Callable[[Callable[_P, None]], Callable[..., None]]:
    """As `hypothesis.given(shaders(...))` for the last argument of a test, with our reducer for Hypothesis's shrinking.

    The shader that fails is reduced at once, and shown as the falsifying example. `settings` are Hypothesis's; it does
    not shrink.
    """
    smallest: dict[str, WGSL] = {}
    """What failing texts were reduced to. Hypothesis draws them again to show them, and gets the small ones."""
    chosen = settings or hypothesis.settings()
    phases = [phase for phase in chosen.phases if phase not in (Phase.shrink, Phase.explain)]
    drawn = replace(_larger(drawing), instead=smallest)

    def decorate(test: Callable[_P, None]) -> Callable[..., None]:
        name = list(inspect.signature(test).parameters)[-1]
        reducing = _reducing(test, name, drawn, smallest)
        decorated: Callable[..., None] = hypothesis.given(**{name: drawn.strategy})(reducing)
        return hypothesis.settings(chosen, phases=phases)(decorated)

    return decorate


def _reducing(
    test: Callable[..., None], name: str, drawn: TextDrawer, smallest: dict[str, WGSL]
) -> Callable[..., None]:
    """The test; a shader that fails it is reduced, and `smallest` then has the result."""

    @wraps(test)
    def reducing(*args: Any, **kwargs: Any) -> None:
        text = kwargs[name]
        failure = _failure(test, args, kwargs)
        if failure is None:
            return
        if text not in smallest.values():

            def fails(candidate: WGSL) -> bool:
                with suppress(UnsatisfiedAssumption):
                    again = _failure(test, args, kwargs | {name: candidate})
                    return again is not None and _place(again) == _place(failure) and drawn.fits(candidate)
                return False

            if fails(text):  # else the test is flaky, and Hypothesis says so
                smallest[text] = minimise(text, fails)
        raise failure

    return reducing


def _failure(test: Callable[..., None], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception | None:
    """How the test fails. An assumption that does not hold is no failure, except to Hypothesis."""
    try:
        test(*args, **kwargs)
    except UnsatisfiedAssumption:
        raise
    except Exception as error:
        return error
    return None


def _place(error: Exception) -> tuple[type, str, int]:
    """What Hypothesis tells failures apart by: the exception, and where it was raised."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    assert traceback is not None
    return type(error), traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
