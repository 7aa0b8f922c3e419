"""Motifs of what is assigned and never comes to where it is asked (15.2.5): the rules accept them, near variants not.

What is assigned differs even in a calm module.
"""

from wgsl_fuzz.strategies.modules.motifs.drawing import Kind, MotifDrawer
from wgsl_fuzz.strategies.modules.motifs.forms import settled_by_update


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
