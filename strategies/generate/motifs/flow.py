"""Motifs of control flow (15.2.6): jumps, loops and branches that some invocations take and others do not."""

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.wgsl.builtins import Stage

_JUMPS = Table([("break;", 4), ("continue;", 3), ("return;", 3)])
_TAILS = Table([("", 8), ("break;", 2), ("return;", 2), ("continue;", 2)])


def branch(d: MotifDrawer) -> str:
    """A requirement under a condition."""
    return d.guarded(d.doubt())


def nested_branches(d: MotifDrawer) -> str:
    """A requirement under two conditions, of which one decides."""
    first, second = (d.doubt(), d.guess()) if d.chance(50) else (d.guess(), d.doubt())
    inner = d.guarded(second)
    return (
        d.pick(f"if {first} {{ {inner} }}", f"if {first} {{ {d.padding()} }} else {inner}")
        if inner[:2] == "if"
        else (f"if {first} {{ {inner} }}")
    )


def early_return(d: MotifDrawer) -> str:
    """Some invocations return before a requirement."""
    leaves = f"{d.padding()} return;"
    match d.source.integer(0, 7):
        case 0 | 1:
            return f"if {d.doubt()} {{ {leaves} }} {d.require()}"
        case 2:
            return f"if {d.doubt()} {{ {d.padding()} }} else {{ {leaves} }} {d.require()}"
        case 3:
            return f"if {d.guess()} {{ if {d.doubt()} {{ {leaves} }} }} {d.require()}"
        case 4:
            return f"if {d.guess()} {{ return; }} else if {d.doubt()} {{ {leaves} }} {d.require()}"
        case 5:
            return f"{{ if {d.doubt()} {{ {leaves} }} {d.padding()} }} {d.require()}"
        case 6:
            other = d.pick("return;", "return;", "", d.padding())
            return f"if {d.doubt()} {{ return; }} else if {d.doubt()} {{ return; }} else {{ {other} }} {d.require()}"
        case _:
            return f"if {d.doubt()} {{ return; }} else {{ return; }} {d.require()}"


def all_leave(d: MotifDrawer) -> str:
    """Every branch of an `if` or a `switch` leaves, so that what stands behind it is not reached."""
    first, second, third = (f"{d.padding()} return;" for _ in range(3))
    chain = d.pick(
        f"if {d.doubt()} {{ {first} }} else if {d.doubt()} {{ {second} }} else {{ {third} }}",
        f"if {d.guess()} {{ {first} }} else if {d.doubt()} {{ {second} }} else {{ {third} }}",
        f"if {d.doubt()} {{ if {d.guess()} {{ {first} }} else {{ {second} }} }} else {{ {third} }}",
        f"switch {d.suspect()} {{ case 1u {{ {first} }} case 2u, 3u {{ {second} }} default {{ {third} }} }}",
        f"if {d.doubt()} {{ {first} }} "
        f"else {{ switch {d.uniform()} {{ case 1u {{ {second} }} default {{ {third} }} }} }}",
    )
    if "switch" not in chain and d.chance(30):
        return f"loop {{ {chain.replace('return', 'break')} {d.require()} }}"
    if d.calm or d.chance(50):  # so that what follows may be reached
        return f"if {d.guess()} {{ {chain} {d.require()} }}"
    return f"{chain} {d.require()}"


def statements_before(d: MotifDrawer) -> str:
    """Each kind of simple statement, and a requirement behind it."""
    x = d.name("x")
    statement = d.pick(
        f"{x} = {d.uniform()};",
        f"{x} += {d.number()};",
        f"{x}++;",
        f"let {d.name('k')} = {d.uniform()};",
        f"var {d.name('v')} = {d.uniform()};",
        f"var {d.name('v')}: u32;",
        f"const {d.name('K')} = {d.number()};",
        f"_ = {d.uniform()};",
        "const_assert true;",
        ";",
        "{ ; }",
        f"{{ {x} = {d.number()}; }}",
        f"{touch(d)}();",
        "atomicStore(&total, 1u);",
    )
    if d.stage is Stage.FRAGMENT and d.chance(30):
        statement = "discard;"
    body = f"{statement} {d.require()}"
    around = d.pick(
        f"if {d.doubt()} {{ {statement} {d.padding()} }} {d.require()}",
        f"if {d.doubt()} {{ {body} }}",
        f"if {d.doubt()} {{ {d.pick('', 'return;')} }} {body}",
        body,
    )
    return f"var {x} = 0u; {around}"


