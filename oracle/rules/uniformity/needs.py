"""What a function must contain for a variant to answer otherwise on it: most variants are ruled out without a run.

A function is described by words: the classes of its nodes, its operators, the built-in functions that it calls, what
its names stand for. A variant needs one word of each of several sets. They follow from its name and from the methods
that it replaces. `tests/oracle/rules/uniformity/test_coverage.py` holds them against runs of every variant.
"""

from collections.abc import Iterator
from itertools import islice

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import SUBGROUPS, ScopeAnalysis
from wgsl_fuzz.wgsl import syntax as wgsl
from wgsl_fuzz.wgsl.builtins import FUNCTIONS, MATRIX_CONSTRUCTOR, words
from wgsl_fuzz.wgsl.resolution import VIEWS, Resolution, Space
from wgsl_fuzz.wgsl.walk import descendants

Words = frozenset[str]
Needs = tuple[Words, ...]
"""A function must contain a word of each set; without sets, every function qualifies."""

_LOOPS = words("Loop While For")
_BRANCHES = words("If Switch")
_SHORT_CIRCUITS = words("&& ||")
_ASSIGNMENTS = words("Assign Increment")
_MEETINGS = _LOOPS | _BRANCHES | _SHORT_CIRCUITS

_OF_METHODS: dict[str, Words] = {
    **dict.fromkeys(("parameter", "origins", "tags", "levels", "rules_at", "severities"), words("called")),
    **dict.fromkeys(("leave_function", "fall_off_end"), words("contents-parameter")),
    **dict.fromkeys(("address", "pointer_parameter"), words("pointer-parameter")),
    **dict.fromkeys(
        ("result_depends_on", "is_non_uniform", "builtin_requirement", "is_rule_of_scope", "function_row"),
        words("builtin-call"),
    ),
    "require": words("builtin-call user-call"),
    **dict.fromkeys(("user_call", "result", "returns_non_uniform", "argument"), words("user-call")),
    **dict.fromkeys(("contents", "write_back", "written", "origin", "left_behind"), words("contents-call")),
    **dict.fromkeys(("arguments", "call", "depending"), words("Call")),
    "function_variable": words("use:Variable"),
    **dict.fromkeys(("module_variable", "may_be_written", "values_at_entry"), words("use:module-variable")),
    "let": words("use:Let"),
    **dict.fromkeys(("input", "is_uniform_input", "input_row"), words("use:input")),
    "index": words("Index"),
    "viewed": words("view"),
    **dict.fromkeys(("short_circuit", "guarded", "after_short_circuit"), _SHORT_CIRCUITS),
    **dict.fromkeys(("assigned", "assignment", "left_side", "kept"), _ASSIGNMENTS),
    "condition": _BRANCHES | _SHORT_CIRCUITS | words("While For"),
    "conditional": words("If"),
    "switch": words("Switch"),
    **dict.fromkeys(("alternatives", "joined_after_clause", "after_branches", "behaviour"), _BRANCHES),
    **dict.fromkeys(("meet", "join"), _MEETINGS),
    "for_loop": words("For"),
    **dict.fromkeys(
        (
            *("loop", "body_behaviours", "has_back_edge", "cf_head", "heads", "loop_body", "reaches_continuing"),
            *("at_continuing", "flows_to_continuing", "continuing", "back_edges", "behind_loop", "cf_after_loop"),
            *("analyses_continuing", "flows_back", "jumps_to_continuing"),
        ),
        _LOOPS,
    ),
    "is_left_at_end": _LOOPS,
    "break_if": words("BreakIf"),
    "goes_on": words(SUBGROUPS),
}
"""Without any of these words in a function, the analysis does not come to the method, or nothing depends on it."""

