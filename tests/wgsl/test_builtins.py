"""The tables of built-ins: their counts by row of the specification, and what current Tint says of each name."""

import re

import pytest

from tests.wgsl.current_tint import AHEAD, ask_tint
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl import builtins as b
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolve import resolve

ENABLE_ALL = f"enable {', '.join(sorted(b.EXTENSIONS | b.PROPOSED_EXTENSIONS - {'subgroup_matrix'}))};\n"
"""Current Tint has another name for `subgroup_matrix`."""
ROWS = {name: row for name, row in b.FUNCTIONS.items() if name not in AHEAD}
ENABLED = b.EXTENSIONS | b.PROPOSED_EXTENSIONS


def test_the_kinds_of_names_do_not_overlap() -> None:
    assert len(b.PREDECLARED) == len(b.TYPES - b.BYTES) + len(b.ENUMERANTS) + len(b.FUNCTIONS)
    assert (len(ROWS), len(b.TYPES), len(b.ENUMERANTS)) == (159, 77, 51)


def test_functions_with_a_requirement() -> None:
    by_rule = {rule: {name for name, row in ROWS.items() if row.rule is rule} for rule in b.Rule}
    assert by_rule[b.Rule.SYNCHRONIZATION] == {
        "storageBarrier",
        "workgroupBarrier",
        "textureBarrier",
        "workgroupUniformLoad",
    }
    assert len(by_rule[b.Rule.DERIVATIVE]) == 12
    assert len(by_rule[b.Rule.SUBGROUP]) == 25
    required = {name: row.required for name, row in ROWS.items() if row.required}
    assert required == {
        "workgroupUniformLoad": (0,),
        "subgroupShuffleUp": (1,),
        "subgroupShuffleDown": (1,),
        "subgroupShuffleXor": (1,),
        **{name: (0, 1) for name in ROWS if name.startswith("subgroupMatrix")},
        "subgroupMatrixLoad": (0, 1, 2, 3),
        "subgroupMatrixStore": (0, 1, 2, 3, 4),
        "subgroupMatrixMultiplyAccumulate": (0, 1, 2),
    }
    assert by_rule[b.Rule.MATRIX] == {name for name in ROWS if name.startswith("subgroupMatrix")}


def test_functions_that_may_be_non_uniform() -> None:
    both, largest = frozenset(b.Scope), frozenset({b.Scope.WORKGROUP})
    found = {name: row.non_uniform_in for name, row in ROWS.items() if row.non_uniform_in}
    assert {name for name, scopes in found.items() if scopes == largest} == {
        f"subgroup{name}" for name in b.words("Add Mul Min Max And Or Xor All Any Ballot Broadcast BroadcastFirst")
    }
    assert sum(scopes == both for scopes in found.values()) == 12 + 13 + 11
    by_the_letter = {name for name, row in ROWS.items() if row.letter_non_uniform_in is not None}
    assert by_the_letter == {name for name in ROWS if name.startswith("atomic")} - b.PROPOSED_FUNCTIONS
    assert all(ROWS[name].letter_non_uniform_in == frozenset() for name in by_the_letter)


def test_uniform_inputs() -> None:
    both, subgroup = frozenset(b.Scope), frozenset({b.Scope.SUBGROUP})
    listed = {key: row.uniform_in for key, row in b.INPUTS.items() if row.uniform_in and not row.unlisted}
    assert listed == {
        ("workgroup_id", b.Stage.COMPUTE): both,
        ("num_workgroups", b.Stage.COMPUTE): both,
        ("subgroup_size", b.Stage.COMPUTE): both,
        ("num_subgroups", b.Stage.COMPUTE): both,
        ("subgroup_id", b.Stage.COMPUTE): subgroup,
    }
    assert {key: row.uniform_in for key, row in b.INPUTS.items() if row.unlisted} == {
        ("workgroup_index", b.Stage.COMPUTE): both,
        ("subgroup_size", b.Stage.FRAGMENT): subgroup,
    }


KINDS: list[tuple[frozenset[str], tuple[str, ...]]] = [
    (frozenset(ROWS), ("cannot use builtin function",)),
    (b.TYPES - frozenset(b.GENERATORS), ("cannot use type",)),
    (frozenset(b.GENERATORS), ("cannot use type", "expected '<'")),
    (b.ENUMERANTS - b.MAJORNESS, ("cannot use address space", "cannot use access", "cannot use texel format")),
    (b.MAJORNESS, ("cannot use majorness",)),
]


def test_tint_knows_each_name_as_what_it_is_here() -> None:
    names = [(name, expected) for group, expected in KINDS for name in sorted(group)]
    answers = ask_tint([f"{ENABLE_ALL}fn f() {{ let x = {name}; }}" for name, _ in names])
    wrong = [
        (name, answer.message)
        for (name, expected), answer in zip(names, answers, strict=True)
        if not answer.message.split("error: ")[-1].split("\n")[0].startswith(expected)
    ]
    assert wrong == []


