"""The parts that rows draw with: scopes, aliases of pointers, constants, and the dose of non-uniformity."""

from dataclasses import replace

import pytest

from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate import environment
from wgsl_fuzz.strategies.generate.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import COMPUTE
from wgsl_fuzz.wgsl.resolution import Access, Space
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Binary, Literal, Module
from wgsl_fuzz.wgsl.types import U32, Array, Atomic, Pointer, Structure, Type, Vector
from wgsl_fuzz.wgsl.walk import descendants

FUNCTION, READ_WRITE = Space.FUNCTION, Access.READ_WRITE
PAIR = Structure("S1", (("m0", Vector(2, U32)), ("m1", Array(U32, 4))))


def variable(name: str, type: Type, space: Space = FUNCTION, access: Access = READ_WRITE) -> environment.Name:
    """A variable."""
    return environment.Name(name, type, environment.Role.VARIABLE, space, access)


def parameter(name: str) -> environment.Name:
    """A parameter that points to a u32 of a function."""
    return environment.Name(name, Pointer(FUNCTION, U32, READ_WRITE), environment.Role.PARAMETER, FUNCTION, READ_WRITE)


def test_a_scope_that_is_left_leaves_nothing() -> None:
    env = environment.Environment()
    x = env.declare(variable("x", U32))
    env.enter()
    y = env.declare(variable("y", PAIR))
    assert [entry.name for entry in env.entries(environment.Group.LOCAL, U32)] == [x, y]
    env.leave()
    assert [entry.name for entry in env.entries(environment.Group.ASSIGNABLE, U32)] == [x]
    assert env.entries(environment.Group.LOCAL, PAIR) == []
    assert env.names == [x]


def test_parts_are_found_by_their_types() -> None:
    env = environment.Environment()
    env.declare(variable("s", PAIR))
    (entry,) = env.entries(environment.Group.LOCAL, U32)
    assert entry.paths == (
        (environment.Field("m0"), environment.Component(2)),
        (environment.Field("m1"), environment.Element(4)),
    )
    (entry,) = env.addressable(FUNCTION, READ_WRITE, U32)
    assert entry.paths == ((environment.Field("m1"), environment.Element(4)),), "a component has no address"


def test_atomics_have_addresses_and_no_values() -> None:
    env = environment.Environment()
    env.declare(variable("a", Atomic(U32), Space.WORKGROUP))
    assert env.entries(environment.Group.SHARED, Atomic(U32)) == []
    assert len(env.addressable(Space.WORKGROUP, READ_WRITE, Atomic(U32))) == 1


def test_what_counts_a_loop_is_read_only() -> None:
    env = environment.Environment()
    counter = environment.Name("i", U32, environment.Role.VARIABLE, FUNCTION, READ_WRITE, steady=True)
    env.declare(counter)
    assert [entry.name for entry in env.entries(environment.Group.LOCAL, U32)] == [counter]
    assert env.entries(environment.Group.ASSIGNABLE, U32) == env.addressable(FUNCTION, READ_WRITE, U32) == []


@pytest.mark.parametrize(
    ("written", "read", "allowed"),
    [("", "", True), ("", "pq", True), ("p", "q", False), ("q", "p", False), ("pq", "", False), ("p", "", True)],
)
def test_two_pointers_may_have_one_root_where_neither_sees_the_other(written: str, read: str, allowed: bool) -> None:
    """13.5.2: one that is written has no second name that is read or written."""
    p, q, x = parameter("p"), parameter("q"), variable("x", U32)
    callee = environment.Callee("f", (p, q))
    for pointer in (p, q):
        callee.touch(pointer, read=pointer.name in read, write=pointer.name in written)
    aliases = environment.Aliases(callee)
    assert aliases.allows(p, x)
    aliases.take(p, x)
    assert aliases.allows(q, x) is allowed


def test_a_pointer_let_aliases_what_it_points_into() -> None:
    x = variable("x", U32)
    let = environment.Name("l", Pointer(FUNCTION, U32, READ_WRITE), environment.Role.LET, FUNCTION, READ_WRITE, x)
    callee = environment.Callee("f")
    callee.touch(let, read=False, write=True)
    assert list(callee.writes) == [x]


def _modules(count: int, **options: object) -> list[Module]:
    profile = replace(COMPUTE, motif_modules=0, **options)  # type: ignore[arg-type]
    return [draw_module(seed, profile) for seed in range(count)]


def test_arithmetic_never_is_constant() -> None:
    """So no compiler has anything to overflow or to divide by zero."""
    for module in _modules(150):
        for node in descendants(module):
            if isinstance(node, Binary) and node.operator in ("+", "-", "*", "/", "%", "<<", ">>"):
                assert not (isinstance(node.left, Literal) and isinstance(node.right, Literal))


def test_without_a_dose_and_motifs_all_is_uniform() -> None:
    quiet = (("atomic", 0), ("atomic-statement", 0))
    modules = _modules(100, swarm=False, doses=(0,), motifs=0, callee_motifs=0, rows=(*COMPUTE.rows, *quiet))
    verdicts = [analyse_wgsl(resolve(module)).verdict for module in modules]
    assert [seed for seed, verdict in enumerate(verdicts) if verdict is not Verdict.ACCEPTS] == []