def touch(d: MotifDrawer) -> str:
    """The name of a function that requires nothing."""
    f = d.name("touch")
    d.declare(f"fn {f}() {{ state = {d.number()}; }}")
    return f


def discarded(d: MotifDrawer) -> str:
    """Some invocations are discarded: control flow goes on."""
    leaves = "discard;" if d.stage is Stage.FRAGMENT else f"{touch(d)}();"
    return d.pick(
        f"if {d.varying()} == 1u {{ {leaves} }} {d.require()}",
        f"if {d.doubt()} {{ {leaves} {d.require()} }}",
    )


def jumps(d: MotifDrawer) -> str:
    """A loop whose body has any behaviours: one jump decides, at the head or end of a round, or behind the loop."""
    exits = [f"if {d.guess()} {{ {d.padding()} {d.source.weighted(_JUMPS)} }}" for _ in range(d.source.integer(0, 2))]
    if d.chance(85):
        decides = f"if {d.doubt()} {{ {d.padding()} {d.source.weighted(_JUMPS)} }}"
        exits.insert(d.source.integer(0, len(exits)), decides)
    exits.append(d.source.weighted(_TAILS))
    leaves = any(word in text for text in exits for word in ("break;", "return;"))
    if exits[-1] and d.chance(15):
        exits.append(dead(d))
    where = d.source.integer(0, 5)
    if where <= 1:
        exits.insert(d.source.integer(0, max(0, len(exits) - 1)), d.require())
    inside = d.require() if where == 2 else d.padding() if d.chance(20) else ""
    return f"{iteration(d, exits, inside, leaves)} {d.require() if where >= 3 else ''}"


def iteration(d: MotifDrawer, body: list[str], continuing: str, leaves: bool) -> str:
    """A loop of any kind with this body, which may leave it or not; a `while` has no place for a continuing."""
    text = " ".join(filter(None, body))
    match d.source.integer(0, 9):
        case 0:
            return f"while {d.guess()} {{ {text} }}"
        case 1:
            update = f"{touch_requiring(d)}()" if continuing else d.pick("", "state = 1u")
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


def touch_requiring(d: MotifDrawer, result: str = "") -> str:
    """The name of a function that requires uniform control flow, perhaps with a u32 as its result."""
    f = d.name("sync")
    with d.helper():
        returns = f"return {d.number()};" if result else ""
        d.declare(f"fn {f}() {result and f'-> {result} '}{{ {d.require()} {returns} }}")
    return f


def dead(d: MotifDrawer) -> str:
    """Code that no invocation reaches, and that would be rejected."""
    return d.pick(f"if {d.bare_varying()} == 1u {{ {d.require()} }}", f"if {d.bare_varying()} == 1u {{ return; }}")


def dead_code(d: MotifDrawer) -> str:
    """A jump and what it leaves behind."""
    jump = d.pick("return;", f"if {d.guess()} {{ return; }} else {{ return; }}", "loop { return; }")
    unreached = f"{jump} {d.padding()} {dead(d)}"
    leaves = d.pick("break;", "return;", f"if {d.guess()} {{ break; }} return;")
    return d.pick(
        f"if {d.guess()} {{ {unreached} }} {d.require()}",
        f"loop {{ {d.padding()} {d.pick('break;', jump)} {dead(d)} }} {d.require()}",
        f"loop {{ {leaves} continuing {{ {dead_simply(d)} }} }} {d.require()}",
        f"switch {d.uniform()} {{ case 1u {{ break; {dead(d)} }} default {{ {unreached} }} }} {d.require()}",
        f"if {d.guess()} {{ loop {{ {d.pick('', f'if {d.doubt()} {{ return; }}')} return; }} }} {d.require()}",
    )


