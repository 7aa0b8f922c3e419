"""Motifs of values (15.2.5): what variables hold where paths meet, and what assignments keep."""

from wgsl_fuzz.strategies.generate.motifs.drawing import Kind, MotifDrawer


def _set(x: str, kind: Kind, e: str) -> str:
    """A full assignment."""
    return f"{x} = {kind.of(e)};"


def assigned_under(d: MotifDrawer) -> str:
    """What some invocations assign decides behind the paths that meet."""
    x, kind = d.name("x"), d.kind()
    change, other = _set(x, kind, d.number()), _set(x, kind, d.uniform())
    condition, selector = d.doubt(), d.suspect()
    shape = d.pick(
        f"if {condition} {{ {change} }}",
        f"if {condition} {{ {change} }} else {{ {other} }}",
        f"if {condition} {{}} else {{ {change} }}",
        f"if {d.guess()} {{ {other} }} else if {condition} {{ {change} }}",
        f"switch {selector} {{ case 1u {{ {change} }} default {{ {d.some(other)} }} }}",
        f"switch {selector} {{ case 1u {{ {change} break; }} case 2u, 3u {{ {other} }} default {{}} }}",
        f"while {condition} {{ {change} {d.some('break;')} }}",
        f"for (; {condition};) {{ {change} {d.some('break;')} }}",
        f"loop {{ if {condition} {{ {change} break; }} if {d.guess()} {{ break; }} }}",
        f"loop {{ if {condition} {{ break; }} {change} continuing {{ break if {d.guess()}; }} }}",
        f"{{ if {condition} {{ {change} }} }}",
    )
    return f"var {x} = {kind.of(d.uniform())}; {shape} {d.guarded(kind.test(x))}"


def lost_assignment(d: MotifDrawer) -> str:
    """What is assigned on one path counts behind it only if the path comes there, and nothing is assigned after it."""
    x, kind = d.name("x"), d.kind()
    taint, cure = _set(x, kind, d.suspect()), _set(x, kind, d.uniform())
    jump = d.pick("return;", f"loop {{ if {d.guess()} {{ return; }} return; }}")
    shape = d.pick(
        taint,
        f"{taint} {cure}",
        f"{{ {taint} }}",
        f"if {d.guess()} {{ {taint} }}",
        f"if {d.guess()} {{ {taint} }} else {{ {cure} }}",
        f"if {d.guess()} {{ {cure} }} else {{ {taint} }}",
        f"if {d.guess()} {{ {taint} {jump} }}",
        f"if {d.guess()} {{ {cure} }} else {{ {taint} {jump} }}",
        f"{taint} if {d.guess()} {{ {cure} }} else {{ return; }}",
        f"{taint} switch {d.uniform()} {{ case 1u {{ {cure} }} default {{ {cure} }} }}",
        f"switch {d.uniform()} {{ case 1u {{ {taint} }} default {{ {cure} }} }}",
        f"switch {d.uniform()} {{ case 1u {{ {taint} {d.pick('break;', 'return;')} }} default {{ }} }}",
        f"switch {d.uniform()} {{ case 1u {{ if {d.guess()} {{ break; }} {taint} return; }} default {{ }} }}",
        f"switch {d.uniform()} {{ default {{ if {d.guess()} {{ {taint} break; }} {cure} }} }}",
        f"switch {d.uniform()} {{ case 1u {{ {taint} return; }} case 2u, default {{ }} }}",
        f"switch {d.uniform()} {{ case 1u {{ {taint} }} default {{ {cure} }} }} {d.some(cure)}",
        f"if {d.guess()} {{ {taint} return; }} else {{ {d.padding()} }}",
        f"if {d.guess()} {{ }} else {{ {taint} return; }}",
    )
    return f"var {x} = {kind.of(d.uniform())}; {shape} {d.guarded(kind.test(x))}"


