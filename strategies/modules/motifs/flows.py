"""Motifs of the control flow that values take along (15.2.8): what an expression gives depends on who evaluates it."""

from wgsl_fuzz.strategies.modules.motifs.drawing import MotifDrawer
from wgsl_fuzz.wgsl.builtins import Stage

_NAMES = (
    ("", "", "1u"),
    ("", "let x = 1u;", "x"),
    ("", "var x = 1u;", "x"),
    ("", "const x = 1u;", "x"),
    *[("", "", "knob")] * 3,
    ("", "", "SIZE"),
    ("", "", "limit.x"),
    ("", "", "table[1]"),
    *[("x: u32", "", "x")] * 2,
    *[("x: ptr<function, u32>", "", "*x")] * 2,
    ("x: ptr<uniform, vec4u>", "", "x.z"),
    ("x: ptr<uniform, vec4u>", "let y = x;", "(*y).x"),
    ("", "", "knob"),
    ("", "", "constant()"),
    ("x: ptr<uniform, vec4u>", "", "(*x).y"),
    *[("", "", "u32()")] * 2,
    *[("", "", "max(1u, 2u)")] * 2,
    ("", "", "arrayLength(&table)"),
    ("", "", "textureDimensions(image).x"),
    ("", "", "constant()"),
    ("", "let x = vec2u(1u);", "x.y"),
    ("", "let x = array<u32, 2>();", "x[1]"),
    ("", "let x = 1u;", "~x"),
)
"""Parameters, statements before, and an expression: one of each kind of name, and of what is made of it."""


def flow_in_result(d: MotifDrawer) -> str:
    """Some invocations return here and others there, whatever they return."""
    f = d.name("f")
    with d.helper():
        parameters, before, e = d.source.pick(_NAMES)
        if "constant" in e:
            g = d.name("constant")
            d.declare(f"fn {g}() -> u32 {{ return 1u; }}")
            e = f"{g}()"
        condition = f"{d.suspect()} == 1u"
        body = d.pick(
            f"if {condition} {{ return {e}; }} return {e};",
            f"if {condition} {{ return {e}; }} else {{ return {e}; }}",
            f"loop {{ if {condition} {{ return {e}; }} if {d.guess()} {{ return {e}; }} }}",
            f"switch u32({condition}) {{ case 1u {{ return {e}; }} default {{ return {e}; }} }}",
        )
        d.declare(f"fn {f}({parameters}) -> u32 {{ {before} {body} }}")
    a = d.name("a")
    given = "" if not parameters else "&limit" if "uniform" in parameters else f"&{a}" if "ptr" in parameters else "1u"
    return f"{f'var {a} = 1u;' if '&' in given and 'limit' not in given else ''} {d.guarded(d.test(f'{f}({given})'))}"


def flow_in_operand(d: MotifDrawer) -> str:
    """The right side of `&&` or `||` is evaluated by some: its value takes their control flow along."""
    x, f = d.name("x"), d.name("f")
    before, e = d.source.pick(
        (
            (f"let {x} = true;", x),
            (f"var {x} = true;", x),
            (f"const {x} = true;", x),
            ("", "true"),
            ("", "bool()"),
            ("", f"{f}()"),
            *[("", "(workgroup_id.x == num_workgroups.x)" if d.stage is Stage.COMPUTE else "(limit.x == limit.y)")] * 3,
            (f"var {x} = vec2<bool>(true);", f"{x}.y"),
            (f"let {x} = array<bool, 2>();", f"{x}[1]"),
            (f"let {x} = true;", f"(!{x})"),
            ("", "(limit.x == limit.x)"),
            ("", "(knob == knob)"),
            ("", "(SIZE == SIZE)"),
            ("", "(table[0] < table[1])"),
            (f"var {x} = 1u; let p{x} = &{x};", f"(*p{x} == *p{x})"),
        )
    )
    if f in e:
        with d.helper():
            d.declare(f"fn {f}() -> bool {{ {d.padding()} return true; }}")
    condition = f"{d.doubt()} {d.pick('&&', '||')} {e}"
    y = d.name("y")
    return f"{before} " + d.pick(
        d.guarded(f"({condition})"),
        f"let {y} = {condition}; {d.guarded(y)}",
        f"let {y} = {condition}; if {d.guess()} && {y} {{ {d.require()} }}",
    )


def flow_in_call(d: MotifDrawer) -> str:
    """The index, the base, the arguments: all of them are evaluated in the control flow before them."""
    f, g = d.name("f"), d.name("g")
    with d.helper():
        d.declare(f"fn {f}() -> array<u32, 2> {{ {d.require()} return array<u32, 2>(); }}")
        d.declare(f"fn {g}(a: u32) -> u32 {{ {d.require()} return 1u; }}")
    return d.pick(
        f"_ = {f}()[{d.varying()} & 1u];",
        f"_ = {d.varying()} + {g}(1u);",
        f"_ = {g}({d.varying()});",
        f"_ = vec2u({d.varying()}, {g}(2u));",
        f"_ = max({g}(1u), {d.varying()}) + {g}(2u);",
        f"_ = array<u32, 4>()[{g}({d.varying()}) & 3u];",
        f"_ = {f}()[{g}(1u) & 1u] ^ {d.varying()};",
    )


