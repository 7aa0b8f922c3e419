"""Motifs of control flow (15.2.6): jumps, loops and branches that some invocations take and others do not."""

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.texts import Texts, motifs, requiring_function, where

_IFS = (
    "[[if D { P return; } else if D { P return; } else { P return; } "
    "~ if G { P return; } else if D { return; } else { P return; } "
    "~ if D { if G { P return; } else { return; } } else { P return; }]]"
)
ALL_LEAVE = (
    f"[[{_IFS} ~ {_IFS} ~ switch V {{ case 1u {{ P return; }} case 2u, 3u {{ P return; }} default {{ return; }} }} "
    "~ if D { P return; } else { switch U { case 1u { P return; } default { return; } } }]]"
)
_STATEMENT = (
    "[[x = U; ~ x += N; ~ x++; ~ let k = U; ~ var v = U; ~ var v: u32; ~ const c = N; ~ _ = U; ~ const_assert true; "
    "~ ; ~ { ; } ~ { x = N; } ~ f(); ~ atomicStore(&total, 1u); ~ DISCARD]]"
)
_JUMP_OF_ALL = "[[return; ~ if G { return; } else { return; } ~ loop { return; }]]"
_DEAD = "[[if B { R } ~ if B { return; }]]"
_HEAD = "[[while D ~ for (; D;) ~ for (; D; state += 1u) ~ for (var i = V; i < 4u; i++) ~ for (var i = U; i < V; i++)]]"
_SELECTOR = "[[V ~ (V & 3u) ~ (V + 1u)]]"


def _clause(body: str) -> str:
    """A clause for some values and a default clause, or one that is both."""
    return (
        f"[[case 1u [[ ~ , 3u]] {{ {body} }} default {{ }} ~ case 1u, default {{ {body} }} ~ default {{ {body} }} "
        f"~ case 2u, 4u, default {{ {body} }}]]"
    )


_FLOW: dict[str, Texts] = {
    "branch": ("ASK V;",),
    "nested-branches": (
        "if D { ASK U; }",
        "if G { ASK V; }",
        "if D { P } else if G { P R }",
        "if G { P } else if D { P R }",
    ),
    "early-return": (
        "if D { P return; } R",
        "if D { P } else { P return; } R",
        "if G { if D { P return; } } R",
        "if G { return; } else if D { P return; } R",
        "{ if D { P return; } P } R",
        "if D { return; } else if D { return; } else { [[return; ~ P]] } R",
        "if D { return; } else { return; } R",
    ),
    "all-leave": (f"if G {{ {ALL_LEAVE} R }}", f"loop {{ {_IFS.replace('return', 'break')} R }}"),
    "statements-before": (
        f"fn f() {{ state = N; }} # var x = 0u; [[if D {{ {_STATEMENT} P }} R ~ if D {{ {_STATEMENT} R }} "
        f"~ if D {{ [[ ~ return;]] }} {_STATEMENT} R ~ {_STATEMENT} R]]",
    ),
    "discarded": ("if B { DISCARD } R", "if D { DISCARD R }"),
    "dead-code": (
        f"if G {{ {_JUMP_OF_ALL} P {_DEAD} }} R",
        f"loop {{ P [[break; ~ {_JUMP_OF_ALL}]] {_DEAD} }} R",
        "loop { [[break; ~ return; ~ if G { break; } return;]] continuing { if B { R } } } R",
        f"switch U {{ case 1u {{ break; {_DEAD} }} default {{ {_JUMP_OF_ALL} P {_DEAD} }} }} R",
        "if G { loop { [[ ~ if D { return; }]] return; } } R",
    ),
    "headed-loop": (
        f"{_HEAD} {{ [[R ~ if G {{ return; }} ~ if G {{ continue; }} R]] [[ ~  ~ break;]] }} [[ ~ R]]",
        f"{_HEAD} {{ break; }} R",
        "{ var i = 1u; for (i = V; i < 4u; i++) { R } }",
        "while G { if D { JUMP } R }",
    ),
    "loop-left-at-once": (
        "loop { R if D { [[break; ~ return;]] } [[break; ~ return;]] [[ ~ continuing { P break if G; }]] }",
        "loop { [[ ~ if B { return; }]] return; continuing { [[ ~ R]] break if [[G ~ D]]; } } R",
        "if G { loop { P return; continuing { break if D; } } R }",
    ),
    "break-if": (
        "loop { [[ ~ P ~ if G { continue; }]] R continuing { P break if D; } }",
        "loop { [[R ~ P ~ if G { return; } ~ if G { continue; }]] "
        "continuing { [[ ~  ~ R ~ P]] break if D; } } [[ ~ R]]",
    ),
    "clauses": (
        f"switch {_SELECTOR} {{ {_clause('R [[ ~ break;]]')} case 5u {{ }} }}",
        f"switch {_SELECTOR} {{ case 5u {{ }} {_clause('R')} }}",
        f"switch U {{ {_clause('if D { [[return; ~ break;]] } R')} }}",
        f"switch {_SELECTOR} {{ {_clause('[[ ~ if G { break; }]] return;')} }} R",
        f"switch {_SELECTOR} {{ case 5u {{ [[ ~ if G {{ break; }}]] }} {_clause('return;')} }} R",
        f"switch {_SELECTOR} {{ {_clause('break;')} }} R",
        f"switch U {{ {_clause('if D { [[return; ~ break;]] }')} case 5u {{ return; }} }} R",
        f"loop {{ switch U {{ {_clause('if D { JUMP }')} }} R if G {{ break; }} }}",
    ),
}
_JUMPS = Odds([("break;", 4), ("continue;", 3), ("return;", 3)])
_TAILS = Odds([("", 8), ("break;", 2), ("return;", 2), ("continue;", 2)])