def dead_simply(d: MotifDrawer) -> str:
    """Such code without jumps."""
    return f"if {d.bare_varying()} == 1u {{ {d.require()} }}"


def headed_loop(d: MotifDrawer) -> str:
    """The condition of `while` or `for` decides who is in the body, and not who is behind it."""
    condition = d.doubt()
    body = d.pick(d.require(), f"if {d.guess()} {{ return; }}", f"if {d.guess()} {{ continue; }} {d.require()}", "")
    leaves = d.some("break;", 30) if body else "break;"
    loop = d.pick(
        f"while {condition} {{ {body} {leaves} }}",
        f"for (; {condition};) {{ {body} {leaves} }}",
        f"for (; {condition}; state += 1u) {{ {body} {leaves} }}",
        f"for (var i = {d.suspect()}; i < 4u; i++) {{ {body} {leaves} }}",
        f"{{ var i = 1u; for (i = {d.suspect()}; i < 4u; i++) {{ {body} {leaves} }} }}",
        f"for (var i = {d.uniform()}; i < {d.suspect()}; i++) {{ {body} {leaves} }}",
        f"while {d.guess()} {{ if {condition} {{ {d.pick('break;', 'continue;', 'return;')} }} {body} }}",
    )
    return f"{loop} {d.require() if not body or d.chance(30) else ''}"


def break_if(d: MotifDrawer) -> str:
    """A loop that is left at its end, by some invocations earlier than by others."""
    body = d.pick(d.require(), d.padding(), f"if {d.guess()} {{ return; }}", f"if {d.guess()} {{ continue; }}")
    inside = d.pick("", "", d.require(), d.padding())
    behind = d.pick("", d.require())
    return f"loop {{ {body} continuing {{ {inside} break if {d.doubt()}; }} }} {behind}"


def clauses(d: MotifDrawer) -> str:
    """A `switch` whose selector decides, or a jump in one of its clauses."""
    selectors = d.pick("case 1u", "case 1u, 3u", "case 1u, default", "default", "case 2u, 4u, default")
    default = "" if "default" in selectors else "default { }"
    selector = d.pick("SELF", "(SELF & 3u)", "(SELF + 1u)").replace("SELF", d.suspect())
    calm, leaves = d.uniform(), d.some(f"if {d.guess()} {{ break; }}")
    uneven = f"if {d.doubt()} {{ {d.pick('return;', 'break;')} }}"
    return d.pick(
        f"switch {selector} {{ {selectors} {{ {d.require()} {d.some('break;', 30)} }} case 5u {{ }} {default} }}",
        f"switch {selector} {{ case 5u {{ }} {selectors} {{ {d.require()} }} {default} }}",
        f"switch {calm} {{ {selectors} {{ {uneven} {d.require()} }} {default} }}",
        f"switch {selector} {{ {selectors} {{ {leaves} return; }} {default} }} {d.require()}",
        f"switch {selector} {{ case 5u {{ {leaves} }} {selectors} {{ return; }} {default} }} {d.require()}",
        f"switch {selector} {{ {selectors} {{ break; }} {default} }} {d.require()}",
        f"switch {calm} {{ {selectors} {{ {uneven} }} case 5u {{ return; }} {default} }} {d.require()}",
        clauses_in_loop(d, f"switch {calm} {{ {selectors} {{ BODY }} {default} }}"),
    )


def clauses_in_loop(d: MotifDrawer, switch: str) -> str:
    """Some invocations leave a loop, or its round, from a clause."""
    jump = d.pick("continue;", "return;", "break;")
    text = switch.replace("BODY", f"if {d.doubt()} {{ {jump} }}")
    return f"loop {{ {text} {d.require()} if {d.guess()} {{ break; }} }}"


FLOW = (
    branch,
    nested_branches,
    early_return,
    all_leave,
    statements_before,
    discarded,
    jumps,
    jumps,
    jumps,
    dead_code,
    headed_loop,
    break_if,
    clauses,
    clauses,
)


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
