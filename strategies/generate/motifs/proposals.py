"""Motifs of proposals: calls of subgroup matrices, which need several uniform values, and matrices that differ.

A matrix that is not uniform is a uniform one that only some invocations keep, take, store or get as a result.
"""

from collections.abc import Iterator

from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs


def _by_some(statement: str) -> str:
    """What only some invocations do, in each form of control flow."""
    return (
        f"[[if D {{ {statement} }} ~ if G {{}} else if D {{}} else {{ {statement} }} "
        f"~ switch V {{ case 1u {{ {statement} }} default {{}} }} ~ while D {{ {statement} break; }} "
        f"~ for (var i = 0u; i < V; i++) {{ {statement} }} ~ loop {{ {statement} continuing {{ break if D; }} }} "
        f"~ loop {{ if D {{ break; }} {statement} continuing {{ break if G; }} }}]]"
    )


def _moved(e: str) -> Iterator[str]:
    """Loads, stores and calculations in which a value is a component, an offset, a stride or a part of the memory."""
    parts = [(c, memory, *of) for c, memory in _MEMORY for of in ((e, "8u"), ("0u", f"(8u + ({e} & 1u))"))]
    for component, memory, offset, stride in (*parts, ("f32", f"rows[{e} & 1u]", "0u", "8u")):
        m = f"subgroup_matrix_[[left ~ right ~ result]]<{component}, 8, 8>"
        order, majority = "[[row_major ~ col_major]]", "[[true ~ false]]"
        yield f"_ = {m}({component}({e}));"
        yield f"_ = subgroupMatrixLoad<{m}, {order}>(&{memory}, {offset}, {stride});"
        yield f"_ = subgroupMatrixLoad<{m}>(&{memory}, {offset}, {majority}, {stride});"
        yield f"subgroupMatrixStore<{order}>(&{memory}, {offset}, {m}(), {stride});"
        yield f"subgroupMatrixStore(&{memory}, {offset}, {m}(), {majority}, {stride});"
        yield f"_ = subgroupMatrixScalar[[Add ~ Subtract ~ Multiply]]({m}(), {component}({e}));"


_MEMORY = (("f32", "[[cells ~ grid]]"), ("u32", "tiles"))


def _accumulated(component: str, scalar: str) -> str:
    """A loop that multiplies and accumulates, with a trip count that decides, or that some leave early."""
    left, right = (f"subgroup_matrix_{side}<{component}, 8, 8>" for side in ("left", "right"))
    x, y, m = (f"[[{t}() ~ {t}({scalar}(U))]]" for t in (left, right, f"subgroup_matrix_result<{scalar}, 8, 8>"))
    step = "m = subgroupMatrixMultiplyAccumulate(x, y, m);"
    return (
        f"let x = {x}; let y = {y}; var m = {m}; [[for (var i = 0u; i < V; i++) {{ {step} }} "
        f"~ for (var i = 0u; i < U; i++) {{ {step} if D {{ break; }} }} "
        f"~ for (var i = 0u; i < U; i++) {{ {step} if D {{ continue; }} var c = m; }} "
        f"~ var i = 0u; loop {{ i++; {step} continuing {{ break if i > V; }} }}]] "
        f"[[_ = subgroupMatrixScalarAdd(m, {scalar}(2)); ~ _ = subgroupMatrixMultiplyAccumulate(x, y, m); ~ ]]"
    )