def left_with(d: MotifDrawer) -> str:
    """What a variable holds where a loop is left, by a `break`, its condition or its end."""
    x, kind = d.name("x"), d.kind()
    taint, cure = _set(x, kind, d.suspect()), _set(x, kind, d.uniform())
    leaves, other = f"if {d.guess()} {{ break; }}", f"if {d.guess()} {{ {d.pick('return;', 'continue;', 'break;')} }}"
    shape = d.pick(
        f"loop {{ {taint} {leaves} {cure} }}",
        f"loop {{ {cure} {leaves} {taint} }}",
        f"loop {{ if {d.guess()} {{ {taint} break; }} {d.pick('return;', cure, other)} "
        f"continuing {{ break if {d.guess()}; }} }}",
        f"loop {{ {taint} {other} {cure} continuing {{ break if {d.guess()}; }} }}",
        f"loop {{ {leaves} {d.some(taint)} continuing {{ {d.pick(taint, cure)} break if {d.guess()}; }} }}",
        f"loop {{ {taint} {d.pick(leaves, 'if ' + d.guess() + ' { return; }')} {d.pick('return;', cure)} "
        f"continuing {{ {cure} break if {d.guess()}; }} }}",
        f"while {d.guess()} {{ {d.some(leaves)} {taint} {d.some('return;', 20)} }}",
        f"for (; {d.guess()}; {taint[:-1]}) {{ {d.some(other)} {d.some(cure)} }}",
        f"for (var i = 0u; i < 2u; i++) {{ {taint} {leaves} {cure} }}",
        f"loop {{ {taint} loop {{ {cure} break; }} {leaves} }}",
        f"loop {{ {taint} {d.pick('return;', 'if ' + d.guess() + ' { return; } else { break; }')} }}",
        f"loop {{ {cure} {leaves} {d.some(other)} {taint} {d.pick('return;', 'continue;')} }}",
        f"loop {{ {leaves} switch {d.uniform()} {{ case 1u {{ {taint} break; }} default {{ }} }} {cure} }}",
        f"loop {{ switch {d.uniform()} {{ case 1u {{ {taint} {d.pick('break;', 'continue;')} }} "
        f"default {{ {cure} }} }} {leaves} {cure} }}",
    )
    return f"var {x} = {kind.of(d.uniform())}; {shape} {d.guarded(kind.test(x))}"


def carried_round(d: MotifDrawer) -> str:
    """What one round leaves in a variable decides in the next."""
    x, kind = d.name("x"), d.kind()
    taint, reads = _set(x, kind, d.suspect()), _reads(d, kind, x)
    leaves, skips = f"if {d.guess()} {{ break; }}", f"if {d.guess()} {{ {d.pick('continue;', 'return;')} }}"
    shape = d.pick(
        f"loop {{ {reads} {leaves} {taint} }}",
        f"loop {{ {reads} {skips} {taint} continuing {{ break if {d.guess()}; }} }}",
        f"loop {{ {reads} continuing {{ {taint} break if {d.guess()}; }} }}",
        f"loop {{ if {d.guess()} {{ {taint} continue; }} {reads} {leaves} }}",
        f"loop {{ {reads} {leaves} {taint} {d.pick('break;', 'return;')} }}",
        f"loop {{ {taint} {d.some(leaves)} continuing {{ {_reads(d, kind, x, False)} break if {d.guess()}; }} }}",
        f"loop {{ if {d.guess()} {{ {taint} {d.pick('continue;', 'break;', 'return;')} }} "
        f"continuing {{ {_reads(d, kind, x, False)} break if {d.guess()}; }} }}",
        f"loop {{ {reads} {leaves} if {d.guess()} {{ continue; }} {taint} {d.pick('return;', 'break;')} "
        f"{d.pick('', 'continuing { }', 'continuing { state = 1u; }')} }}",
        f"while {d.guess()} {{ {reads} {d.some(skips)} {taint} }}",
        f"for (; {d.guess()}; {taint[:-1]}) {{ {d.some(skips)} {reads} }}",
        f"for (; {kind.test(x)}; {taint[:-1]}) {{ {d.some(skips)} {d.require()} }}",
        f"for (; {kind.test(x)};) {{ {d.require()} {d.some(skips)} {taint} }}",
        f"while {kind.test(x)} {{ {d.require()} {d.some(skips)} {taint} }}",
        f"loop {{ {reads} {leaves} loop {{ {d.some(leaves)} {taint} {leaves} }} }}",
    )
    return f"var {x} = {kind.of(d.uniform())}; {shape}"


def carried_past_end(d: MotifDrawer) -> str:
    """What is assigned before the `return` or `break` at the end of a body does not come to the next round."""
    x, kind = d.name("x"), d.kind()
    reads, taint = _reads(d, kind, x), _set(x, kind, d.suspect())
    leaves, skips = f"if {d.guess()} {{ break; }}", f"if {d.guess()} {{ continue; }}"
    continuing = d.pick("", "", "continuing { }", "continuing { state = 1u; }")
    loop = f"loop {{ {reads} {leaves} {skips} {taint} {d.pick('return;', 'break;')} {continuing} }}"
    return f"var {x} = {kind.of(d.uniform())}; {loop}"


