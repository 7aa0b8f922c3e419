"""Motifs of small forms that decide alone: update and start of a `for`, `++`, assignments to a swizzle."""

from wgsl_fuzz.strategies.generate.motifs.calls import setter
from wgsl_fuzz.strategies.generate.motifs.drawing import Kind, MotifDrawer
from wgsl_fuzz.strategies.generate.motifs.values import kept_parts


def updated(d: MotifDrawer) -> str:
    """The update of a `for` alone makes a variable differ that decides inside of the loop, or behind it."""
    x = d.name("x")
    update = f"{setter(d)}(&{x})" if d.chance(45) else f"{x} {d.pick('=', '+=')} {d.suspect()}"
    jump = d.some(f"if {d.guess()} {{ {d.pick('continue;', 'continue;', 'break;')} }}", 40)
    reads = f"if {d.test(x)} {{ {d.require()} }}"
    shape = d.pick(
        f"for (; {d.guess()}; {update}) {{ {reads} {jump} }}",
        f"for (; {d.guess()}; {update}) {{ {jump} {reads} }}",
        f"for (var i = 0u; i < {x}; {update}) {{ {d.require()} {jump} }}",
        f"for (; {x} < 9u; {update}) {{ {jump} {d.require()} }}",
        f"for (; {d.guess()}; {update}) {{ {d.padding()} {jump} }} {reads}",
        f"for (; ; {update}) {{ if {x} > 3u {{ break; }} {d.require()} {jump} }}",
        f"for (; ; {update}) {{ if {x} == 2u {{ {d.pick('continue;', 'return;')} }} if {d.guess()} {{ break; }} "
        f"{d.require()} }}",
    )
    return f"var {x} = {d.uniform()}; {shape}"


def settled_by_update(d: MotifDrawer) -> str:
    """The update of a `for` alone replaces what its body assigns, before anything asks."""
    x = d.name("x")
    taint, cure = f"{x} = {d.varying()};", f"{x} = {d.uniform()}"
    reads = f"if {d.test(x)} {{ {d.require()} }}"
    goes_on = d.some(f"if {d.guess()} {{ {taint} continue; }}")
    shape = d.pick(
        f"for (; {d.guess()}; {cure}) {{ {reads} {goes_on} {taint} {d.some('continue;', 25)} }}",
        f"for (; {d.guess()}; {cure}) {{ {goes_on} {taint} }} {reads}",
        f"for (; {x} < 5u; {cure}) {{ {d.require()} {goes_on} {taint} }}",
    )
    return f"var {x} = {d.uniform()}; {shape}"


def skips_to_update(d: MotifDrawer) -> str:
    """Who continues comes to the update of a `for` without the rest of the body, or without what cures it."""
    x, condition = d.name("x"), d.doubt()
    taint, cure = f"{x} = {d.suspect()};", f"{x} = {d.uniform()};"
    reads = f"if {d.test(x)} {{ {d.require()} }}"
    update = d.pick("state += 1u", f"{x} += 1u")
    shape = d.pick(
        f"for (; {d.guess()}; {update}) {{ if {condition} {{ continue; }} {d.require()} }}",
        f"for (; {d.guess()}; {update}) {{ {reads} {taint} if {d.guess()} {{ continue; }} {cure} }}",
        f"for (var i = 0u; i < 3u; i++) {{ {taint} if {d.guess()} {{ continue; }} {cure} }} {reads}",
        f"for (var i = 0u; i < 3u; i++) {{ if {condition} {{ continue; }} {x} = {d.number()}; }} {reads}",
    )
    return f"var {x} = {d.uniform()}; {shape}"


def started_by_some(d: MotifDrawer) -> str:
    """What a `for` begins with decides who is in its body."""
    x, start, step = d.name("x"), d.suspect(), d.pick("i++", "i += 2u", f"i += {d.uniform()}")
    return d.pick(
        f"for (var i = {start}; i < 4u; {step}) {{ {d.require()} {d.some('break;', 30)} }}",
        f"var {x} = 1u; for ({x} = {start}; {x} < 4u; {x}++) {{ {d.require()} {d.some('break;', 30)} }}",
    )


def counted_by_some(d: MotifDrawer) -> str:
    """Some invocations count by `++` or `--`, or all count what differs, in a variable or a part of one."""
    x = d.name("x")
    if d.chance(25):  # who counts is all; what is counted decides
        return f"var {x} = {d.suspect()}; {x}{d.pick('++', '--')}; {d.guarded(d.test(x))}"
    condition = d.doubt()
    start, part = d.source.pick(
        ((f"{d.uniform()}", ""), (f"{d.uniform()}", ""), ("vec2u(1u)", ".y"), ("array<u32, 2>()", "[1]"))
    )
    place = d.pick(f"{x}{part}", f"{x}{part}", f"(*(&{x})){part}")
    counts = f"{place}{d.pick('++', '++', '--')};"
    shape = d.pick(
        f"if {condition} {{ {counts} }}",
        f"if {condition} {{ {d.padding()} }} else {{ {counts} }}",
        f"switch u32({condition}) {{ case 1u {{ {counts} }} default {{ }} }}",
        f"while {condition} {{ {counts} {d.some('break;')} }}",
        f"loop {{ if {condition} {{ break; }} {counts} }}",
        f"loop {{ {counts} continuing {{ break if {condition}; }} }}",
    )
    return f"var {x} = {start}; {shape} {d.guarded(d.test(x + part))}"