CALLS = {
    "workgroupUniformLoad": "workgroupUniformLoad(&w)",
    "atomicCompareExchangeWeak": "atomicCompareExchangeWeak(&a, 1, 2)",
    "atomicLoad": "atomicLoad(&a)",
    "textureDimensions": "textureDimensions(t)",
    "textureGather": "textureGather(0, t, s, vec2f())",
    "textureGatherCompare": "textureGatherCompare(d, c, vec2f(), 1)",
    "textureLoad": "textureLoad(t, vec2u(), 0)",
    "textureNumLayers": "textureNumLayers(ta)",
    "textureNumLevels": "textureNumLevels(t)",
    "textureNumSamples": "textureNumSamples(tm)",
    "textureSample": "textureSample(t, s, vec2f())",
    "textureSampleBias": "textureSampleBias(t, s, vec2f(), 1)",
    "textureSampleCompare": "textureSampleCompare(d, c, vec2f(), 1)",
    "textureSampleCompareLevel": "textureSampleCompareLevel(d, c, vec2f(), 1)",
    "textureSampleGrad": "textureSampleGrad(t, s, vec2f(), vec2f(), vec2f())",
    "textureSampleLevel": "textureSampleLevel(t, s, vec2f(), 0)",
    "textureSampleBaseClampToEdge": "textureSampleBaseClampToEdge(t, s, vec2f())",
    "textureStore": "textureStore(o, vec2u(), vec4f())",
    "subgroupAll": "subgroupAll(true)",
    "subgroupAny": "subgroupAny(true)",
    "subgroupBallot": "subgroupBallot(true)",
    "subgroupElect": "subgroupElect()",
    "subgroupBroadcast": "subgroupBroadcast(1, 1)",
    "quadBroadcast": "quadBroadcast(1, 1)",
    "arrayLength": "arrayLength(&b)",
    "bufferLength": "bufferLength(&y)",
    "bufferView": "bufferView<u32>(&y, 0)",
    "bufferArrayView": "bufferArrayView<array<u32>>(&y, 0, 8)",
    "select": "select(1, 2, true)",
    "bitcast": "bitcast<u32>(1)",
    "min": "min(1, 2)",
    "print": "print(1)",
    "atomicStoreMin": "atomicStoreMin(&v, vec2u())",
    "atomicStoreMax": "atomicStoreMax(&v, vec2u())",
    "subgroupMatrixLoad": "subgroupMatrixLoad<LEFT, row_major>(&n, 0, 8)",
    "subgroupMatrixStore": "subgroupMatrixStore<row_major>(&n, 0, LEFT(), 8)",
    "subgroupMatrixMultiply": "subgroupMatrixMultiply<f32>(LEFT(), RIGHT())",
    "subgroupMatrixMultiplyAccumulate": "subgroupMatrixMultiplyAccumulate(LEFT(), RIGHT(), RESULT())",
}
"""A call of each function that is no plain computation, but for those that `call_of` knows by their prefix."""
DECLARATIONS = """
var<workgroup> w: u32;
var<workgroup> a: atomic<u32>;
var<workgroup> n: array<f32, 64>;
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var d: texture_depth_2d;
@group(0) @binding(3) var c: sampler_comparison;
@group(0) @binding(4) var ta: texture_2d_array<f32>;
@group(0) @binding(5) var tm: texture_multisampled_2d<f32>;
@group(0) @binding(6) var o: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(7) var<storage> b: array<u32>;
@group(0) @binding(8) var<storage> y: buffer;
"""


def declarations(name: str) -> str:
    """What a call of a function needs: the atomic vector is no valid type without its extension."""
    vector = "@group(0) @binding(9) var<storage, read_write> v: atomic<vec2u>;\n"
    return DECLARATIONS + (vector if name in ("atomicStoreMin", "atomicStoreMax") else "")


def call_of(name: str) -> str | None:
    """A valid call of a built-in function; None for most of those that only compute."""
    if name in CALLS:
        return re.sub("LEFT|RIGHT|RESULT", lambda m: f"subgroup_matrix_{m[0].lower()}<f32, 8, 8>", CALLS[name])
    if name.startswith("subgroupMatrix"):
        return f"{name}(subgroup_matrix_left<f32, 8, 8>(), 1)"
    if name.startswith("atomic"):
        return f"{name}(&a, 1)"
    if name.startswith(("dpd", "fwidth", "quadSwap")):
        return f"{name}(1.0)"
    if name.endswith("Barrier"):
        return f"{name}()"
    if name.startswith("subgroup"):
        return f"{name}(1, 1)" if "Shuffle" in name else f"{name}({'1' if name[-2:] != 'st' else '2'})"
    return None


CALLED = {name: call for name in ROWS if (call := call_of(name)) is not None}
MAINS = {
    b.Stage.VERTEX: "@vertex fn m() -> @builtin(position) vec4f { # return vec4f(); }",
    b.Stage.FRAGMENT: "@fragment fn m() { # }",
    b.Stage.COMPUTE: "@compute @workgroup_size(1) fn m() { # }",
}