def _reads(d: MotifDrawer, kind: Kind, x: str, jumps: bool = True) -> str:
    """A statement that requires a variable to be uniform."""
    if jumps and d.chance(40):
        return f"if {kind.test(x)} {{ {d.pick('break;', 'continue;', 'return;')} }} {d.require()}"
    return d.guarded(kind.test(x)) if jumps else f"if {kind.test(x)} {{ {d.require()} }}"


def stepped(d: MotifDrawer) -> str:
    """The variable that decides a `for` is changed in its body, or read in its update."""
    x = d.name("x")
    taint = d.pick(f"{x} = {d.suspect()};", f"{x} += {d.suspect()};", f"if {d.doubt()} {{ {x}++; }}")
    skip = d.some(f"if {d.guess()} {{ {d.pick('', taint)} continue; }}", 60)
    inner = d.pick(d.require(), d.padding())
    shape = d.pick(
        f"for (var i = 0u; i < {x}; i++) {{ {skip} {d.require()} {taint} }}",
        f"for (var i = 0u; i < 4u; i += {x}) {{ {d.require()} {skip} {taint} }}",
        f"for (; {x} < 9u; {x}++) {{ {d.require()} {skip} {taint} }}",
        f"for (; {x} < 9u; {taint.rstrip(';') if taint[0] != 'i' else x + '++'}) {{ {skip} {d.require()} }}",
        f"for (var i = {x}; i < 9u; i = i + {x}) {{ {taint} {skip} {d.require()} }}",
        f"for (var i = 0u; ; i += {x}) {{ if i > 3u {{ break; }} {inner} {taint} {skip} {d.require()} }}",
        f"for ({x} = {d.suspect()}; {x} < 4u; {x}++) {{ {skip} {d.require()} }}",
        f"while {x} < 9u {{ {d.require()} {skip} {taint} }}",
    )
    return f"var {x} = {d.uniform()}; {shape}"


def inner_loop(d: MotifDrawer) -> str:
    """A local of an outer loop's body is changed in an inner loop."""
    x, y = d.name("x"), d.name("y")
    taint = d.pick(f"{x} = {d.suspect()};", f"{x} += {d.suspect()};", f"if {d.doubt()} {{ {x} = 1u; }}")
    leaves = f"if {d.guess()} {{ break; }}"
    inner = d.pick(
        f"loop {{ {leaves} {taint} }}",
        f"while {d.guess()} {{ {taint} {d.some(leaves)} }}",
        f"for (var {y} = 0u; {y} < 2u; {y}++) {{ {d.some(leaves)} {taint} }}",
        f"loop {{ {taint} continuing {{ break if {d.guess()}; }} }}",
        f"loop {{ if {x} == 1u {{ {d.require()} }} {leaves} {taint} }}",
    )
    behind = d.pick(f"if {x} == 2u {{ {d.require()} }}", f"if {x} == 2u {{ break; }} {d.require()}", d.padding())
    return d.pick(
        f"loop {{ var {x} = {d.uniform()}; {inner} {behind} {leaves} }}",
        f"while {d.guess()} {{ var {x} = {d.uniform()}; {inner} {behind} }}",
        f"var {x} = {d.uniform()}; loop {{ {behind} {leaves} {inner} }}",
        f"for (var {x} = 1u; {x} < 3u; {x}++) {{ {inner} {d.require()} }}",
        f"loop {{ var {x}: u32; if {x} == 0u {{ {d.require()} }} {inner} {leaves} }}",
    )


def kept_parts(d: MotifDrawer) -> str:
    """What a partial assignment keeps, and what it takes from its index."""
    x, kind = d.name("x"), d.kind(parts=True)
    first, second = (d.suspect(), d.uniform()) if d.chance(50) else (d.uniform(), d.suspect())
    part = "f32(SELF)" if "f" in kind.type else "SELF"
    value = part.replace("SELF", second)
    place = d.pick(f"{x}{kind.part}", f"(&{x}){kind.part}", f"(*(&{x})){kind.part}")
    change = d.pick(f"{place} = {value};", f"{place} += {value};", f"{x} = {kind.of(second)};")
    if kind.type in ("array<u32, 2>", "vec2u") and d.chance(50):
        change = f"{x}[{d.suspect()} & 1u] {d.pick('=', '+=')} {d.uniform()};"
    start = kind.of(first)
    return f"var {x} = {start}; {change} {d.guarded(kind.test(x))}"