def swizzle_alone(d: MotifDrawer) -> str:
    """An assignment to some components alone makes a vector differ."""
    if not d.newest:
        return kept_parts(d)
    x, width = d.name("x"), d.source.integer(2, 4)
    names = d.pick("yx", "xy") if width == 2 else d.pick("zyx", "zx", "yz", "xy")
    change = f"{x}.{names} {d.pick('=', '=', '+=', '|=')} vec{len(names)}u({d.suspect()});"
    change = d.pick(change, change, f"if {d.guess()} {{ {change} }}")
    return f"var {x} = vec{width}u({d.uniform()}); {change} {d.guarded(d.test(f'{x}.{names[0]}'))}"


def assigned_in_inner(d: MotifDrawer) -> str:
    """A local of an outer loop's body differs by what an inner loop assigns, and by nothing else."""
    x, leaves = d.name("x"), f"if {d.guess()} {{ break; }}"
    taint = d.pick(f"{x} = {d.suspect()};", f"{x} += {d.suspect()};")
    inner = d.pick(
        f"loop {{ {leaves} {taint} }}",
        f"while {d.guess()} {{ {taint} }}",
        f"for (var j = 0u; j < 2u; j++) {{ {taint} {d.some(leaves)} }}",
        f"loop {{ {taint} continuing {{ break if {d.guess()}; }} }}",
        f"loop {{ continuing {{ {taint} break if {d.guess()}; }} }}",
    )
    body = f"var {x} = {d.uniform()}; {inner} if {d.test(x)} {{ {d.pick(d.require(), 'break;')} }}"
    return d.pick(
        f"loop {{ {body} {d.require()} {leaves} }}",
        f"while {d.guess()} {{ {body} {d.require()} }}",
        f"for (var i = 0u; i < 3u; i++) {{ {body} {d.require()} }}",
    )


FORMS = (
    updated,
    updated,
    skips_to_update,
    started_by_some,
    counted_by_some,
    counted_by_some,
    swizzle_alone,
    assigned_in_inner,
)


def _pair(d: MotifDrawer) -> tuple[str, Kind, str, str]:
    """A variable, its type, and assignments of what differs and of what does not."""
    x, kind = d.name("x"), d.kind()
    return x, kind, f"{x} = {kind.of(d.varying())};", f"{x} = {kind.of(d.uniform())};"


def settled_at_exit(d: MotifDrawer) -> str:
    """A loop is left before what its round assigns last, and every round begins with another assignment."""
    x, kind, taint, cure = _pair(d)
    leaves = f"if {d.guess()} {{ break; }}"
    clause = f"{taint} {d.pick('', 'break;')}"
    shape = d.pick(
        f"loop {{ {cure} {leaves} {taint} }}",
        f"loop {{ {cure} {leaves} continuing {{ {taint} }} }}",
        f"loop {{ {cure} {leaves} {d.padding()} {taint} continue; }}",
        f"loop {{ {leaves} switch {d.uniform()} {{ case 1u {{ {taint} break; }} default {{ }} }} {cure} }}",
        f"loop {{ switch {d.uniform()} {{ case 1u {{ {clause} }} default {{ }} }} {cure} {leaves} }}",
    )
    return f"var {x} = {kind.of(d.uniform())}; {shape} {d.guarded(kind.test(x))}"


def settled_by_return(d: MotifDrawer) -> str:
    """Who assigns it in a clause or a branch returns; the others break, or come to its end."""
    x, kind, taint, cure = _pair(d)
    leaves = f"if {d.guess()} {{ {d.some(cure, 25)} break; }}"
    selectors = d.pick("case 1u", "case 1u, 3u")
    other = d.pick("default { }", f"default {{ {cure} }}", f"case 2u {{ return; }} default {{ {d.padding()} }}")
    shape = f"switch {d.uniform()} {{ {selectors} {{ {leaves} {taint} return; }} {other} }}"
    return f"var {x} = {kind.of(d.uniform())}; {shape} {d.guarded(kind.test(x))}"


def settled_by_call(d: MotifDrawer) -> str:
    """A call stores it behind its last reading, or before it is assigned again."""
    x, y, f = d.name("x"), d.name("y"), d.name("put")
    with d.helper():
        d.declare(f"fn {f}(p: ptr<function, u32>) -> u32 {{ *p = {d.varying()}; return 1u; }}")
    call = f"{f}(&{x}) & 1u"
    shape, reads = d.source.pick(
        (
            (f"let {y} = array<u32, 2>({x}, {d.uniform()})[{call}];", y),
            (f"let {y} = vec2u({x}, {d.uniform()})[{call}];", y),
            (f"var a{x} = array<u32, 2>(); let {y} = &a{x}[{call}]; {x} = {d.uniform()}; *{y} = 1u;", x),
            (f"var a{x} = array<u32, 2>(); let {y} = &a{x}[{call}]; {x} = {d.uniform()}; *{y} += 2u;", x),
        )
    )
    return f"var {x} = {d.uniform()}; {shape} {d.guarded(d.test(reads))}"


SETTLED = (settled_at_exit, settled_at_exit, settled_by_return, settled_by_call, settled_by_update)