def test_each_function_with_a_row_of_its_own_is_called() -> None:
    special = {name for name, row in ROWS.items() if not row.constant}
    assert special <= CALLED.keys()


def test_tint_needs_the_same_extensions_for_functions() -> None:
    texts = [
        f"{declarations(name)}fn f() {{ {'_ =' * b.FUNCTIONS[name].result} {call}; }}" for name, call in CALLED.items()
    ]
    expected = [b.FUNCTIONS[name].extension not in ENABLED for name in CALLED]
    _are_valid(texts, expected)


def test_tint_wants_the_same_results_used() -> None:
    """A function that must be used is no statement; one without a result is no value."""
    texts = [f"{ENABLE_ALL}{declarations(name)}fn f() {{ {call}; }}" for name, call in CALLED.items()]
    texts += [f"{ENABLE_ALL}{declarations(name)}fn f() {{ _ = {call}; }}" for name, call in CALLED.items()]
    expected = [not b.FUNCTIONS[name].must_use for name in CALLED] + [b.FUNCTIONS[name].result for name in CALLED]
    _are_valid(texts, expected)


def test_tint_allows_functions_in_the_same_stages() -> None:
    """Where a variable of the call may not be in a stage, the function must not be there either."""
    texts, expected = [], []
    for name, call in CALLED.items():
        row = b.FUNCTIONS[name]
        for stage, main in MAINS.items():
            statement = f"_ = {call};" if row.result else f"{call};"
            texts.append(ENABLE_ALL + declarations(name) + main.replace("#", statement))
            hidden = name.startswith("atomic") and name not in b.PROPOSED_FUNCTIONS and stage is b.Stage.FRAGMENT
            hidden |= name == "textureStore" and stage is b.Stage.VERTEX
            expected.append(stage in row.stages and not hidden)
    _are_valid(texts, expected)


def _are_valid(texts: list[str], expected: list[bool]) -> None:
    """Checks which texts Tint and resolution take."""
    wanted = dict(zip(texts, expected, strict=True))
    assert _accepted_by_tint(texts) == wanted
    assert {text: _resolves(text) for text in texts} == wanted


def _accepted_by_tint(texts: list[str]) -> dict[str, bool]:
    return {text: a.verdict is not Verdict.INVALID for text, a in zip(texts, ask_tint(texts), strict=True)}


def _resolves(text: str) -> bool:
    try:
        resolve(parse(text))
    except ResolveProblem:
        return False
    return True


def test_tint_has_the_same_inputs_and_outputs() -> None:
    """Each built-in value in each stage, with the type that the tables give it in some stage."""
    types = {name: row.type for (name, _), row in b.INPUTS.items()} | {n: r.type for (n, _), r in b.OUTPUTS.items()}
    types["clip_distances"] = "array<f32, 1>"
    texts, expected = [], []
    for name in sorted(b.BUILTIN_VALUES):
        given = f"@builtin({name}) x: {types[name]}"
        for stage, main in MAINS.items():
            texts.append(ENABLE_ALL + main.replace("#", "").replace("m()", f"m({given})"))
            expected.append((name, stage) in b.INPUTS)
            if name != "position":
                extra = "@builtin(position) p: vec4f, " if stage is b.Stage.VERTEX else ""
                output = main.replace("vec4f()", "O()").partition("->")[0].split("{")[0] + "-> O { return O(); }"
                texts.append(f"{ENABLE_ALL} struct O {{ {extra}{given} }} {output}")
                expected.append((name, stage) in b.OUTPUTS)
    _are_valid(texts, expected)


def test_tint_needs_the_same_extensions_for_inputs() -> None:
    texts = [
        MAINS[r.stage].replace("#", "").replace("m()", f"m(@builtin({r.name}) x: {r.type})") for r in b.INPUTS.values()
    ]
    expected = [row.extension not in b.EXTENSIONS for row in b.INPUTS.values()]
    _are_valid(texts, expected)


@pytest.mark.parametrize("kind", ["enable", "requires"])
def test_tint_knows_the_extensions(kind: str) -> None:
    names = b.EXTENSIONS if kind == "enable" else b.LANGUAGE_FEATURES
    assert all(_accepted_by_tint([f"{kind} {name};" for name in sorted(names)]).values())


def test_tint_knows_the_address_spaces_and_interpolations() -> None:
    texts = [f"fn f(p: ptr<{space}, u32>) {{}}" for space in sorted(b.ADDRESS_SPACES)]
    for kind in sorted(b.INTERPOLATION_TYPES):
        for sampling in sorted(b.INTERPOLATION_SAMPLINGS):
            if (sampling in ("first", "either")) == (kind == "flat"):
                texts.append(f"@fragment fn f(@location(0) @interpolate({kind}, {sampling}) x: f32) {{}}")
    assert len(texts) == len(b.ADDRESS_SPACES) + 8
    assert all(_accepted_by_tint(texts).values())
