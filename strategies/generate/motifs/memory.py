"""Motifs of pointers to module-scope variables (15.2.8), in every address space."""

from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.wgsl.builtins import Stage

_READ_ONLY = ("storage, u32", "uniform, vec4u")


def addresses_elsewhere(d: MotifDrawer) -> str:
    """A pointer parameter outside of the `function` address space: what it leads to, and its address."""
    f, own = d.name("f"), d.name("own")
    space, place = d.source.pick(
        (
            ("private", "flags[INDEX]"),
            ("private", own),  # not `state`, which a helper may write: that would alias
            ("storage", "table[INDEX]"),
            ("storage, u32, read_write", "data[INDEX]"),
            ("uniform", "limit.INDEX"),
            (
                "workgroup" if d.stage is Stage.COMPUTE else "private",
                "words[INDEX]" if d.stage is Stage.COMPUTE else "flags[INDEX]",
            ),
        )
    )
    type_ = space if "," in space else f"{space}, u32"
    if "limit" in place:
        place, type_ = "limit", "uniform, vec4u"
    if place == own:
        d.declare(f"var<private> {own}: u32;")
    place = place.replace("INDEX", f"{d.suspect()} & 3u")
    part = "(*p).x" if place == "limit" else "*p"
    with d.helper():
        what = d.pick(
            f"return {part};",
            "return 1u;",
            f"if {part} == 1u {{ {d.require()} }} return 2u;",
            f"let q = p; return {part.replace('p', 'q')};",
            f"_ = p; {d.require()} return 1u;",
            f"if {d.suspect()} == 1u {{ return {part}; }} return {part};",
            f"if {part} == {part} {{ {d.require()} }} return 1u;",
        )
        d.declare(f"fn {f}(p: ptr<{type_}>) -> u32 {{ {what} }}")
        if d.chance(30):
            g, f = f, d.name("g")
            d.declare(f"fn {f}(p: ptr<{type_}>) -> u32 {{ return {g}(p); }}")
    x = d.name("x")
    call = f"{f}(&{place})"
    return d.pick(
        f"let {x} = {call}; {d.guarded(d.test(x))}",
        f"_ = {call};",
        f"let {d.name('p')} = &{place}; {d.guarded(d.test(call))}",
        f"if {d.doubt()} {{ _ = {call}; }}",
    )


def module_pointer_lets(d: MotifDrawer) -> str:
    """A let of a pointer to a module variable, read or only made."""
    p, x = d.name("p"), d.name("x")
    place = d.pick(
        "state", f"flags[{d.suspect()} & 3u]", f"table[{d.suspect()} & 3u]", f"data[{d.index()}]", f"table[{d.index()}]"
    )
    reads = d.pick(f"*{p}", f"*{p}", d.uniform())
    return f"let {p} = &{place}; let {x} = {reads}; {d.guarded(d.test(x))}"


def read_through_parameter(d: MotifDrawer) -> str:
    """What a pointer parameter leads to is read, at an address that is uniform: in each address space."""
    f, y = d.name("f"), d.name("y")
    shared = ("workgroup, u32", "words[INDEX]") if d.stage is Stage.COMPUTE else ("private, u32", "flags[INDEX]")
    type_, place = d.source.pick(
        (
            shared,
            ("private, u32", "flags[INDEX]"),
            ("storage, u32, read_write", "data[INDEX]"),
            ("storage, u32", "table[INDEX]"),
            ("uniform, vec4u", "limit"),
            ("uniform, vec4u", "limit"),
        )
    )
    part = d.pick("(*p).x", "p.y", "(*p)[1]") if place == "limit" else "*p"
    with d.helper():
        result = f"if {d.suspect()} == 1u {{ return {part}; }}" if type_ in _READ_ONLY else ""
        body = d.pick(f"{result} return {part};", f"{result} let q = p; return {part.replace('p', 'q')};")
        body = d.pick(body, body, f"if a == 1u && {part} == {part} {{ {d.require()} }} return 1u;")
        d.declare(f"fn {f}(p: ptr<{type_}>, a: u32) -> u32 {{ {body} }}")
    argument = d.suspect() if type_ in _READ_ONLY else d.uniform()
    return f"let {y} = {f}(&{place.replace('INDEX', d.index())}, {argument}); {d.guarded(d.test(y))}"


MEMORY = (addresses_elsewhere, addresses_elsewhere, module_pointer_lets, read_through_parameter)
"""What is read there decides even in a calm module."""
