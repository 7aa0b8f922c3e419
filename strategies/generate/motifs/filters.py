"""Motifs of diagnostic filters (2.3): their places, what they cover, and severities on their way through calls."""

import re

from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.wgsl.builtins import Stage


def _rule(d: MotifDrawer) -> str:
    return (
        "derivative_uniformity"
        if d.stage is Stage.FRAGMENT and not (d.subgroups and d.chance(50))
        else "subgroup_uniformity"
    )


def _trigger(rule: str) -> str:
    """An expression of type u32 that requires uniform control flow in the name of a rule."""
    return "u32(dpdx(1.0))" if rule[0] == "d" else "subgroupAdd(1u)"


def _filter(d: MotifDrawer, rule: str, *, others: bool = True) -> str:
    """A filter that takes the edge off a rule, or off another."""
    if others and d.chance(15):
        rule = "derivative_uniformity" if rule[0] == "s" else "subgroup_uniformity"
    return f"@diagnostic({d.pick('off', 'warning', 'info')}, {rule})"


Places = tuple[str, ...]

_COVERING: Places = (
    "OFF { S }",
    "OFF if V { _ = T; }",
    "if V OFF { _ = T; }",
    "OFF if W { }",
    "OFF if U { } else if V { _ = T; }",
    "if U { } else OFF { S }",
    "OFF switch u32(V) { case 1u { _ = T; } default {} }",
    "switch u32(V) OFF { case 1u { _ = T; } default {} }",
    "switch u32(V) { case 1u OFF { _ = T; } default {} }",
    "OFF switch u32(W) { default {} }",
    "OFF loop { S break; }",
    "loop OFF { S break; }",
    "loop OFF { continuing { S break if true; } }",
    "OFF loop { continuing { S break if true; } }",
    "loop { continuing OFF { S break if true; } }",
    "OFF while V { _ = T; break; }",
    "while V OFF { _ = T; break; }",
    "OFF while W { break; }",
    "OFF for (var N = 0u; N < 2u; N++) { S }",
    "for (var N = 0u; N < 2u; N++) OFF { S }",
    "OFF for (var N = W; ;) { break; }",
    "OFF for (; W;) { break; }",
    "var N = false; OFF for (; U; N = W) { }",
)
"""Places at which a filter covers all that it stands beside, so that the module is accepted."""
_OTHER_PLACES: Places = (
    "{ OFF { } S }",
    "OFF { } S",
    "OFF { @diagnostic(error, RULE) { S } }",
    "@diagnostic(error, RULE) { OFF { S } S2 }",
    "OFF if V @diagnostic(error, RULE) { _ = T; }",
    "if V OFF { } else { _ = T; }",
    "if V { } else OFF { _ = T; }",
    "if U OFF { } S",
    "if W OFF { }",
    "OFF if U { } S",
    "switch u32(V) { case 1u OFF { } default { _ = T; } }",
    "switch u32(W) OFF { default {} }",
    "switch 1 OFF { default { } } S",
    "loop { S continuing OFF { break if true; } }",
    "while W OFF { break; }",
    "OFF while U { break; } S",
    "for (var N = W; ;) OFF { break; }",
    "for (; W;) OFF { break; }",
    "var N = false; for (; U; N = W) OFF { }",
    "OFF for (;;) { break; } S",
    "DIRECTIVE S",
    "DIRECTIVE @diagnostic(error, RULE) { S }",
    "DIRECTIVE OFF { S }",
    "FUNCTION OFF fn N(a: u32) { if a == 1u { _ = T; } } CALL",
    "FUNCTION fn N(a: u32) OFF { if a == 1u { _ = T; } } CALL",
    "FUNCTION @diagnostic(error, RULE) fn N(a: u32) OFF { if a == 1u { _ = T; } } CALL",
    *["FUNCTION OFF fn N() { } fn M(a: u32) { if a == 1u { _ = T; } } MCALL"] * 5,
)
_PLACES = (*_COVERING, *_OTHER_PLACES)
"""Where a filter may stand. OFF: the filter, for RULE. V: what is not uniform. T: a trigger, of type u32. W: both in
one condition. S: both in a statement. U: what is uniform. N and M are names. The first word may say where text goes."""
_HOLES = re.compile(r"\b(?:OFF|RULE|S2|S|T|V|W|U|N|M|CALL|MCALL|DIRECTIVE|FUNCTION)\b")


