"""Motifs as a table of texts: shapes that compilers' analyses had mistakes in, and that other motifs seldom draw.

`benchmarks/shapes.py` counts how many modules have each shape, and how many it decides. The texts have holes:
V is a u32 that decides, D a condition that does; U and G are uniform, W is not, N is a literal. S and A are u32s that a
variable starts with and that replace it: A decides, or where all is settled S is not uniform. R requires uniform
control flow, E is a u32 that does, ASK e requires it under a condition that depends on e. SPACE is workgroup memory,
or private memory in other stages. `[[a ~ b]]` is one of two texts. A lower-case letter is a name. What stands before
a `#` is declared at module scope; INPUTS are those of the entry point in a structure.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.flow import touch_requiring
from wgsl_fuzz.wgsl.builtins import Stage, words

Texts = tuple[str, ...]

_CONTENTS: Mapping[str, tuple[str, str]] = {
    "contents-in-loop": (
        "[[loop { if *p == 1u { break; } *p = a; } ~ for (; G; *p = a) { [[if G { continue; } ~ ]] } "
        "~ while G { *p = a; [[if G { break; } ~ ]] } ~ loop { *p = a; continuing { break if G; } } "
        "~ loop { if G { break; } continuing { *p += a; } } ~ for (var i = 0u; i < a; i++) { *p = i; }]]",
        "[[while *p < 9u { R *p += 1u; } ~ for (var i = 0u; i < *p; i++) { R } "
        "~ loop { R continuing { break if *p > 2u; } } ~ for (; *p < 3u; (*p)++) { [[if G { continue; } ~ ]] R } "
        "~ loop { if *p == 1u { return; } R if G { break; } }]]",
    ),
    "contents-in-switch": (
        "switch U { case 0u { } [[case 1u, 3u { *p = a; } ~ case 1u { if a == 1u { *p = N; } }]] default { } }",
        "[[switch *p { case 1u { R } default { } } ~ switch U { case 2u, 1u { ASK *p; } default { } } "
        "~ switch *p { case 2u { return; } default { } } R]]",
    ),
    "contents-in-else": (
        "if [[a == 1u { } else { *p = N; } ~ G { } else { *p = a; } ~ G { *p = N; } else { *p = a; }]]",
        "if [[*p == 1u { } else { R } ~ G { } else { ASK *p; } ~ *p == N { } else { return; } R]]",
    ),
    "contents-around-continue": (
        "[[loop { if G { *p = a; continue; } *p = U; continuing { break if G; } } "
        "~ while G { *p = a; if G { continue; } *p = U; } ~ for (; G; ) { *p = a; if G { continue; } *p = N; }]]",
        "[[loop { if *p == 1u { continue; } R if G { break; } } ~ while G { if *p == 1u { continue; } R } "
        "~ for (var i = 0u; i < 3u; i++) { if *p < N { continue; } R }]]",
    ),
    "contents-around-break": (
        "[[loop { *p = a; if G { break; } *p = U; continuing { break if G; } } "
        "~ while G { *p = a; if G { break; } *p = U; } ~ for (; G; ) { *p = a; if G { break; } *p = N; } "
        "~ switch U { case 1u { *p = a; if G { break; } *p = U; } default { } }]]",
        "[[while G { if *p == 1u { break; } R } ~ for (; G; ) { R if *p == 1u { break; } } "
        "~ loop { if *p == 1u { break; } R continuing { break if G; } }]]",
    ),
}
"""Bodies of a function that stores `a` where `p` leads, and of one that requires what is there to be uniform."""

_STORES: Mapping[str, Texts] = {
    "stores-in-for": (
        "for (; [[CALL < 2u ~ 3u == CALL]]; ) { [[ASK x; ~ ]] break; } ASK x;",
        "for (var i = 0u; i < CALL; i++) { [[ASK x; ~ ]] } ASK x;",
    ),
    "stores-in-while": ("while CALL > 3u { [[ASK x; ~ break; ~ ]] } ASK x;",),
    "stores-in-break-if": ("loop { continuing { break if CALL [[== 1u ~ > 2u]]; } } ASK x;",),
    "stores-in-else-if": ("if G { [[return; ~ x = A;]] } else if CALL == 1u { [[ASK x; ~ ]] } else { x = A; } ASK x;",),
    "stores-in-selector": ("switch CALL { case 1u { [[ASK x; ~ ]] } [[case 2u { } ~ ]] default { } } ASK x;",),
    "stores-in-return": (
        "fn g(p: ptr<function, u32>, a: u32) -> u32 { [[if G { return f(p, a); } ~ ]] return f(p, a) [[+ N ~ ]]; } "
        "# [[_ = ~ let y =]] g(&x, A); ASK x;",
    ),
    "stores-in-var": ("var y [[: u32 ~ ]] = CALL [[+ N ~ ]]; ASK x;",),
    "stores-in-for-initial": (
        "for (var i = CALL; i < 3u; i++) { [[ASK x; ~ ]] } ASK x;",
        "var y = N; for (y = CALL; y < 3u; y++) { } ASK x;",
    ),
    "stores-in-builtin": (
        "let y = [[max(CALL, U) ~ min(U, CALL) ~ clamp(N, CALL, U) ~ abs(CALL)]]; ASK x;",
        "_ = [[select(U, CALL, G) ~ countOneBits(CALL) ~ insertBits(U, CALL, 1u, 2u)]]; ASK x;",
    ),
    "stores-in-compound": (
        "var y = N; y [[+= ~ ^= ~ *=]] CALL; ASK x;",
        "var y = vec2u(); y[U & 1u] [[+= ~ |=]] CALL; ASK x;",
    ),
}
"""A call that stores to x, at a place of an expression: all that was there is replaced."""

_STORES_SOMETIMES: Mapping[str, Texts] = {
    "stores-in-break-if": ("loop { ASK x; continuing { break if CALL [[== 1u ~ > 2u]]; } }",),
    "stores-in-else-if": ("if G { } else if CALL == 1u { [[ASK x; ~ ]] } ASK x;",),
    "stores-handed-on": (
        "fn g(p: ptr<function, u32>, a: u32) -> bool { [[return G [[&& ~ ||]] f(p, a) == 1u; "
        "~ let y = G && (G || f(p, a) == 1u); return y; ~ if G && f(p, a) == 1u { return false; } return G;]] } "
        "# [[_ = g(&x, A); ~ if g(&x, A) { } ~ let q = &x; _ = g(q, A);]] ASK x;",
    ),
}
"""The same, on one of several paths."""

_COUNT = "[[(*p)++; ~ (*p)--; ~ *p += 1u;]]"
_REJECTED: Mapping[str, Texts] = {
    "overwritten": (
        "var x = V; if G { x = U; } else { [[if G { return; } ~ ]] } ASK x;",
        "var x = V; switch U { case 1u { x = U; } case 2u { return; } default { } } ASK x;",
    ),
    "assigned-in-else": (
        "var x = U; if [[D { } else { x = N; } ~ G { } else { x = V; } ~ G { return; } else { x = V; } "
        "~ G { } else if G { } else { x = V; } ~ G { } else if D { } else { x = N; }]] ASK x;",
    ),
    "four-clauses": (
        "var x = U; switch U { case 1u { [[x = N; ~ ]] } case 2u { [[ ~ break;]] } case 3u, 5u { [[x = V; "
        "~ if D { x = N; }]] } case 4u { } [[case 6u, default { } ~ default { x = U; }]] } ASK x;",
        "switch V { case 1u { } case 2u { R } case 3u { } [[case 4u { } ~ ]] default { } }",
    ),
    "empty-clause": (
        "var x = V; switch U { [[case 0u { x = U; } ~ ]] case 1u [[, 4u ~ ]] { } case 2u { x = U; } "
        "[[case 3u { x = N; } ~ ]] default { x = U; } } ASK x;",
    ),
    "loop-in-clause": (
        "var x = U; switch U { case 1u { [[loop { if G { break; } x = V; } ~ while G { x = V; } "
        "~ while D { R break; } ~ for (var i = 0u; i < V; i++) { x = i; }]] } default { } } ASK x;",
    ),
    "required-in-index": (
        "var y = array<u32, 4>(); if D { y[E & 3u] [[= U ~ += N ~ ++]]; }",
        "var y = vec4u(); [[if D { return; } y[E & 3u] = U; ~ while D { y[E & 1u]++; }]]",
    ),
    "required-left-of-and": (
        "if D { [[_ = E == 1u && G; ~ let y = E < 2u || G; ~ if E == 1u && G { }]] }",
        "[[while D { if E == 1u || G { } break; } ~ if D { return; } _ = E > 1u && G;]]",
    ),
    "required-in-initial": (
        "if D { [[ ~ state = N;]] for (var i = E; i < 3u; i++) { [[ ~ break;]] } }",
        "var y = N; [[if D { return; } for (y = E; y < 3u; y++) { } ~ if D { for (y += E; y < 3u; y++) { } }]]",
    ),
    "required-in-update": (
        "for (var i = 0u; [[i < V ~ D]]; i += E) { if G { continue; } [[state = N; ~ ]] }",
        "for (var i = 0u; i < 9u; i += E) { if G { continue; } if D { [[break ~ return]]; } }",
    ),
    "inputs-in-structure": (
        "INPUTS # var x = U; [[if D { x = workgroup_id.x; } ~ if D { } else { x = num_workgroups.y; } "
        "~ while D { x = workgroup_id.y; break; } ~ switch V { case 1u { x = num_workgroups.x; } default { } }]] "
        "ASK x;",
    ),
    "let-of-shared": (
        "var<SPACE> w: u32; # let p = &w; [[*p = U; ~ ]] [[ASK *p; ~ if *p == N { R } ~ let y = *p; ASK y;]]",
        "var<SPACE> w: array<u32, 4>; # [[let p = &w[U & 3u]; let q = p; ASK *q; ~ let q = &w; ASK q[U & 3u];]]",
    ),
    "parameter-of-shared": (
        "var<SPACE> w: u32; fn f(p: ptr<SPACE, u32>) -> u32 { [[ASK *p; return N; ~ return *p; "
        "~ if *p == 1u { return N; } return U;]] } # [[let y = f(&w); ASK y; ~ let p = &w; ASK f(p);]]",
    ),
    "source-first": (
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>) { [[*q = *p; ~ *q += *p; ~ let t = *p; *q = t; "
        "~ if G { *q = *p; } ~ *q = *p; *p = N;]] } # var x = V; var y = U; f(&x, &y); ASK y;",
    ),
    "chained-swizzles": (
        "let y = vec4u(U, V, N, V); ASK y.[[yxw.xz.x ~ zyx.y ~ xy.yx.x ~ rgb.gb.x]];",
        "var x = vec3u(U, V, U); let y = x.[[zyx.yz ~ yx.xy]]; [[x.y = N; ~ ]] ASK y.x;",
    ),
    "bitcasts": (
        "let y = bitcast<u32>(i32(V)); [[ASK y; ~ ASK bitcast<vec2u>(vec2i(i32(y), 1i)).x;]]",
        "[[var x = V; x = bitcast<u32>(x); ASK x; ~ if bitcast<i32>(V) < 3i { R }]]",
    ),
    "counted-in-callee": (
        f"fn f(p: ptr<function, u32>, a: u32) {{ [[if a == 1u {{ {_COUNT} }} ~ if a == 1u {{ }} else {{ {_COUNT} }} "
        f"~ switch a {{ case 1u {{ {_COUNT} }} default {{ }} }} ~ while a == 1u {{ {_COUNT} break; }}]] }} "
        "# var x = U; f(&x, V); ASK x;",
    ),
    "returned-through-three": (
        "fn f(a: u32) -> u32 { [[return a; ~ if a == 1u { return N; } return U; ~ return V;]] } "
        "fn g(a: u32) -> u32 { [[ ~ state = N;]] return f(a); } fn h(a: u32) -> u32 { return g(a) [[ ~ + N]]; } "
        "# [[let y = h(V); ASK y; ~ ASK h(V);]]",
        "fn f(p: ptr<function, u32>) -> u32 { return *p; } fn g(p: ptr<function, u32>) -> u32 { return f(p); } "
        "fn h(p: ptr<function, u32>) -> u32 { [[*p += N; ~ ]] return g(p); } # var x = V; let y = h(&x); ASK y;",
    ),
    "third-parameter": (
        "fn f(a: u32, b: u32, c: u32) { ASK c; } # f(U, U, V);",
        "fn f(a: u32, b: u32, c: u32, d: u32) -> u32 { return c; } # ASK f(U, N, V, U);",
    ),
    "shadowing": (
        "var x = V; [[{ var x = U; [[x += N; ~ ]] } ~ loop { let x = U; if x == 1u { break; } if G { return; } } "
        "~ for (var x = U; x < 3u; x++) { }]] ASK x;",
        "fn f(a: u32) { [[if G { var a = U; a = N; } ~ { let a = N; _ = a; }]] ASK a; } # f(V);",
    ),
}

_SETTLED: Mapping[str, Texts] = {
    "contents-in-loop": (
        "fn f(p: ptr<function, u32>, a: u32) { [[loop { *p = a; if G { break; } } ~ for (*p = a; G; ) { } "
        "~ loop { *p = a; continuing { break if G; } } ~ loop { if G { *p = a; break; } [[*p = U; ~ ]] }]] } "
        "# var x = W; f(&x, U); ASK x;",
    ),
    "contents-in-switch": (
        "fn f(p: ptr<function, u32>, a: u32) { switch U { case 1u { *p = a; [[break; ~ return; ~ ]] } "
        "[[case 2u, 3u { *p = N; } ~ ]] default { *p = a; } } } # var x = W; f(&x, U); ASK x;",
    ),
    "contents-in-else": (
        "fn f(p: ptr<function, u32>, a: u32) { if G { [[*p = a; ~ *p = N; ~ *p = a; return;]] } else { *p = a; } } "
        "# var x = W; f(&x, U); ASK x;",
    ),
    "overwritten": (
        "var x = W; [[if G { x = U; } else { return; } ~ if G { return; } else { x = U; } "
        "~ if G { return; } else { if G { x = U; } else { x = N; } } ~ if G { x = U; } else { x = W; return; } "
        "~ switch U { case 1u { return; } case 2u { x = U; } default { x = N; } }]] ASK x;",
        "var x = W; loop { [[if G { x = U; } else { return; } ~ x = W; if G { continue; } else { x = U; } "
        "~ if G { continue; } else { x = U; } ~ switch U { case 1u { continue; } default { x = U; } }]] break; } "
        "ASK x;",
    ),
    "four-clauses": (
        "var x = W; switch U { case 1u { x = U; } case 2u { x = U; } case 3u, 4u { [[x = U; ~ return;]] } "
        "default { x = U; } } ASK x;",
    ),
    "loop-in-clause": (
        "var x = W; switch U { case 1u { loop { x = U; if G { break; } x = W; } } default { x = U; } } ASK x;",
    ),
    "inputs-in-structure": ("INPUTS # var x = W; x = [[workgroup_id.x ~ num_workgroups.z]]; ASK x;",),
    "source-first": (
        "fn f(p: ptr<function, u32>, q: ptr<function, u32>) { *q = *p; [[*p = W; ~ ]] } "
        "# var x = U; var y = W; f(&x, &y); ASK y;",
    ),
    "shadowing": (
        "var x = U; [[{ var x = W; [[x += N; ~ ]] } ~ if G { let x = W; _ = x; } "
        "~ loop { var x = W; x++; if G { break; } } ~ switch U { case 1u { var x = W; x = N; } default { } }]] ASK x;",
    ),
}
"""Accepted as they are: what is not uniform is replaced, is another variable, or does not get behind."""


def _around_contents(stored: str, required: str) -> Texts:
    """A function that stores, or requires, and its calls."""
    f = "fn f(p: ptr<function, u32>, a: u32)"
    return (
        f"{f} {{ {stored} }} # var x = U; [[f(&x, V); ~ if G {{ f(&x, V); }} ~ let q = &x; f(q, V);]] ASK x;",
        f"{f} {{ {required} }} # var x = V; [[f(&x, U); ~ let q = &x; f(q, N);]]",
    )


def _storing(text: str) -> str:
    """A text with the function that it calls."""
    more, _, body = text.rpartition("# ")
    f = "fn f(p: ptr<function, u32>, a: u32) -> u32 { [[*p = a; ~ let q = p; *q = a; ~ *p = a + N;]] return N; }"
    return f"{f} {more}# var x = S; {body.replace('CALL', 'f(&x, A)')}"


# ------------------------------------------------------------------------------------------------------------ drawing

_HOLE = re.compile(r"ASK ([^;]+);|\b(?:[VDUGWNRESA]|SPACE)\b|(?<![.\w])[a-z]\b")
_MARK = re.compile(r"(\[\[| ~ |\]\])")


class _Choice(NamedTuple):
    """Texts of which one is taken, each of words and further choices."""

    ways: "tuple[tuple[str | _Choice, ...], ...]"


@cache
def _parsed(text: str) -> _Choice:
    return _choice(iter(_MARK.split(text)))


def _choice(tokens: Iterator[str]) -> _Choice:
    ways: list[list[str | _Choice]] = [[]]
    for token in tokens:
        match token:
            case "[[":
                ways[-1].append(_choice(tokens))
            case " ~ ":
                ways.append([])
            case "]]":
                break
            case _:
                ways[-1].append(token)
    return _Choice(tuple(map(tuple, ways)))


def _chosen(d: MotifDrawer, choice: _Choice) -> str:
    way = choice.ways[0] if len(choice.ways) == 1 else d.source.pick(choice.ways)
    return "".join([part if isinstance(part, str) else _chosen(d, part) for part in way])


class _Holes:
    """What stands in the holes of one motif."""

    def __init__(self, d: MotifDrawer, settled: bool) -> None:
        self.d = d
        self.number = d.name("")
        self.draw: Mapping[str, Callable[[], str]] = {
            "V": d.suspect,
            "D": d.doubt,
            "U": d.uniform,
            "G": d.guess,
            "W": d.varying,
            "N": d.number,
            "S": d.varying if settled else d.uniform,
            "A": d.uniform if settled else d.suspect,
            "R": lambda: f"{touch_requiring(d)}();" if d.chance(20) else d.require(),
            "E": lambda: _needing(d),
            "SPACE": lambda: "workgroup" if d.stage is Stage.COMPUTE else "private",
        }

    def filled(self, text: str) -> str:
        """A text with its choices made and its holes filled."""
        return _HOLE.sub(self._fill, _chosen(self.d, _parsed(text)))

    def _fill(self, hole: re.Match[str]) -> str:
        if hole[1]:
            return self.d.guarded(self.d.test(_HOLE.sub(self._fill, hole[1])))
        return self.draw[hole[0]]() if hole[0] in self.draw else hole[0] + self.number


def _needing(d: MotifDrawer) -> str:
    """A u32 that requires uniform control flow: a call of a built-in function, or of one that requires it."""
    if d.chance(35):
        return f"{touch_requiring(d, 'u32')}()"
    if d.subgroups and d.chance(60):
        return d.pick("subgroupAdd(1u)", "subgroupMax(2u)", "subgroupBroadcastFirst(1u)", "u32(subgroupElect())")
    if d.stage is Stage.COMPUTE:
        return "workgroupUniformLoad(&words)[0]"
    return d.pick("u32(dpdx(1.0))", "u32(fwidth(1.0))", "u32(textureSample(image, linear_sampler, vec2f()).x)")


def _take_inputs(d: MotifDrawer) -> bool:
    """Gives the entry point a structure of inputs that are all uniform; False if it has none, or one of the kind."""
    if d.stage is not Stage.COMPUTE or d.taken:
        return False
    struct, p, names = d.name("Inputs"), d.name("inputs"), ("workgroup_id", "num_workgroups")
    d.taken.update({name: f"{p}.{name}" for name in names})
    d.declare(f"struct {struct} {{ {', '.join(f'@builtin({name}) {name}: vec3u' for name in names)} }}")
    d.parameters.append(f"{p}: {struct}")
    return True


def _motif(name: str, texts: Texts, *, settled: bool) -> Callable[[MotifDrawer], str]:
    """The motif of the texts of one shape."""

    def drawn(d: MotifDrawer) -> str:
        declared, _, body = d.source.pick(texts).rpartition("# ")
        if declared == "INPUTS " and not _take_inputs(d):
            return d.guarded(d.doubt())
        holes = _Holes(d, settled)
        if declared not in ("", "INPUTS "):
            with d.helper():
                d.declare(holes.filled(declared))
        return holes.filled(body)

    drawn.__name__ = f"{name}_settled" if settled else name
    return drawn


def _motifs(*tables: Mapping[str, Texts], settled: bool = False) -> tuple[Callable[[MotifDrawer], str], ...]:
    """A motif for each shape in any of the tables; some shapes more than once."""
    texts: dict[str, Texts] = {}
    for table in tables:
        for name, more in table.items():
            texts[name] = texts.get(name, ()) + more
    made = [_motif(name, of, settled=settled) for name, of in texts.items()]
    return tuple([motif for motif in made for _ in range(1 + (motif.__name__ in _OFTEN))])


_OFTEN = words(
    """contents-around-continue contents-around-break stores-handed-on empty-clause required-in-index bitcasts
    required-in-update inputs-in-structure chained-swizzles counted-in-callee returned-through-three shadowing"""
)
"""What decides least often where it is drawn, and is in no other motif."""
_ALWAYS, _SOMETIMES = (
    {name: tuple(map(_storing, texts)) for name, texts in table.items()} for table in (_STORES, _STORES_SOMETIMES)
)
_AROUND = {name: _around_contents(*bodies) for name, bodies in _CONTENTS.items()}
SHAPES = _motifs(_AROUND, _ALWAYS, _SOMETIMES, _REJECTED)
SETTLED_SHAPES = _motifs(_ALWAYS, _SETTLED, settled=True)
