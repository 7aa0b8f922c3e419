"""What functions require of their callers, and what their results and pointers depend on: their tags in words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wgsl_fuzz.oracle.explain.text import ShaderText, Trail, listed, parameter_node
from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult, ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.graph import CF_START, MAY_BE_NON_UNIFORM, VALUE_RETURN, Role
from wgsl_fuzz.oracle.rules.uniformity.tags import Required
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.problems import Source
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Function
from wgsl_fuzz.wgsl.syntax import Node as Syntax

NOTHING = "it requires nothing of its callers"
REJECTED = "a requirement in it does not hold, whatever its callers do"
ENTRY_POINT = "it is an entry point and requires nothing"
START = "it is an entry point: all invocations must start it together"


Fact = tuple[str, Trail | None]
"""One sentence about a function, and the path that it is about."""


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """What is known of one function, in all scopes."""

    function: Function
    rejected: bool
    facts: Mapping[str, Trail | None]
    """Sentences, each with the path that it is about."""


def facts_of(analysis: ModuleAnalysis, resolution: Resolution, source: Source) -> list[FunctionFacts]:
    """The facts about each function, callees first."""
    text = ShaderText(resolution, source)
    by_function: dict[int, list[FunctionResult]] = {}
    for result in analysis.functions:
        by_function.setdefault(id(result.function), []).append(result)
    return [_function(text, results) for results in by_function.values()]


def _function(text: ShaderText, results: Sequence[FunctionResult]) -> FunctionFacts:
    """One function, from its results in each scope: a fact that holds in one of them only says in which."""
    f = results[0].function
    is_entry_point = text.resolution.entry_stage(f) is not None
    told = [
        {**dict(_required(text, one)), **dict(_returned(text, one)), **dict(_written(text, one))} for one in results
    ]
    facts: dict[str, Trail | None] = {}
    for scope_facts, result in zip(told, results, strict=True):
        for sentence, trail in scope_facts.items():
            everywhere = all(sentence in others for others in told)
            scope = "" if everywhere or result.scope is None else f" (scope: {result.scope})"
            facts.setdefault(sentence + scope, trail)
    rejected = any(r.severity is Severity.ERROR for result in results for r in result.violations)
    if is_entry_point:  # no function gives it arguments or takes its result
        facts = {sentence: trail for sentence, trail in facts.items() if sentence.startswith(START)}
    if rejected:
        facts = {REJECTED: None, **facts}
    elif is_entry_point:
        facts = facts or {ENTRY_POINT: None}
    elif not any(one.tags.call_site or any(p.required for p in one.tags.parameters) for one in results):
        facts = {NOTHING: None, **facts}
    return FunctionFacts(f, rejected, facts)


def _required(text: ShaderText, result: FunctionResult) -> Iterator[Fact]:
    """What must be uniform where the function is called."""
    tags = result.tags
    if tags.call_site is not None:
        is_entry_point = text.resolution.entry_stage(result.function) is not None
        told = START if is_entry_point else "it must be called in uniform control flow"
        yield _because(text, told, tags.call_site, result, CF_START)
    for i, p in enumerate(result.function.parameters):
        required = tags.parameters[i].required
        if required is None:
            continue
        contents = tags.parameters[i].of_contents
        role = Role.CONTENTS_AT_ENTRY if contents else Role.PARAMETER
        what = f"what argument {i + 1}, `{p.name}`, points to" if contents else f"argument {i + 1}, `{p.name}`,"
        yield _because(text, f"{what} must be uniform", required, result, parameter_node(result, p, role))


def _because(text: ShaderText, told: str, required: Required, result: FunctionResult, target: Node) -> Fact:
    """A requirement, and the call in the function that it comes from."""
    rules = ", ".join(sorted(required.rules))
    graph = result.graph
    for own in graph.requirements:
        if own.severity is required.severity and graph.reachable(own.target)[target]:
            trail = Trail(result, tuple(graph.shortest_path(own.target, target)), own)
            return f"{told}, {_blamed(text, own.call)} ({required.severity}: {rules})", trail
    return f"{told} ({required.severity}: {rules})", None


def _blamed(text: ShaderText, place: Syntax) -> str:
    """What a fact comes from."""
    return f"because of `{text.quote(place)}` on line {text.line(place)}"


def _returned(text: ShaderText, result: FunctionResult) -> Iterator[Fact]:
    """What the result depends on."""
    f, tags = result.function, result.tags
    if f.result is None:
        return
    if tags.result_non_uniform:
        yield _non_uniform(text, "its result may be non-uniform whatever its arguments are", result, VALUE_RETURN)
        return
    tagged = list(zip(f.parameters, tags.parameters, strict=True))
    names = [f"`{p.name}`" for p, t in tagged if t.returned]
    names += [f"what `{p.name}` points to" for p, t in tagged if t.returned_contents]
    depends = listed(names) if names else "no argument"
    yield f"its result depends on {depends}", None


def _written(text: ShaderText, result: FunctionResult) -> Iterator[Fact]:
    """What is behind each pointer when the function returns."""
    f = result.function
    for i, (p, tags) in enumerate(zip(f.parameters, result.tags.parameters, strict=True)):
        pointer = text.resolution.pointer(p)
        left = f"what argument {i + 1}, `{p.name}`, points to"
        if pointer is None or pointer.space != "function":
            continue
        if tags.written_non_uniform:
            exit_node = parameter_node(result, p, Role.CONTENTS_AT_EXIT)
            yield _non_uniform(text, f"{left} may be non-uniform after the call", result, exit_node)
            continue
        names = (
            (f.parameters[o.parameter].name, o.contents) for o in tags.written_from if o.parameter != i or o.contents
        )
        origins = dict.fromkeys(f"what `{name}` points to" if contents else f"`{name}`" for name, contents in names)
        yield f"{left} depends after the call on {listed([*origins]) if origins else 'no argument'}", None


def _non_uniform(text: ShaderText, told: str, result: FunctionResult, start: Node) -> Fact:
    """What may be non-uniform for a reason inside the function."""
    path = result.graph.shortest_path(start, MAY_BE_NON_UNIFORM)
    place = next((s for v in reversed(path) if (s := result.graph.labels[v].syntax) is not None), None)
    if place is None:
        return told, None
    return f"{told}, {_blamed(text, text.whole(place))}", Trail(result, tuple(path), None)
