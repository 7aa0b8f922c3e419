"""The tables of built-ins: what current Tint says of each name. What rows say of uniformity is asked by pairs."""

import re

import pytest

from tests.wgsl.current_tint import AHEAD, ask_tint
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate.motifs.modules import RESOURCES
from wgsl_fuzz.wgsl import builtins as b
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_expression
from wgsl_fuzz.wgsl.problems import ResolveProblem
from wgsl_fuzz.wgsl.resolve import read
from wgsl_fuzz.wgsl.syntax import Call
from wgsl_fuzz.wgsl.walk import descendants

ENABLE_ALL = f"enable {', '.join(sorted(b.EXTENSIONS | b.PROPOSED_EXTENSIONS - {'subgroup_matrix'}))};\n"
"""Current Tint has another name for `subgroup_matrix`."""
PROPOSED = {name for name, row in b.FUNCTIONS.items() if row.extension in b.PROPOSALS}
ROWS = {name: row for name, row in b.FUNCTIONS.items() if name not in AHEAD}
ENABLED = b.EXTENSIONS | b.PROPOSED_EXTENSIONS


def test_the_kinds_of_names_do_not_overlap() -> None:
    assert len(b.PREDECLARED) == len(b.TYPES - b.BYTES) + len(b.ENUMERANTS) + len(b.FUNCTIONS)


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


OTHERS = {
    "select": "select(1, 2, true)",
    "bitcast": "bitcast<u32>(1)",
    "min": "min(1, 2)",
    "print": "print(1)",
    "atomicStoreMin": "atomicStoreMin(&wide[0], vec2u())",
    "atomicStoreMax": "atomicStoreMax(&wide[0], vec2u())",
    "subgroupMatrixLoad": "subgroupMatrixLoad<LEFT, row_major>(&cells, 0, 8)",
    "subgroupMatrixStore": "subgroupMatrixStore<row_major>(&cells, 0, LEFT(), 8)",
    "subgroupMatrixMultiply": "subgroupMatrixMultiply<f32>(LEFT(), RIGHT())",
    "subgroupMatrixMultiplyAccumulate": "subgroupMatrixMultiplyAccumulate(LEFT(), RIGHT(), RESULT())",
    **{f"subgroupMatrixScalar{op}": f"subgroupMatrixScalar{op}(LEFT(), 1)" for op in b.words("Add Subtract Multiply")},
}
"""Calls of functions whose rows have no example."""


def declarations(call: str) -> str:
    """The variables that a call needs."""
    return "".join(f"{text}\n" for name, text in RESOURCES.items() if re.search(rf"\b{name}\b", call))


def call_of(row: b.BuiltinFunction) -> str | None:
    """A valid call of a built-in function, as in its example; None for most of those that only compute."""
    if row.example:
        text = row.called("1u", "1u").replace("MEMORY", "counter").replace("BUFFER", "bytes")
        calls = (n for n in descendants(parse(f"fn f() {{ _ = {text}; }}")) if isinstance(n, Call))
        return next(print_expression(call) for call in calls if call.callee.name == row.name)
    found = OTHERS.get(row.name)
    return found and re.sub("LEFT|RIGHT|RESULT", lambda m: f"subgroup_matrix_{m[0].lower()}<f32, 8, 8>", found)


CALLED = {name: call for name, row in ROWS.items() if (call := call_of(row)) is not None}
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
        f"{declarations(call)}fn f() {{ {'_ =' * b.FUNCTIONS[name].result} {call}; }}" for name, call in CALLED.items()
    ]
    expected = [b.FUNCTIONS[name].extension not in ENABLED for name in CALLED]
    _are_valid(texts, expected)


def test_tint_wants_the_same_results_used() -> None:
    """A function that must be used is no statement; one without a result is no value."""
    texts = [f"{ENABLE_ALL}{declarations(call)}fn f() {{ {call}; }}" for name, call in CALLED.items()]
    texts += [f"{ENABLE_ALL}{declarations(call)}fn f() {{ _ = {call}; }}" for name, call in CALLED.items()]
    expected = [not b.FUNCTIONS[name].must_use for name in CALLED] + [b.FUNCTIONS[name].result for name in CALLED]
    _are_valid(texts, expected)


def test_tint_allows_functions_in_the_same_stages() -> None:
    """Where a variable of the call may not be in a stage, the function must not be there either."""
    texts, expected = [], []
    for name, call in CALLED.items():
        row = b.FUNCTIONS[name]
        for stage, main in MAINS.items():
            statement = f"_ = {call};" if row.result else f"{call};"
            texts.append(ENABLE_ALL + declarations(call) + main.replace("#", statement))
            hidden = name.startswith("atomic") and name not in PROPOSED and stage is b.Stage.FRAGMENT
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
        read(text)
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
