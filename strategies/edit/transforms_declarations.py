"""Relations' transformations of declarations: names, order, what nobody uses, diagnostic filters."""

from dataclasses import replace

from wgsl_fuzz.strategies.edit.atoms import atoms
from wgsl_fuzz.strategies.edit.subject import Subject
from wgsl_fuzz.strategies.edit.tree import diagnostic, has_filter
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.builtins import Rule
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Declared
from wgsl_fuzz.wgsl.rewrite import Misfit, Nodes, rewritten_below
from wgsl_fuzz.wgsl.types import written
from wgsl_fuzz.wgsl.walk import descendants

_FILTERED = (w.Block, w.If, w.Switch, w.Loop, w.While, w.For, w.Function)
_RULES = (Rule.DERIVATIVE.value, Rule.SUBGROUP.value)


def renamed(subject: Subject) -> w.Module:
    """A fresh name for something that the module declares."""
    found = [node for node in descendants(subject.module) if isinstance(node, Declared)]
    declared = subject.one_of(found)
    name = subject.fresh(subject.source.pick(["n", "main", "x"]))
    changes: dict[int, Nodes] = {
        id(node): replace(node, name=name)
        for node in descendants(subject.module)
        if isinstance(node, w.Identifier) and subject.resolution.declaration(node) is declared
    }
    changes[id(declared)] = replace(declared, name=name)
    return subject.changed(changes)


def shuffled(subject: Subject) -> w.Module:
    """Another order of the declarations at module scope."""
    rest, out = list(subject.module.declarations), []
    while rest:
        out.append(rest.pop(subject.source.integer(0, len(rest) - 1)))
    return replace(subject.module, declarations=tuple(out))


def type_as_alias(subject: Subject) -> w.Module:
    """`alias A = T;` and `A` where `T` is written."""
    found = [
        node.type
        for node in descendants(subject.module)
        if isinstance(node, w.Variable | w.Let | w.Parameter) and node.type is not None
    ]
    type = subject.one_of(found)
    name = subject.fresh("A")
    return subject.changed({id(type): w.Identifier(name)}, w.Alias(name, type))


# ------------------------------------------------------------------------------------------------- what nobody uses


def unused_function(subject: Subject) -> w.Module:
    """A function that nobody calls."""
    (function,) = parse(_UNUSED.format(subject.fresh("unused"))).declarations
    old = subject.module.declarations
    k = subject.source.integer(0, len(old))
    return replace(subject.module, declarations=(*old[:k], function, *old[k:]))


_UNUSED = "fn {}(p: ptr<function, u32>, v: u32) -> u32 {{ if v == 0u {{ return 1u; }} *p = v; return *p; }}"


def unused_parameter(subject: Subject) -> w.Module:
    """A parameter that its function does not use, and a literal for it in each call."""
    resolution = subject.resolution
    found = [f for f in subject.functions() if resolution.entry_stage(f) is None]
    f = subject.one_of(found)
    k = subject.source.integer(0, len(f.parameters))
    new = w.Parameter(subject.fresh("unused"), w.Identifier("u32"))

    def change(n: w.Node) -> w.Node | None:
        if n is f:
            return rewritten_below(replace(f, parameters=(*f.parameters[:k], new, *f.parameters[k:])), change)
        if isinstance(n, w.Call) and resolution.declaration(n.callee) is f:
            longer = (*n.arguments[:k], w.Literal("1u"), *n.arguments[k:])
            return rewritten_below(replace(n, arguments=longer), change)
        return None

    return rewritten_below(subject.module, change)


def unread_variable(subject: Subject) -> w.Module:
    """A variable or a let that nobody reads, with any value of the place."""
    place = subject.one_of(subject.places.all)
    found = [atom for atom in atoms(subject.places, place) if not atom.constant]
    atom = subject.one_of(found)
    name = subject.fresh("t")
    if subject.source.percent(50):
        return subject.with_spliced(place, 0, w.Let(name, None, atom.new()))
    return subject.with_spliced(place, 0, w.Variable(name, written(atom.type), atom.new()))


# ---------------------------------------------------------------------------------------------- diagnostic filters


def filtered(
    severity: str | None, subject: Subject, *, without_trigger: bool = False, rules: tuple[str, ...] = _RULES
) -> w.Module:
    """`@diagnostic(severity, rule)` around anything, or what has no requirement of this rule; None: a lower one."""
    severity = severity or subject.source.pick(["off", "info", "warning"])
    rule = subject.source.pick(rules)
    found: list[w.Node] = []
    loops = {id(loop.body): loop for loop in descendants(subject.module) if isinstance(loop, w.Loop)}
    for function in subject.functions():
        for node in descendants(function):
            if not isinstance(node, _FILTERED) or _names_rule(node.attributes, rule):
                continue
            within = loops.get(id(node), node)  # what is at a loop's body holds in its continuing, too
            if not (without_trigger and _has_trigger(subject, within, rule)):
                found.append(node)
    branches = {id(n.orelse) for n in descendants(subject.module) if isinstance(n, w.If)}
    bodies = {id(f.body) for f in subject.functions()}
    found = [n for n in found if id(n) not in branches | bodies or isinstance(n, w.Block)]
    node = subject.one_of(found)
    assert isinstance(node, _FILTERED), "only these were collected"
    return subject.changed({id(node): replace(node, attributes=(*node.attributes, diagnostic(severity, rule)))})


def _names_rule(attributes: tuple[w.Attribute, ...], rule: str) -> bool:
    rules = (a.arguments[1] for a in attributes if has_filter((a,)))
    return any(isinstance(e, w.Identifier) and e.name == rule for e in rules)


def _has_trigger(subject: Subject, node: w.Node, rule: str) -> bool:
    for inner in descendants(node):
        builtin = subject.resolution.builtin(inner) if isinstance(inner, w.Call) else None
        if builtin is not None and builtin.rule is not None and builtin.rule.value == rule:
            return True
    return False


def error_directive(subject: Subject) -> w.Module:
    """`diagnostic(error, rule);` at the top of a module that has no such directive: it is what holds anyway."""
    rule = subject.source.pick(_RULES)
    directives = subject.module.directives
    if any(isinstance(d, w.Diagnostic) and d.rule == rule for d in directives):
        raise Misfit
    return replace(subject.module, directives=(*directives, w.Diagnostic("error", rule)))
