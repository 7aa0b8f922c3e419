"""Motifs of control flow (15.2.6): jumps, loops and branches that some invocations take and others do not."""

from wgsl_fuzz.strategies.choices.source import Table
from wgsl_fuzz.strategies.modules.motifs.drawing import MotifDrawer
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


def touch_requiring(d: MotifDrawer) -> str:
    """The name of a function that requires uniform control flow."""
    f = d.name("sync")
    with d.helper():
        d.declare(f"fn {f}() {{ {d.require()} }}")
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
