"""What a shader can be asked to have: the paper's universal constraints, and a small vocabulary of local ones.

The universal ones hold for all that the swarming profiles draw; the others are had by drawing again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from wgsl_fuzz.tinywgsl.ast import (
    CALLED,
    LOCALS,
    Barrier,
    Call,
    Continue,
    If,
    Loop,
    Return,
    Shader,
    SharedAssign,
    SharedRead,
    Stmt,
    blocks_of,
    expressions_in,
    is_break_if,
    names_in_block,
    walk,
    walk_outside_loops,
)
from wgsl_fuzz.tinywgsl.behaviour import CONTINUE, RETURN, BehaviourAnalysis


@dataclass(frozen=True, slots=True)
class Constraint:
    """A property of shaders that has a name on the command line."""

    name: str
    sentence: str
    """What a shader with it has, as the end of "a shader that ..."."""
    holds: Callable[[Shader], bool]
    universal: bool = False
    """Every shader of a swarming profile has it."""


def _statements(shader: Shader) -> Iterator[Stmt]:
    for f in shader.all_functions:
        yield from walk(f.body)


def _some(kind: type[Stmt]) -> Callable[[Shader], bool]:
    return lambda shader: any(type(s) is kind for s in _statements(shader))


def _within(outer: type[Stmt], inner: type[Stmt]) -> Callable[[Shader], bool]:
    """Some `inner` stands, however deep, in an `outer`."""

    def holds(shader: Shader) -> bool:
        outers = (s for s in _statements(shader) if type(s) is outer)
        return any(type(s) is inner for o in outers for ss in blocks_of(o) for s in walk(ss))

    return holds


def _no_unused_locals(shader: Shader) -> bool:
    for f in shader.all_functions:
        used = set(names_in_block(f.body, LOCALS))
        if any(v.name not in used for v in f.locals):
            return False
    return True


def _no_uncalled_functions(shader: Shader) -> bool:
    called = {name for f in shader.all_functions for name in names_in_block(f.body, CALLED)}
    return all(f.name in called for f in shader.functions)


def _barrier_in_callee(shader: Shader) -> bool:
    return any(type(s) is Barrier for f in shader.functions for s in walk(f.body))


def _non_final_barrier(shader: Shader) -> bool:
    count = sum(type(s) is Barrier for s in _statements(shader))
    final = bool(shader.main.body) and type(shader.main.body[-1]) is Barrier
    return count > final


def _break_if(shader: Shader) -> bool:
    loops = (s for s in _statements(shader) if isinstance(s, Loop))
    return any(s.continuing and is_break_if(s.continuing[-1]) for s in loops)


def _continue_in_body(shader: Shader) -> bool:
    """Some `continue` beside the last one that restriction (3) asks for."""
    loops = (s for s in _statements(shader) if isinstance(s, Loop))
    return any(type(s) is Continue for loop in loops for s in walk_outside_loops(loop.body[:-1]))


def _loop_that_only_returns(shader: Shader) -> bool:
    B = BehaviourAnalysis()
    return any(isinstance(s, Loop) and B.block(s.body) == RETURN for s in _statements(shader))


def _unreachable_continuing(shader: Shader) -> bool:
    B = BehaviourAnalysis()
    loops = (s for s in _statements(shader) if isinstance(s, Loop) and s.continuing)
    return any(not CONTINUE & B.block(s.body) for s in loops)


def _shared_memory(shader: Shader) -> bool:
    return any(isinstance(s, SharedAssign) for s in _statements(shader)) and any(
        isinstance(e, SharedRead) for f in shader.all_functions for e in expressions_in(f.body)
    )


def _main_returns(shader: Shader) -> bool:
    return any(type(s) is Return for s in walk(shader.main.body))


_ALL = (
    Constraint("some-barrier", "has a barrier", _some(Barrier), universal=True),
    Constraint("no-unused-locals", "uses all its locals", _no_unused_locals, universal=True),
    Constraint("no-uncalled-functions", "calls all its functions", _no_uncalled_functions, universal=True),
    Constraint(
        "non-final-barrier", "has a barrier other than the last statement of main", _non_final_barrier, universal=True
    ),
    Constraint("barrier-in-callee", "has a barrier in a function that is called", _barrier_in_callee),
    Constraint("barrier-in-loop", "has a barrier in a loop", _within(Loop, Barrier)),
    Constraint("barrier-under-condition", "has a barrier in an if", _within(If, Barrier)),
    Constraint("loop-that-only-returns", "has a loop whose body can only return", _loop_that_only_returns),
    Constraint("return-in-loop", "has a return in a loop", _within(Loop, Return)),
    Constraint("nested-loops", "has a loop in a loop", _within(Loop, Loop)),
    Constraint("break-if", "has a break if", _break_if),
    Constraint("continue-in-body", "has a continue before the end of a loop's body", _continue_in_body),
    Constraint(
        "unreachable-continuing",
        "has a loop whose continuing has statements, but is not reached",
        _unreachable_continuing,
    ),
    Constraint("call-in-loop", "has a call in a loop", _within(Loop, Call)),
    Constraint("call-under-condition", "has a call in an if", _within(If, Call)),
    Constraint("shared-memory", "writes to shared arrays and reads them", _shared_memory),
    Constraint("two-arrays", "has two shared arrays or more", lambda shader: len(shader.arrays) > 1),
    Constraint("main-returns", "has a return in main", _main_returns),
    Constraint("main-without-return", "has no return in main", lambda shader: not _main_returns(shader)),
)

CONSTRAINTS = MappingProxyType({c.name: c for c in _ALL})
"""By the name on the command line."""

UNIVERSAL = tuple(c for c in _ALL if c.universal)
