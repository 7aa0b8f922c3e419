"""Motifs: each is legal where it stands, has the shape it is named for, and decides the lines that it names."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import wgsl_fuzz.strategies.generate.motifs
from tests.quality.paper_mutants import KILLABLE, deciding
from tests.tinywgsl.wellformed import violations
from wgsl_fuzz.strategies import DEFAULT, Profile
from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.generate.motifs import MOTIFS, MotifDrawer
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import Assign, Barrier, Block, Break, Call, Continue, If, Loop, Return, Shader, Stmt, walk

CALLEES = frozenset({"returned-under"})
"""The motifs of functions; the others stand in `main`."""

AROUND = replace(
    DEFAULT,
    swarm=False,
    statements=(4, 12),
    functions=(1, 1),
    params=(1, 2),
    main_returns=100,
    weights=(("assign", 10), ("if", 2), ("loop", 1), ("call", 2)),
    doses=(0,),
    types=(("u32", 1),),
    jumps_outside=0,
    dead_code=0,
    owes_barrier=False,
    last_barrier=0,
)
"""All around the motif is uniform, and there is no barrier but its own."""
BARRIERS = (*AROUND.weights, ("barrier", 4))
WITH_DEMANDS = replace(AROUND, callee_barriers=100, barrier_due=(0, 0))


def profile_of(name: str, around: Profile = AROUND) -> Profile:
    if name in CALLEES:
        return replace(around, callee_motifs=(name,), motifs=("called-with",))
    return replace(around, motifs=(name,))


@contextmanager
def recorded() -> Iterator[list[tuple[str, Block]]]:
    """The motifs that are drawn meanwhile, by name."""
    found: list[tuple[str, Block]] = []

    class Recorder(MotifDrawer):
        def motif(self, name: str, place: Slot) -> Block:
            ss = super().motif(name, place)
            found.append((name, ss))
            return ss

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wgsl_fuzz.strategies.generate.motifs, "MotifDrawer", Recorder)
        yield found


def drawn(name: str, seed: int, around: Profile = AROUND) -> tuple[Shader, Block]:
    """A shader with the motif, and the motif in it."""
    with recorded() as found:
        shader = draw(RandomSource(seed), profile_of(name, around))
    (motif,) = [ss for which, ss in found if which == name]
    return shader, motif


def bare(ss: Block) -> Block:
    """A motif without the condition that may be around it."""
    only = ss[0]
    return only.then if len(ss) == 1 and isinstance(only, If) and not only.orelse and only.then else ss


def has(kind: type[Stmt] | tuple[type[Stmt], ...], ss: Block) -> bool:
    return any(isinstance(s, kind) for s in walk(ss))


def loops(ss: Block) -> list[Loop]:
    return [s for s in walk(ss) if isinstance(s, Loop)]


def jumps_in_branch(s: If) -> bool:
    return any(ss and isinstance(ss[-1], (Break, Continue, Return)) for ss in (s.then, s.orelse))


def ends_in_barrier(ss: Block) -> bool:
    """A barrier is last, alone or under a condition of its own."""
    last = ss[-1]
    return isinstance(last, Barrier) or (isinstance(last, If) and has(Barrier, last.then))


def assigns_and_breaks(s: Stmt) -> bool:
    """`if (e) { x = e; break; }`, on one side."""
    return isinstance(s, If) and any(
        len(ss) == 2 and isinstance(ss[0], Assign) and isinstance(ss[1], Break) for ss in (s.then, s.orelse)
    )


def only_returns_inside(ss: Block) -> bool:
    """A loop in a loop, and a barrier in the outer one's `continuing`."""
    return any(has(Barrier, outer.continuing) and loops(outer.body) for outer in loops(ss))


def assignments_before_jumps(ss: Block) -> bool:
    """`{ x = e; jump }`, the jump perhaps under a condition."""
    return any(
        len(block) == 2 and isinstance(block[0], Assign) and has((Return, Break, Continue), (block[1],))
        for s in walk(ss)
        if isinstance(s, If)
        for block in (s.then, s.orelse)
    )