def jumps(d: MotifDrawer) -> str:
    """A loop whose body has any behaviours: one jump decides, at the head or end of a round, or behind the loop."""
    exits = [f"if {d.guess()} {{ {d.padding()} {d.source.weighted(_JUMPS)} }}" for _ in range(d.source.integer(0, 2))]
    if d.chance(85):
        decides = f"if {d.doubt()} {{ {d.padding()} {d.source.weighted(_JUMPS)} }}"
        exits.insert(d.source.integer(0, len(exits)), decides)
    exits.append(d.source.weighted(_TAILS))
    leaves = any(word in text for text in exits for word in ("break;", "return;"))
    if exits[-1] and d.chance(15):
        exits.append(f"if {d.varying()} == 1u {{ {d.pick(d.require(), 'return;')} }}")
    where = d.source.integer(0, 5)
    if where <= 1:
        exits.insert(d.source.integer(0, max(0, len(exits) - 1)), d.require())
    inside = d.require() if where == 2 else d.padding() if d.chance(20) else ""
    return f"{_iteration(d, exits, inside, leaves)} {d.require() if where >= 3 else ''}"


def _iteration(d: MotifDrawer, body: list[str], continuing: str, leaves: bool) -> str:
    """A loop of any kind with this body, which may leave it or not; a `while` has no place for a continuing."""
    text = " ".join(filter(None, body))
    match d.source.integer(0, 9):
        case 0:
            return f"while {d.guess()} {{ {text} }}"
        case 1:
            update = f"{requiring_function(d)}()" if continuing else d.pick("", "state = 1u")
            condition = d.guess() if not leaves or d.chance(50) else ""
            return f"for (; {condition}; {update}) {{ {text} }}"
        case 2 | 3:
            end = d.pick("", f"break if {d.guess()};") if leaves else f"break if {d.guess()};"
            return f"loop {{ {text} continuing {{ {continuing} {end} }} }}"
        case 4:
            return f"loop {{ if {d.guess()} {{ break; }} {text} continuing {{ {continuing} }} }}"
        case _ if leaves:
            return f"loop {{ {text} {f'continuing {{ {continuing} }}' if continuing else ''} }}"
        case _:
            return f"loop {{ {text} continuing {{ {continuing} break if {d.guess()}; }} }}"