_PAIR = "var x = MADE; let y = MADE;"
_TAKEN = _by_some("x = y;")
_RULE = "[[[[chromium.subgroup_matrix_uniformity ~ derivative_uniformity]] ~ subgroup_uniformity]]"
_FILTER = f"@diagnostic([[off ~ warning ~ info ~ error]], {_RULE})"
_EFFECT = "[[atomicStoreMin(&wide[INDEX], vec2u(W, 1u)); ~ atomicStoreMax(&wide[INDEX], vec2u(W, 1u)); ~ print(W);]]"
_SEEN = f"[[{_EFFECT} ~ if B {{ {_EFFECT} }} ~ ]] ASK x;"
_PROPOSED: dict[str, Texts] = {
    "matrix-by-some": tuple(
        text
        for needs in ("MATRICES", "USE MATRIX();")
        for text in (
            _by_some(needs),
            _by_some(needs),
            f"if D {{ return; }} {needs}",
            f"fn f() {{ {needs} }} # {_by_some('f();')}",
            f"fn f() -> bool {{ {needs} return true; }} # [[_ = D [[&& ~ ||]] f(); ~ {_by_some('_ = f();')}]]",
        )
    ),
    "matrix-argument": (
        *_moved("V"),
        *[f"var v = U; {_by_some('v = N;')} {statement}" for statement in _moved("v")],
    ),
    "matrix-kept-by-some": (
        f"{_PAIR} {_TAKEN} USE x;",
        f"{_PAIR} var w = array<MATRIX, 2>(x, y); [[w[(V & 1u)] = y; ~ {_by_some('[[w[0] ~ w[(V & 1u)]]] = y;')}]] "
        "USE [[w[0] ~ w[1]]];",
        f"struct s {{ one: MATRIX, two: MATRIX, three: u32 }} "
        f"# {_PAIR} [[var w: s; w.one = x; ~ var w = s(x, y, 1u);]] "
        f"{_by_some('[[w.one = y; ~ w = s(y, y, 2u); ~ w.three = V;]]')} USE w.[[one ~ two]];",
        f"{_PAIR} let w = &x; {_by_some('*w = y;')} USE [[x ~ *w]];",
        "fn f(p: ptr<function, MATRIX>, a: MATRIX, n: u32) { if n == 1u { *p = a; } } "
        f"# {_PAIR} [[f(&x, y, V); ~ {_by_some('f(&x, y, V);')}]] USE x;",
    ),
    "matrix-chosen": (
        f"{_PAIR} [[let ~ var]] w = array<MATRIX, 2>(x, y); USE w[V & 1u];",
        "fn f(n: u32, a: MATRIX, b: MATRIX) -> MATRIX { if n == 1u { return a; } return b; } "
        f"# {_PAIR} USE f(V, x, y);",
    ),
    "matrix-required-of-caller": (
        f"fn f(p: MATRIX) {{ P USE p; }} # {_PAIR} {_TAKEN} f(x);",
        f"fn f(p: ptr<function, MATRIX>) {{ P USE [[*p ~ (*p)]]; }} # {_PAIR} {_TAKEN} f(&x);",
    ),
    "accumulated": tuple(
        _accumulated(component, {"i8": "i32", "u8": "u32"}.get(component, component))
        for component in ("f32", "f32", "f32", "u32", "i32", "i8", "u8")
    ),
    "filtered-matrix": (
        *[f"{_PAIR} {_FILTER} if D {{ [[USE y; ~ x = MATRIXOF V; ~ var z: MATRIX;]] }} [[ ~ USE x;]]"] * 3,
        f"{_FILTER} fn f() {{ MATRICES }} # {_by_some('f();')}",
    ),
    "matrices-settled": (
        f"{_PAIR} if B {{ [[let c = y; ~ let c = array<MATRIX, 2>(x, y); ~ _ = y; ~ x = y;]] }} x = y; USE x;",
    ),
    "texel-or-picture": (
        *[
            f"{where}fn f(t: texel_buffer<r32uint, {access}>, i: u32) -> u32 {{ return textureLoad(t, i).x; }} "
            f"# ASK f({texels}, U);"
            for where, texels, access in (
                ("", "fixed_texels", "read"),
                ("LIVELY ", "shared_texels", "read_write"),
            )
        ],
        f"LIVELY # let x = textureLoad(shared_texels, U).x; {_SEEN}",
        f"let x = [[textureLoad(fixed_texels, V).x ~ textureDimensions(fixed_texels)]]; {_SEEN}",
        f"let x = u32(textureLoad(pictures[V & 3u], vec2u(), 0).x); {_SEEN}",
        f"let t = pictures[V & 3u]; let x = u32(textureLoad(t, vec2u(), 0).x); {_SEEN}",
    ),
}
PROPOSED = motifs(_PROPOSED, times={"matrix-by-some": 2, "matrix-argument": 2, "matrix-kept-by-some": 3})
ACCEPTED_PROPOSALS = (*PROPOSED, *[PROPOSED[-2]] * 4)
"""The settled one most often."""