def index_first(d: MotifDrawer) -> str:
    """An index changes what its base reads."""
    x, f = d.name("x"), d.name("f")
    cures = d.chance(50)
    with d.helper():
        e = d.uniform() if cures else d.suspect()
        store = d.pick(
            f"*p = array<u32, 2>({e}, 1u);", f"(*p)[0] = {e};" if not cures else f"*p = array<u32, 2>({e}, {e});"
        )
        d.declare(f"fn {f}(p: ptr<function, array<u32, 2>>) -> u32 {{ {store} return 0u; }}")
    start = d.suspect() if cures else d.uniform()
    y = d.name("y")
    reads = d.pick(f"{x}[{f}(&{x})]", f"{x}[{f}(&{x}) & 1u]", f"(&{x})[{f}(&{x})]")
    shape = d.pick(d.guarded(d.test(reads)), f"let {y} = {reads}; {d.guarded(d.test(y))}")
    return f"var {x} = array<u32, 2>({start}, 1u); {shape}"


def written_in_condition(d: MotifDrawer) -> str:
    """A call in the condition of a loop changes what the next round asks; nothing else does."""
    x, f = d.name("x"), d.name("f")
    with d.helper():
        reads = d.some(f"if *p == 1u {{ {d.require()} }}")
        d.declare(f"fn {f}(p: ptr<function, u32>) -> bool {{ {reads} *p = {d.suspect()}; return true; }}")
    test = f"if {x} == 2u {{ {d.require()} }}"
    leaves = f"if {d.guess()} {{ break; }}"
    return f"var {x} = {d.uniform()}; " + d.pick(
        f"while {f}(&{x}) {{ {leaves} }}",
        f"for (; {f}(&{x}); ) {{ {test} {leaves} }}",
        f"loop {{ {test} {leaves} _ = {f}(&{x}); }}",
        f"loop {{ {leaves} {test} continuing {{ _ = {f}(&{x}); }} }}",
        f"loop {{ {leaves} {test} continuing {{ break if {f}(&{x}); }} }}",
        f"while {d.guess()} && {f}(&{x}) {{ {test} }}",
        f"if {f}(&{x}) {{ {test} }}",
    )


def evaluated_once(d: MotifDrawer) -> str:
    """A call in the condition of a loop changes what the condition read before; no other round asks again, or one."""
    x, f = d.name("x"), d.name("f")
    with d.helper():
        reads = d.some(f"if *p == 1u {{ {d.require()} }}")
        d.declare(f"fn {f}(p: ptr<function, u32>) -> bool {{ {reads} *p = {d.suspect()}; return true; }}")
    condition = d.pick(f"({x} == 1u) == {f}(&{x})", f"({x} < 3u) != {f}(&{x})", f"{f}(&{x})")
    leaves = d.pick("break;", "return;", f"if {d.guess()} {{ return; }} break;", f"if {d.guess()} {{ break; }}")
    body = f"{d.require() if condition[0] == '(' else d.padding()} {leaves}"
    return f"var {x} = {d.uniform()}; " + d.pick(
        f"while {condition} {{ {body} }}", f"for (; {condition}; ) {{ {body} }}"
    )


def flow_of_filtered(d: MotifDrawer) -> str:
    """A subgroup operation without arguments that are read, with its own requirement switched off."""
    if not d.subgroups:
        return flow_in_operand(d)
    call = d.pick("subgroupAny(true)", "subgroupAll(false)", "(subgroupBallot(true).x == 1u)")
    inner = f"@diagnostic(error, subgroup_uniformity) {{ {d.require_in_subgroup()} }}"
    return f"if {d.doubt()} {{ @diagnostic(off, subgroup_uniformity) if {call} {{ {inner} }} }}"


def uneven_rounds(d: MotifDrawer) -> str:
    """An outer loop decides who comes to an inner one; a jump of the last round, who comes to the next."""
    leaves = d.pick(f"if {d.doubt()} {{ break; }}", f"if {d.doubt()} {{ continue; }}", f"if {d.doubt()} {{ return; }}")
    inner = d.pick(
        f"loop {{ {d.require()} if {d.guess()} {{ break; }} }}",
        f"while {d.guess()} {{ {d.require()} }}",
        f"loop {{ if {d.guess()} {{ break; }} continuing {{ {d.require()} }} }}",
        f"for (var i = 0u; i < 2u; i++) {{ {d.require()} }}",
        f"loop {{ {d.require()} break; }}",
    )
    return d.pick(
        f"loop {{ {inner} {leaves} if {d.guess()} {{ break; }} }}",
        f"loop {{ {leaves} {inner} if {d.guess()} {{ break; }} }}",
        f"while {d.guess()} {{ {inner} {leaves} }}",
        f"loop {{ {inner} continuing {{ break if {d.doubt()}; }} }}",
        f"if {d.doubt()} {{ {inner} }}",
        f"loop {{ {d.require()} if {d.varying()} == 1u {{ {d.pick('break;', 'return;')} }} {d.padding()} break; }}",
        f"loop {{ {d.require()} if {d.varying()} == 1u {{ return; }} {d.pick('return;', 'break;')} continuing {{ }} }}",
        f"loop {{ if {d.guess()} {{ break; }} {inner} {leaves} {d.pick('return;', 'break;', 'continue;')} }}",
    )


FLOWS = (
    flow_in_result,
    flow_in_result,
    flow_in_result,
    flow_in_result,
    flow_in_operand,
    flow_in_call,
    index_first,
    written_in_condition,
    evaluated_once,
    uneven_rounds,
    flow_of_filtered,
)
