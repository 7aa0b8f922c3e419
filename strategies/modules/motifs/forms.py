"""Motifs of small forms that decide alone: update and start of a `for`, `++`, assignments to a swizzle."""

from wgsl_fuzz.strategies.modules.motifs.calls import setter
from wgsl_fuzz.strategies.modules.motifs.drawing import MotifDrawer
from wgsl_fuzz.strategies.modules.motifs.values import swizzled_parts


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


FORMS = (updated, updated, skips_to_update, started_by_some, counted_by_some, counted_by_some, swizzled_parts)