def filtered_place(d: MotifDrawer) -> str:
    """A filter at any place, and what requires uniformity within it, beside it or behind it."""
    if d.stage is Stage.COMPUTE and not d.subgroups:
        return _of_no_rule(d)
    rule = _rule(d)
    return _filled(d, d.source.pick(_PLACES), rule, _filter(d, rule))


def _filled(d: MotifDrawer, text: str, rule: str, off: str) -> str:
    """The statements of a place, with its holes filled; what belongs at module scope is declared there."""
    filled = _HOLES.sub(_Holes(d, rule, off).fill, text)
    if text.startswith("DIRECTIVE") and not d.directives:
        d.directives.append(f"{off[1:]};")
    if not text.startswith("FUNCTION"):
        return filled
    declared, _, call = filled.rpartition("}")
    d.declare(f"{declared}}}")
    return call


def _of_no_rule(d: MotifDrawer) -> str:
    """A filter where no rule that has a name is at work: it covers nothing."""
    return f"{_filter(d, 'derivative_uniformity')} if {d.doubt()} {{ {d.require()} }}"


class _Holes:
    """What stands in the holes of one place; names are the same in all of them."""

    def __init__(self, d: MotifDrawer, rule: str, off: str) -> None:
        t, v = _trigger(rule), f"({d.varying()} == 1u)"
        n, m = d.name("n"), d.name("m")
        self.texts = {
            "OFF": off,
            "RULE": rule,
            "S": f"if {v} {{ _ = {t}; }}",
            "S2": d.some(d.require()),
            "T": t,
            "V": v,
            "W": f"({v} && {t} == 1u)",
            "U": d.guess(),
            "N": n,
            "M": m,
            "CALL": f"{n}({d.varying()});",
            "MCALL": f"{m}({d.varying()});",
        }

    def fill(self, hole: re.Match[str]) -> str:
        """The text of a hole."""
        return self.texts.get(hole[0], "")


_NARROW: Places = (
    "while W OFF { break; }",
    "for (; W;) OFF { break; }",
    "var N = false; for (; U; N = W) OFF { }",
    "var N = false; for (; U; N = W) OFF { }",
    "DIRECTIVE S",
    "FUNCTION OFF fn N(a: u32) { if a == 1u { _ = T; } } CALL",
    "FUNCTION OFF fn N(a: u32) { if a == 1u { _ = T; } } CALL",
    "FUNCTION fn N(a: u32) OFF { if a == 1u { _ = T; } } CALL",
    "FUNCTION @diagnostic(warning, RULE) fn N(a: u32) { if a == 1u { _ = T; } _ = T; } CALL",
    "OFF switch u32(V) { case 1u { _ = T; } default {} }",
    "switch u32(V) { case 1u OFF { _ = T; } default {} }",
)
"""Places that seldom decide when all are drawn alike."""


def filtered_narrowly(d: MotifDrawer) -> str:
    """A filter for the very rule at one of few places, or a milder requirement in front of one that is an error."""
    if d.stage is Stage.COMPUTE and not d.subgroups:
        return _of_no_rule(d)
    rule = _rule(d)
    if d.chance(25):
        f, t = d.name("f"), _trigger(rule)
        mild = f"@diagnostic({d.pick('warning', 'info')}, {rule}) if a == 1u {{ _ = {t}; }}"
        d.declare(f"fn {f}(a: u32) {{ {d.pick(f'{mild} _ = {t};', f'_ = {t}; {mild}')} }}")
        return f"if {d.doubt()} {{ {f}(1u); }}"
    return _filled(d, d.source.pick(_NARROW), rule, _filter(d, rule, others=False))


