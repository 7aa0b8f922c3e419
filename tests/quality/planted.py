"""Planted disagreements whose smallest shader is known: what the reducer is measured by on TinyWGSL.

A mutant of the paper's rules plays the target: its smallest killer is the file in `witnesses`. Compilers that crash,
refuse or hang on some construct are played by predicates on the AST. Both are asked about the core of a shader.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count

from tests.quality.paper_mutants import VARIANTS
from tests.quality.paper_witnesses import BY_MUTANT
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.strategies import TINY, draw_shader
from wgsl_fuzz.tinywgsl.ast import Binary, Block, Call, Continue, If, Loop, Shader, blocks_of, expressions_in, walk
from wgsl_fuzz.wgsl.lower.raising import print_shader, raised
from wgsl_fuzz.wgsl.parser import parse as parse_tree
from wgsl_fuzz.wgsl.resolution import Resolution


@dataclass(frozen=True)
class Planted:
    """One planted disagreement: who shows it, and its known minimum."""

    name: str
    shows_core: Callable[[Shader], bool]
    least: int
    """Statements of the smallest shader known."""

    def shows(self, tree: Resolution) -> bool:
        """Whether a shader shows it."""
        core = core_of(tree).shader
        return core is not None and self.shows_core(core)

    def drawn(self) -> Resolution:
        """The first random shader of the default size that shows it."""
        shaders = (draw_shader(seed, TINY) for seed in count())
        return raised(next(filter(self.shows_core, shaders)))


def _by_mutant(name: str) -> Planted:
    witness, rules = BY_MUTANT[name], VARIANTS[name].rules
    loops = [s for f in witness.shader.all_functions for s in walk(f.body) if isinstance(s, Loop)]
    implied = sum([type(s) for s in loop.body[-2:]] != [Continue, Continue] for loop in loops)
    least = count_statements(parse_tree(print_shader(witness.shader))) - implied

    def killed(shader: Shader) -> bool:
        return analyse(shader).verdict is witness.verdict is not analyse(shader, rules).verdict

    return Planted(name, killed, least)


def _loops(ss: Block) -> int:
    """How many loops stand within one another."""
    return max((isinstance(s, Loop) + max(map(_loops, blocks_of(s)), default=0) for s in ss), default=0)


def _crashes(shader: Shader) -> bool:
    loops = (s for f in shader.all_functions for s in walk(f.body) if isinstance(s, Loop))
    return any(isinstance(s, Call) for loop in loops for s in walk(loop.continuing))


def _refuses(shader: Shader) -> bool:
    conditions = (s.condition for f in shader.all_functions for s in walk(f.body) if isinstance(s, If))
    return any(isinstance(e, Binary) and e.op == "<=" for e in conditions)


def _overflows(shader: Shader) -> bool:
    """A shift in a function beside `main`."""
    return any(isinstance(e, Binary) and e.op in ("<<", ">>") for f in shader.functions for e in expressions_in(f.body))


_MUTANTS = (
    "B/list/tail-lost",
    "10b",
    "B/loop/case-2-never",
    "expr/lid/is-uniform",
    "expr/shared-read/is-uniform",
    "expr/local/no-edge-to-cf",
    "expr/literal/no-edge-to-cf-but-conditions-have-one",
    "assign/map/not-updated",
    "assign/value/under-CfStart",
    "barrier/edge/dropped",
    "barrier/edge/dropped-but-not-directly-in-then",
    "if/line-3/else-after-then",
    "if/line-6/edges-dropped",
    "if/line-7/always",
    "if/line-8/always",
    "if/line-9/no-edge-to-then",
    "call/line-4/no-demand-on-arguments",
    "call/line-4/no-demand-on-call-site-but-with-arguments",
    "call/line-6/no-edge-to-cf",
    "call/line-7/map-not-updated",
    "continue/edges/dropped",
    "func/line-6/always",
    "10a",
    "10d",
    "loop/line-10/never",
    "return/value/under-CfStart",
)


@cache
def planted() -> tuple[Planted, ...]:
    """Thirty: easy and hard mutants, doubles, and compilers that crash, refuse or hang."""
    return (
        *map(_by_mutant, _MUTANTS),
        Planted("hangs on three loops", lambda s: any(_loops(f.body) >= 3 for f in s.all_functions), 6),
        Planted("crashes on a call in a continuing", _crashes, 3),
        Planted("refuses <= in a condition", _refuses, 1),
        Planted("overflows on a shift in a callee", _overflows, 1),
    )
