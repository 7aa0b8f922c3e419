"""What modules do, held against what they are known to leave in memory."""

import tomllib
from pathlib import Path

import pytest

from tests.oracle.dynamics.modules.final_memory import left_in_out, text_of
from wgsl_fuzz.oracle.dynamics.modules import calls
from wgsl_fuzz.oracle.dynamics.modules.types import CannotRun

STORE = "fn store(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }"
PAIR = "struct Pair { a: u32, b: vec2u } struct Nest { p: array<Pair, 2>, c: u32 }"

ROWS = tomllib.loads(Path(__file__).with_name("left_in_memory.toml").read_text(encoding="utf-8"))["rows"]


@pytest.mark.parametrize(("above", "body", "expected"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_module_leaves_what_it_should(above: str, body: str, expected: list[int]) -> None:
    text = text_of(body, above.replace("STORE", STORE).replace("PAIR", PAIR))
    assert left_in_out(text, len(expected)) == expected


def test_each_thread_has_its_own_arrays() -> None:
    body = "var a: array<u32, 40>; a[lid + 3u] = lid + 1u; workgroupBarrier(); out[lid] = a[3] + 10u * a[4];"
    assert left_in_out(text_of(body), 2, threads=2) == [1, 20]


def test_atomics_count_every_thread() -> None:
    above = "var<workgroup> n: atomic<u32>;"
    body = "let x = atomicAdd(&n, 1u); out[x] = lid + 1u; let m = workgroupUniformLoad(&n); out[lid + 4u] = m;"
    assert sorted(left_in_out(text_of(body, above), 4, threads=4)) == [1, 2, 3, 4]
    assert left_in_out(text_of(body, above), 8, threads=4)[4:] == [4] * 4


def test_local_ids_of_a_workgroup_of_three_dimensions() -> None:
    body = "let i = id.x + 10u * id.y + 100u * id.z; out[index] = i;"
    text = text_of(body).replace("lid: u32", "index: u32, @builtin(local_invocation_id) id: vec3u")
    text = text.replace("workgroup_size(2)", "workgroup_size(2, 3, 2)")
    expected = [x + 10 * y + 100 * z for z in range(2) for y in range(3) for x in range(2)]
    assert left_in_out(text, 12, threads=12) == expected


def test_subgroups_exchange_values() -> None:
    body = (
        "out[lid] = subgroupAdd(lid + 1u); out[4u + lid] = subgroupExclusiveAdd(lid + 1u);"
        "out[8u + lid] = subgroupShuffleXor(lid, 1u); out[12u + lid] = subgroupBroadcast(lid, 2u);"
    )
    found = left_in_out("enable subgroups;\n" + text_of(body), 16, threads=4)
    assert found == [10] * 4 + [0, 1, 3, 6] + [1, 0, 3, 2] + [2] * 4


def test_a_subgroup_function_without_lowering_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_LANES", frozenset())
    with pytest.raises(CannotRun, match="the function subgroupBroadcast"):
        left_in_out("enable subgroups;\n" + text_of("out[lid] = subgroupBroadcast(lid, 0u);"), 2, threads=2)


def test_uniform_buffers_are_read() -> None:
    above = "@group(0) @binding(1) var<uniform> u: vec2u;"
    store = {"u.1:u32": [5, 6]}
    assert left_in_out(text_of("out[lid] = u[lid] + u.y;", above), 2, threads=2, store=store) == [11, 12]