def covering_filters(d: MotifDrawer) -> str:
    """Some filters, each of which covers all that would be rejected without it."""
    if d.stage is Stage.COMPUTE and not d.subgroups:
        return filtered_place(d)
    found = []
    for _ in range(d.source.integer(1, 4)):
        rule = _rule(d)
        holes = _Holes(d, rule, _filter(d, rule, others=False))
        found.append(_HOLES.sub(holes.fill, d.source.pick(_COVERING)))
    return " ".join(found)


def severities(d: MotifDrawer) -> str:
    """A function with requirements of several severities: which of them its callers must meet."""
    if d.stage is Stage.COMPUTE and not d.subgroups:
        return filtered_place(d)
    rule = _rule(d)
    t, f, x = _trigger(rule), d.name("f"), d.name("x")
    off = f"@diagnostic({d.pick('warning', 'info', 'off')}, {rule})"
    milder = f"@diagnostic({d.pick('info', 'warning')}, {rule})"
    inside = d.pick("state == 1u", "a == 1u")
    pointer = d.chance(30)
    if pointer:
        body = f"{off} if *p == 1u {{ _ = {t}; }} *p = {d.number()}; if *p == 1u {{ _ = {t}; }}"
        d.declare(f"fn {f}(p: ptr<function, u32>) {{ {body} }}")
        return f"var {x} = {d.suspect()}; {f}(&{x});"
    first = f"{off} if {inside} {{ _ = {t}; }}"
    second = d.pick(
        f"_ = {t};",
        f"if a == 1u {{ _ = {t}; }}",
        f"{milder} {{ _ = {t}; }}",
        "",
        f"if a == 2u {{ {d.require()} }}",
        d.require(),
    )
    body = f"{first} {second}" if d.chance(60) else f"{second} {first}"
    d.declare(f"fn {f}(a: u32) {{ {body} }}")
    return d.pick(
        f"if {d.doubt()} {{ {f}(1u); }}",
        f"{f}({d.suspect()});",
        f"@diagnostic(off, {rule}) if {d.doubt()} {{ {f}(1u); }}",
    )


def warned_call(d: MotifDrawer) -> str:
    """Some invocations call a function with a requirement that only warns."""
    if d.stage is Stage.COMPUTE and not d.subgroups:
        return filtered_place(d)
    rule, f = _rule(d), d.name("f")
    inside = d.pick("", "", "if a == 1u")
    milder = f"@diagnostic({d.pick('warning', 'info')}, {rule})"
    d.declare(f"fn {f}(a: u32) {{ {milder} {inside} {{ _ = {_trigger(rule)}; }} }}")
    return d.pick(f"if {d.varying()} == 1u {{ {f}(1u); }}", f"{f}({d.varying()});")


def behind_warning(d: MotifDrawer) -> str:
    """A requirement that warns, before one in the same control flow that is an error."""
    if d.stage is Stage.COMPUTE and not d.subgroups:
        return f"if {d.doubt()} {{ {d.require()} {d.require()} }}"
    rule = _rule(d)
    t = _trigger(rule)
    off = f"@diagnostic({d.pick('warning', 'info')}, {rule})"
    return d.pick(
        f"if {d.doubt()} {{ {off} {{ _ = {t}; }} _ = {t}; }}",
        f"if {d.doubt()} {{ return; }} {off} {{ _ = {t}; }} {d.require()}",
        f"if {d.guess()} {{ {off} if {t} == 1u {{ @diagnostic(error, {rule}) {{ _ = {t}; }} }} }}",
        f"if {d.doubt()} {{ {off} if {t} > 1u || true {{ @diagnostic(error, {rule}) {{ {d.require()} }} }} }}",
    )


COVERING = (covering_filters, covering_filters, covering_filters, warned_call)
FILTERS = (
    *[filtered_place] * 3,
    *[filtered_narrowly] * 3,
    covering_filters,
    severities,
    severities,
    severities,
    behind_warning,
    warned_call,
)