def swizzled_parts(d: MotifDrawer) -> str:
    """What an assignment to several components keeps of a vector, to all of them as well."""
    if not d.newest:
        return kept_parts(d)
    x, width = d.name("x"), d.source.integer(2, 4)
    names = d.pick("yx", "xy") if width == 2 else d.pick("zyx", "xyz", "yzx") if width == 3 else d.pick("wzyx", "xyzw")
    names = names[:-1] if width > 2 and d.chance(25) else names
    first, second = (d.suspect(), d.uniform()) if d.chance(75) else (d.uniform(), d.suspect())
    change = f"{x}.{names} {d.pick('=', '=', '=', '+=')} vec{len(names)}u({second});"
    return f"var {x} = vec{width}u({first}); {change} {d.guarded(d.test(f'{x}.{names[0]}'))}"


def clause_that_leaves(d: MotifDrawer) -> str:
    """What a clause assigns before it returns or breaks, behind a `break` of some: whether it counts behind."""
    x, kind = d.name("x"), d.kind()
    taint, cure = _set(x, kind, d.suspect()), _set(x, kind, d.uniform())
    leaves = f"if {d.guess()} {{ {d.pick('', '', cure)} break; }}"
    end = d.pick("return;", "return;", "break;", "")
    other = d.pick("default { }", f"default {{ {cure} }}", f"case 2u {{ return; }} default {{ {d.padding()} }}")
    clause = d.pick(f"{leaves} {taint} {end}", f"{taint} {leaves} {cure} {end}", f"{leaves} {taint} {cure} {end}")
    shape = f"switch {d.uniform()} {{ {d.pick('case 1u', 'case 1u, 3u')} {{ {clause} }} {other} }}"
    return f"var {x} = {kind.of(d.uniform())}; {shape} {d.guarded(kind.test(x))}"


def kept_values(d: MotifDrawer) -> str:
    """What `op=`, `++` and a let keep of an old value, and a full assignment does not."""
    x, y = d.name("x"), d.name("y")
    shape = d.pick(
        f"{x} += {d.uniform()};",
        f"{x}++;",
        f"{x}--;",
        f"{x} = {d.uniform()};",
        f"let {y} = {x}; {x} = {d.uniform()};",
        f"let {y} = {d.uniform()}; {x} ^= {d.uniform()};",
        f"{{ {x} |= {d.uniform()}; }}",
        f"var {y} = {x}; {x} = {d.uniform()};",
        f"(*(&{x})) = {d.uniform()};",
        f"*(&{x}) += {d.uniform()};",
    )
    reads = y if y in shape and d.chance(70) else x
    return f"var {x} = {d.suspect()}; {shape} {d.guarded(d.test(reads))}"


def read_later(d: MotifDrawer) -> str:
    """A name of each kind is read under a condition, where control flow decides."""
    x, f = d.name("x"), d.name("f")
    declared = d.pick(
        f"let {x} = {d.uniform()};", f"var {x} = {d.uniform()};", f"const {x} = 2u;", f"var {x}: u32;", ""
    )
    e = d.pick(x, d.uniform(), d.number()) if declared else d.uniform()
    with d.helper():
        d.declare(f"fn {f}(a: u32) -> u32 {{ {d.some('if a == 1u { ' + d.require() + ' }')} return a; }}")
    y = d.name("y")
    shape = d.pick(
        f"{y} = {e};",
        f"{y} = {d.wrapped(e)};",
        f"let {d.name('k')} = {f}({e});",
        f"{y} = {f}({d.wrapped(e)});",
        f"{y} += {e};",
    )
    shape = d.pick(
        f"if {d.doubt()} {{ {shape} }}",
        f"if {d.doubt()} {{ return; }} {shape}",
        f"while {d.doubt()} {{ {shape} break; }}",
    )
    return f"{declared} var {y} = 0u; {shape} {d.guarded(d.test(y))}"


VALUES = (
    assigned_under,
    lost_assignment,
    lost_assignment,
    left_with,
    left_with,
    carried_round,
    carried_past_end,
    stepped,
    inner_loop,
    kept_parts,
    *[swizzled_parts] * 4,
    kept_values,
    clause_that_leaves,
    read_later,
)