FLOW = (*motifs(_FLOW, times={"clauses": 2, "headed-loop": 2, "all-leave": 2}), jumps, jumps)

_READ = (
    ("", "", "1u"),
    ("", "let x = 1u;", "x"),
    ("", "var x = 1u;", "x"),
    ("", "const x = 1u;", "x"),
    *[("", "", "knob")] * 4,
    ("", "", "SIZE"),
    ("", "", "limit.x"),
    ("", "", "table[1]"),
    *[("x: u32", "", "x")] * 2,
    *[("x: ptr<function, u32>", "", "*x")] * 2,
    *[("x: ptr<uniform, vec4u>", "", e) for e in ("x.z", "(*x).y")],
    ("x: ptr<uniform, vec4u>", "let y = x;", "(*y).x"),
    *[("", "", "g()")] * 2,
    *[("", "", "u32()")] * 2,
    *[("", "", "max(1u, 2u)")] * 2,
    ("", "", "arrayLength(&table)"),
    ("", "", "textureDimensions(image).x"),
    ("", "let x = vec2u(1u);", "x.y"),
    ("", "let x = array<u32, 2>();", "x[1]"),
    ("", "let x = 1u;", "~x"),
)
"""Parameters, statements before, and an expression: one of each kind of name, and of what is made of it."""
_GIVEN = {"": "", "x: u32": "1u", "x: ptr<function, u32>": "&a", "x: ptr<uniform, vec4u>": "&limit"}


def _returned(parameters: str, before: str, e: str) -> str:
    """Some invocations return here and others there, whatever they return."""
    body = (
        f"[[if V == 1u {{ return {e}; }} return {e}; ~ if V == 1u {{ return {e}; }} else {{ return {e}; }} "
        f"~ loop {{ if V == 1u {{ return {e}; }} if G {{ return {e}; }} }} "
        f"~ switch u32(V == 1u) {{ case 1u {{ return {e}; }} default {{ return {e}; }} }}]]"
    )
    function = f"fn f({parameters}) -> u32 {{ {before} {body} }}"
    return f"fn g() -> u32 {{ return 1u; }} {function} # var a = 1u; ASK f({_GIVEN[parameters]});"


_BOOLS = (
    ("let x = true;", "x"),
    ("var x = true;", "x"),
    ("const x = true;", "x"),
    ("", "true"),
    ("", "bool()"),
    ("fn f() -> bool { P return true; } #", "f()"),
    *[("COMPUTE #", "(workgroup_id.x == num_workgroups.x)"), ("FRAGMENT #", "(limit.x == limit.y)")] * 3,
    ("var x = vec2<bool>(true);", "x.y"),
    ("let x = array<bool, 2>();", "x[1]"),
    ("let x = true;", "(!x)"),
    ("", "(limit.x == limit.x)"),
    ("", "(knob == knob)"),
    ("", "(SIZE == SIZE)"),
    ("", "(table[0] < table[1])"),
    ("var x = 1u; let p = &x;", "(*p == *p)"),
)


def _operand(before: str, e: str) -> str:
    """The right side of `&&` or `||` is evaluated by some: its value takes their control flow along."""
    condition = f"D [[&& ~ ||]] {e}"
    return f"{before} [[GUARD ({condition}); ~ let y = {condition}; GUARD y; ~ let y = {condition}; if G && y {{ R }}]]"