_OF_NAMES: dict[str, Words] = {
    "assign/": _ASSIGNMENTS,
    "compound/": words("op="),
    "increment/": words("Increment"),
    "let/": words("Let"),
    "variable/": words("Variable"),
    "phony/": words("Phony"),
    "callstatement/": words("CallStatement"),
    "discard/": words("Discard"),
    "empty/": words("Empty"),
    "const/": words("Const"),
    "constassert/": words("ConstAssert"),
    "break/": words("Break"),
    "continue/": words("Continue"),
    "return/": words("Return"),
    "block/": words("Block"),
    "breakif/": words("BreakIf"),
    "if/": words("If"),
    "switch/": words("Switch"),
    "loop/": _LOOPS,
    "while/": words("While"),
    **dict.fromkeys(("while/condition/behind-body", "while/condition/never-breaks"), words("While For")),
    "for/": words("For"),
    "loop/values/continuing-without-continues": words("Continue"),
    "loop/values/exit-without-breaks": words("Break"),
    "expr/literal/": words("Literal"),
    "expr/unary/": words("Unary"),
    "expr/address-of/": words("&"),
    "expr/indirection/": words("*"),
    "expr/member/": words("Member"),
    "expr/binary/": words("Binary"),
    "expr/short-circuit/": _SHORT_CIRCUITS,
    "expr/short-circuit/and-as-others": words("&&"),
    "expr/short-circuit/or-as-others": words("||"),
    "expr/load/of-pointers": words("& pointer-let pointer-parameter view"),
    "name/const/": words("use:Const"),
    "name/override/": words("use:Override"),
    "name/let/": words("use:Let"),
    "name/variable/": words("use:Variable"),
    "name/parameter/": words("use:Parameter"),
    "name/pointer-let/": words("pointer-let"),
    "name/pointer-let/loads-where-made": words("Let pointer-let"),
    "letter/pointers-calculated-again": words("pointer-let"),
    "pointer/full/": words("& Member Index pointer-let pointer-parameter"),
    "pointer/is-pointer/not-lets": words("pointer-let"),
    "pointer/is-pointer/not-parameters": words("pointer-parameter"),
    "pointer/is-pointer/not-views": words("view pointer-let"),  # a `let` may name a view
    "call/": words("user-call"),
    "call/arguments/": words("Call"),
    "builtin/": words("Call"),
    "builtin/texture-load/": words("call:textureLoad"),
    **dict.fromkeys((f"builtin/scope/{s}" for s in ("all-rules", "subgroup-rules", "other-rules")), words(SUBGROUPS)),
    **dict.fromkeys((f"module/scope/{s}" for s in ("workgroup-only", "subgroup-if", "not-if")), words(SUBGROUPS)),
    "before-2025-12-15/one-scope": words(SUBGROUPS),
    "tag/": words("called"),
    "filter/": words("diagnostic"),
    "filter/default/": words("builtin-call"),
    "before-2023-03-06/no-filters": words("diagnostic"),
    "input/user-defined/parameter": words("use:Parameter"),
    "webkit/lets-replaced": words("Let"),
    "webkit/lets-unknown-in-break-if": words("BreakIf"),
    "webkit/lets-unknown-in-continuing": words("pointer-let"),
    "webkit/for-of-let-forgotten": words("For"),
    "webkit/phony-pointers-forgotten": words("Phony"),
    "webkit/pointers-not-loaded": words("& pointer-let"),
    "webkit/uniform-loads-of-parameters": words("call:workgroupUniformLoad"),
    "webkit/filters-of-bodies-ignored": words("diagnostic"),
    **{f"name/module-variable/{space}-": frozenset({f"use:{space}"}) for space in Space if space is not Space.FUNCTION},
    **{f"builtin/severity/{severity}": words("diagnostic") for severity in ("warnings", "infos")},
}
"""By the start of a variant's name; the longest counts."""


def needs_of(variant: Variant) -> Needs:
    """What a function must contain for a variant to answer otherwise on it, if its callees have the same tags."""
    longest = max((start for start in _OF_NAMES if variant.name.startswith(start)), key=len, default="")
    found = [_OF_NAMES[longest]] if longest else []
    if variant.rule in ("table", "proposal") and variant.line in (*FUNCTIONS, MATRIX_CONSTRUCTOR.name):
        found.append(frozenset({f"call:{variant.line}"}))
    if variant.rule == "input" and "-" in variant.line and variant.line != "user-defined":
        found.append(frozenset({f"input:{variant.line}"}))
    of_methods = [_OF_METHODS.get(name) for name in _replaced(variant)]
    if of_methods and all(of_methods):
        found.append(frozenset().union(*(w for w in of_methods if w is not None)))
    return tuple(dict.fromkeys(found))