SHAPES: dict[str, Callable[[Block], bool]] = {
    "handed-on": lambda ss: (
        isinstance(ss[0], Loop) and any(map(assigns_and_breaks, walk(ss[0].body))) and ends_in_barrier(ss)
    ),
    "left-unevenly": lambda ss: bool(loops(ss)) and has((Break, Return), ss) and ends_in_barrier(ss),
    "uneven-jump": lambda ss: (
        isinstance(ss[0], Loop)
        and has(Barrier, ss[0].body)
        and any(isinstance(s, If) and jumps_in_branch(s) for s in ss[0].body)
    ),
    "jump-in-branch": lambda ss: has(Barrier, ss) and has((Return, Break, Continue), ss),
    "assigned-under": lambda ss: has((Assign, Call), ss[:1]) and isinstance(ss[0], If) and ends_in_barrier(ss),
    "lost-assignment": lambda ss: assignments_before_jumps(ss) and has(Barrier, ss),
    "loop-in-branch": lambda ss: isinstance(ss[0], If) and bool(loops(ss[:1])) and isinstance(ss[-1], Barrier),
    "unreached": only_returns_inside,
    "carried-round": lambda ss: (
        isinstance(ss[0], Loop) and has(Barrier, ss) and has((Return, Break, Continue), ss) and has(Assign, ss)
    ),
    "called-under": lambda ss: isinstance(ss[0], If) and has((Call, Barrier), ss),
    "called-with": lambda ss: isinstance(ss[0], (Call, Assign)),
    "returned-under": lambda ss: isinstance(ss[0], If) and jumps_in_branch(ss[0]) and has(Return, ss),
}
"""What the motif's own words promise of its statements, those around it left off."""

DECIDES: dict[str, tuple[str, ...]] = {
    "handed-on": ("loop/line-11", "loop/line-12", "loop/line-13"),
    "left-unevenly": ("loop/line-10", "loop/line-11", "loop/line-12", "loop/line-13"),
    "uneven-jump": ("loop/line-8", "loop/line-9"),
    "jump-in-branch": ("if/line-9/no-edge-to-then", "if/line-9/no-edge-to-else"),
    "assigned-under": ("expr/literal/no-edge-to-cf", "expr/local/no-edge-to-cf"),
    "lost-assignment": ("if/line-6", "if/line-7"),
    "loop-in-branch": ("B/loop/case-3-break-stays", "B/loop/case-3-continue-stays"),
    "unreached": ("B/loop/case-2",),
    "carried-round": ("loop/line-9",),
    "called-under": ("call/line-4/no-demand-on-call-site",),
    "called-with": ("call/line-5",),
    "returned-under": ("return",),
}
"""The lines of the rules that the motif's own words name, as beginnings of the names of their mutants."""


def test_every_motif_is_tested() -> None:
    assert SHAPES.keys() == DECIDES.keys() == MOTIFS.keys()


@pytest.mark.parametrize("name", MOTIFS)
def test_a_motif_is_legal_where_it_stands(name: str) -> None:
    @given(st.integers(0, 2**64), st.sampled_from([0, 60, 100]), st.sampled_from([(0, 0), (1, 1), (1, 3)]))
    def check(seed: int, main_returns: int, functions: tuple[int, int]) -> None:
        if name in CALLEES and not functions[0]:
            functions = (1, 1)
        profile = replace(profile_of(name), main_returns=main_returns, functions=functions, owes_barrier=True)
        with recorded() as found:
            shader = draw(RandomSource(seed), profile)
        assert violations(shader, main_may_return=main_returns > 0) == []
        statements = {id(s) for f in shader.all_functions for s in walk(f.body)}
        assert all(id(s) in statements for _, ss in found for s in walk(ss))

    check()


@pytest.mark.parametrize("name", MOTIFS)
def test_a_motif_has_the_shape_it_is_named_for(name: str) -> None:
    @given(st.integers(0, 2**64), st.sampled_from([0, 100]))
    def check(seed: int, main_returns: int) -> None:
        _, ss = drawn(name, seed, replace(AROUND, main_returns=main_returns))
        assert SHAPES[name](ss) or SHAPES[name](bare(ss))

    check()


def decided(line: str, shaders: Iterable[Shader]) -> int:
    """How many of the shaders a mutant of the line tells from the paper."""
    mutants = [m.name for m in KILLABLE if f"{m.place}/{m.what}".startswith(line)]
    assert mutants, line
    return sum(bool(deciding(shader, only=mutants)) for shader in shaders)


@pytest.mark.parametrize("name", MOTIFS)
def test_a_motif_decides_the_lines_that_it_names(name: str) -> None:
    """One shader in fifty with the motif at least, and more than of those that have none."""
    around = WITH_DEMANDS if name in ("called-under", "called-with") else AROUND
    with_it = [drawn(name, seed, around)[0] for seed in range(150)]
    without = [draw(RandomSource(seed), replace(around, weights=BARRIERS, doses=(30,))) for seed in range(150)]
    for line in DECIDES[name]:
        assert decided(line, with_it) > max(3, decided(line, without)), line