_OPERANDS: Texts = tuple(_operand(*row) for row in _BOOLS)
_INNER = (
    "[[loop { R if G { break; } } ~ while G { R } ~ loop { if G { break; } continuing { R } } "
    "~ for (var i = 0u; i < 2u; i++) { R } ~ loop { R break; }]]"
)
_STORING = "fn f(p: ptr<function, u32>) -> bool { [[ ~ if *p == 1u { R }]] *p = V; return true; } # var x = U;"
_INDEXED = "[[x[f(&x)] ~ x[f(&x) & 1u] ~ (&x)[f(&x)]]]"
_TESTED = "[[(x == 1u) == f(&x) ~ (x < 3u) != f(&x) ~ f(&x)]]"
_ROUND = "[[R ~ P]] [[break; ~ return; ~ if G { return; } break; ~ if G { break; }]]"
_FILTERED_CALL = "[[subgroupAny(true) ~ subgroupAll(false) ~ (subgroupBallot(true).x == 1u)]]"
_FLOWS: dict[str, Texts] = {
    "flow-in-result": tuple(_returned(*row) for row in _READ),
    "flow-in-operand": _OPERANDS,
    "flow-in-call": (
        "fn f() -> array<u32, 2> { R return array<u32, 2>(); } fn g(a: u32) -> u32 { R return 1u; } "
        "# _ = [[f()[W & 1u] ~ W + g(1u) ~ g(W) ~ vec2u(W, g(2u)).x ~ max(g(1u), W) + g(2u) "
        "~ array<u32, 4>()[g(W) & 3u] ~ f()[g(1u) & 1u] ^ W]];",
    ),
    "index-first": (
        "fn f(p: ptr<function, array<u32, 2>>) -> u32 { [[*p = array<u32, 2>(Y, 1u); ~ (*p)[0] = Y;]] return 0u; } "
        f"# var x = array<u32, 2>(X, 1u); [[ASK {_INDEXED}; ~ let y = {_INDEXED}; ASK y;]]",
    ),
    "written-in-condition": (
        f"{_STORING} [[while f(&x) {{ if G {{ break; }} }} "
        "~ for (; f(&x); ) { if x == 2u { R } if G { break; } } "
        "~ loop { if x == 2u { R } if G { break; } _ = f(&x); } "
        "~ loop { if G { break; } if x == 2u { R } continuing { _ = f(&x); } } "
        "~ loop { if G { break; } if x == 2u { R } continuing { break if f(&x); } } "
        "~ while G && f(&x) { if x == 2u { R } } ~ if f(&x) { if x == 2u { R } }]]",
    ),
    "evaluated-once": (f"{_STORING} [[while {_TESTED} {{ {_ROUND} }} ~ for (; {_TESTED}; ) {{ {_ROUND} }}]]",),
    "uneven-rounds": (
        f"loop {{ {_INNER} if D {{ JUMP }} if G {{ break; }} }}",
        f"loop {{ if D {{ JUMP }} {_INNER} if G {{ break; }} }}",
        f"while G {{ {_INNER} if D {{ JUMP }} }}",
        f"loop {{ {_INNER} continuing {{ break if D; }} }}",
        f"if D {{ {_INNER} }}",
        "loop { R if B { [[break; ~ return;]] } P break; }",
        "loop { R if B { return; } [[return; ~ break;]] continuing { } }",
        f"loop {{ if G {{ break; }} {_INNER} if D {{ JUMP }} JUMP }}",
        f"fn f() {{ loop {{ [[R ~ P]] continuing {{ {_INNER} break if G; }} }} }} # [[f(); R ~ if D {{ f(); }}]]",
    ),
    "flow-of-filtered": (
        f"SUBGROUPS # if D {{ @diagnostic(off, subgroup_uniformity) if {_FILTERED_CALL} "
        "{ @diagnostic(error, subgroup_uniformity) { _ = subgroupAdd(1u); } } }",
        *where("WORKGROUPS", *_OPERANDS),
    ),
}
FLOWS = motifs(_FLOWS, times={"flow-in-result": 3, "index-first": 2})
FLOW_OF_FILTERED = FLOWS[-1]