def _replaced(variant: Variant) -> Iterator[str]:
    """The pieces of the analysis that a variant has in place of its own."""
    for cls in variant.replacements:
        between = cls.__mro__[: cls.__mro__.index(ScopeAnalysis)] if issubclass(cls, ScopeAnalysis) else ()
        for part in between:
            for name in vars(part):
                if name == "__init__" or (name[0] != "_" and hasattr(ScopeAnalysis, name)):
                    yield name


def words_of(resolution: Resolution) -> dict[int, Words]:
    """What each function of a module contains, by `id`."""
    of_module = {SUBGROUPS} & resolution.extensions
    if resolution.has_matrices:
        of_module |= {"builtin-call", f"call:{MATRIX_CONSTRUCTOR.name}"}
    if any(isinstance(d, wgsl.Diagnostic) for d in resolution.module.directives):
        of_module |= {"diagnostic"}
    called = {id(g) for f in resolution.functions for g in resolution.callees(f)}
    return {
        id(f): frozenset(_words_in(f, resolution)) | of_module | ({"called"} if id(f) in called else set())
        for f in resolution.functions
    }


def _words_in(f: wgsl.Function, resolution: Resolution) -> set[str]:
    found = _words_of_function(f, resolution)
    for node in islice(descendants(f.body), 1, None):  # without the body itself, which is no statement
        found |= _words_of_node(node, f, resolution)
    return found


def _words_of_function(f: wgsl.Function, resolution: Resolution) -> set[str]:
    """What a function has beside its statements."""
    found = {"contents-parameter" for p in f.parameters if _is_contents(p, resolution)}
    if any(a.name == "diagnostic" for a in f.attributes):
        found.add("diagnostic")
    if f.body.attributes:
        found.add("diagnostic")
    return found


def _words_of_node(node: wgsl.Node, f: wgsl.Function, resolution: Resolution) -> set[str]:
    found = {type(node).__name__}
    match node:
        case wgsl.Identifier():
            found.update(_words_of_name(node, f, resolution))
        case wgsl.Call():
            found.update(_words_of_call(node, resolution))
        case wgsl.Unary() | wgsl.Binary():
            found.add(node.operator)
        case wgsl.Assign() if node.operator != "=":
            found.add("op=")
        case wgsl.If(orelse=None):
            found.add("Empty")  # stands for the branch that is missing
        case wgsl.Attribute():
            found.add("diagnostic")
    return found


def _is_contents(p: wgsl.Parameter, resolution: Resolution) -> bool:
    pointer = resolution.pointer(p)
    return pointer is not None and pointer.space is Space.FUNCTION


def _words_of_name(name: wgsl.Identifier, f: wgsl.Function, resolution: Resolution) -> Iterator[str]:
    declared = resolution.declaration(name)
    if declared is not None:
        yield f"use:{type(declared).__name__}"
    if isinstance(declared, wgsl.Let) and resolution.is_pointer(name):
        yield "pointer-let"
        declared = resolution.root(name)  # what is loaded through it
        yield f"use:{type(declared).__name__}"
    match declared:
        case wgsl.Variable() if (space := resolution.space(declared)) is not Space.FUNCTION:
            yield from ("use:module-variable", f"use:{space}")
        case wgsl.Parameter() if (stage := resolution.entry_stage(f)) is not None:
            yield "use:input"
            struct = resolution.struct(declared.type)
            members = (declared,) if struct is None else struct.members
            yield from (f"input:{stage}-{resolution.builtin_input(member)}" for member in members)
        case wgsl.Parameter() if resolution.pointer(declared) is not None:
            yield "pointer-parameter"


def _words_of_call(call: wgsl.Call, resolution: Resolution) -> Iterator[str]:
    function, builtin = resolution.function(call), resolution.builtin(call)
    if function is not None:
        yield "user-call"
        if any(_is_contents(p, resolution) for p in function.parameters):
            yield "contents-call"
    elif builtin is not None:
        yield from ("builtin-call", f"call:{builtin.name}")
        if builtin.name in VIEWS:
            yield "view"
