"""Where the text of 15.2 is silent or wrong: the rules by its letter. The analysis itself follows the intent.

Each is one suspected defect; docs/specification-notes.md lists them with a shader that shows it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wgsl_fuzz.oracle.rules.digraph import Node
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.analysis import Iteration, ScopeAnalysis, is_in
from wgsl_fuzz.oracle.rules.uniformity.expressions import VariableMap
from wgsl_fuzz.oracle.rules.uniformity.graph import Demand, Reached
from wgsl_fuzz.oracle.rules.uniformity.tags import ParameterTags, Required
from wgsl_fuzz.oracle.rules.uniformity.variants.rows import EITHER, LAXER, STRICTER, Author, S, departs, departure
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.behaviours import BREAK, NEXT
from wgsl_fuzz.wgsl.builtins import INPUTS, Scope


def _required_after_call(self: S, result: Node, e: w.Call, f: w.Function) -> Node:
    for i, tags in enumerate(self.F[id(f)].parameters):
        if tags.required is not None and tags.of_contents:
            self.require(tags.required, self.M[id(self.resolution.root(e.arguments[i]))], e, Demand.CONTENTS, i)
    return result


class UndefinedAfterCall(ScopeAnalysis):
    """Gives a variable no old value and no control flow after a call that may write it.

    15.2.7 uses Vout(call) without a definition, and 15.2.5 has no row for a call inside another statement.
    """

    own_call: w.Call | None = None
    """The call of the call statement at hand."""

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        """Keeps which call is the statement itself."""
        self.own_call = s.call if isinstance(s, w.CallStatement) else None
        return super().stmt(s, cf)

    def write_back(self, e: w.Call, *others: Any, **named: Any) -> None:
        """Only in a call statement."""
        if e is self.own_call:
            super().write_back(e, *others, **named)

    def left_behind(self, pointer: w.Expression, address: Node, x: int, written: VariableMap) -> list[Node]:
        """Only what the tags say."""
        return []

    def written(self, tags: ParameterTags, cf: Node, arguments: list[Node], contents: dict[int, Node]) -> list[Node]:
        """Without control flow."""
        return super().written(tags, cf, arguments, contents)[not tags.written_non_uniform :]


class ValuesAtStatement(ScopeAnalysis):
    """Reads variables as they were at the start of the statement.

    15.2.8 calls M[x] the value before the statement in one place, before the expression in others.
    """

    at_statement: VariableMap

    def stmt(self, s: w.Statement, cf: Node) -> Node:
        self.at_statement = self.M.copy()
        return super().stmt(s, cf)

    def loop_body(self, s: Iteration, cf: Node) -> Node:
        """The condition of `while` and `for` is a statement of its own."""
        self.at_statement = self.M.copy()
        return super().loop_body(s, cf)

    def function_variable(self, e: w.Expression, x: w.Variable, cf: Node, loaded: bool) -> Node:
        return self.read(e, x, cf, self.at_statement.get(id(x), self.M[id(x)])) if loaded else cf


def _calculated_again(piece: Callable[..., Node], self: S, e: w.Expression, x: w.Let, cf: Node, loaded: bool) -> Node:
    """The calls are evaluated again, with current values; no known verdict differs."""
    if self.resolution.is_pointer(x.value):
        self.expr(x.value, cf, False)
    return piece(e, x, cf, loaded)


def _address_first(
    result: ParameterTags, self: S, p: w.Parameter, levels: list[tuple[Required, Reached]]
) -> ParameterTags:
    value = self.parameters[id(p)]
    by_address = any(is_in(reached, value) for level, reached in levels if level is result.required)
    return replace(
        result,
        of_contents=result.of_contents and not by_address,
        returned_contents=result.returned_contents and not result.returned,
    )


def _is_unlisted(self: S, member: w.Parameter | w.StructMember) -> bool:
    name = self.resolution.builtin_input(member)
    stage = self.resolution.entry_stage(self.function)
    return name is not None and stage is not None and INPUTS[name, stage].unlisted


LETTER = Author("letter")
LETTER_VARIANTS: tuple[Variant, ...] = (
    departs(
        LETTER,
        "exit-by-body",
        EITHER,
        "asks the body of a loop whether its end leaves it",
        "15.2.5, loop: Vin(next) -> Vout(s2) if Break is in B1. It should be B2: a `break if` leaves from there.",
    ).by(S.is_left_at_end, lambda b1: bool(b1 & BREAK)),
    departs(
        LETTER,
        "returns-addresses-only",
        LAXER,
        "forgets that a result depends on what a pointer leads to",
        "15.2.3 looks for param_i alone when it sets ParameterReturnContentsRequiredToBeUniform, and 15.2.7 links "
        "the result to the argument, the address.",
    ).by(S.parameter_tags, lambda result: replace(result, returned_contents=False)),
    departs(
        LETTER,
        "nothing-recorded",
        LAXER,
        "forgets what a function stores through a pointer",
        "15.2.7 speaks of the parameters recorded previously; since March 2023 no step records them.",
    ).by(S.origins, lambda: iter(())),
    departs(
        LETTER,
        "contents-after-call",
        EITHER,
        "requires of a pointer's contents that they are uniform after the call",
        "15.2.7 links RequiredToBeUniform.S to Vout(call) where the callee requires the contents that it is given.",
    )
    .first(S.user_call, _required_after_call)
    .by(S.argument, tags=lambda tags: replace(tags, required=None), where=lambda tags: tags.of_contents),
    departs(
        LETTER,
        "no-join-after-short-circuit",
        EITHER,
        "takes the right operand of && and || as always evaluated",
        "15.2.5 has no row for && and ||: what the right operand writes is the value behind it.",
    ).by(S.after_short_circuit, lambda self: self.M),
    departs(
        LETTER,
        "uniform-atomics",
        LAXER,
        "takes the results of atomic operations as uniform",
        "15.2.7 gives atomic operations no tags.",
    ).by(
        S.is_non_uniform,
        lambda self, row: (self.scope or Scope.WORKGROUP) in row.letter_non_uniform_in,
        where=lambda row: row.letter_non_uniform_in is not None,
    ),
    departs(
        LETTER,
        "no-implicit-return",
        LAXER,
        "forgets the end of a body as a way to leave a function",
        "15.2.6 links Value_return_i_contents at `return` statements alone.",
    ).by(S.fall_off_end, lambda: None),
    departure(LETTER, UndefinedAfterCall, EITHER),
    departs(
        LETTER,
        "inputs-are-parameters",
        LAXER,
        "takes user-defined inputs, and structures of inputs, as uniform",
        "15.2.8 has rows for built-in values that are parameters themselves, and for no other inputs.",
    ).by(
        S.entry_input,
        lambda self, e, p, cf: self.read(e, p, cf, self.parameters[id(p)]),
        where=lambda self, p: self.resolution.builtin_input(p) is None,
    ),
    departs(
        LETTER,
        "addresses-forgotten",
        LAXER,
        "forgets the address in a pointer parameter outside the function address space",
        "15.2.8 gives such parameters control flow or MayBeNonUniform, never param_i.",
    ).by(S.address, lambda cf: cf),
    departs(
        LETTER,
        "subgroup-results-depend",
        STRICTER,
        "makes results of subgroup operations depend on their arguments",
        "15.2.7 takes ReturnValueMayBeNonUniform from twelve subgroup functions in the scope of subgroups, and "
        "leaves them the default that a result depends on all arguments.",
    ).by(S.result_depends_on, lambda arguments: arguments),
    departs(
        LETTER,
        "clauses-that-break-join",
        STRICTER,
        "joins the variables of a clause that only breaks or returns",
        "15.2.5, switch: Vin(next) -> Vout(s_k) where B_k has Next or Break; breaks have an edge of their own.",
    ).by(S.joined_after_clause, lambda: NEXT | BREAK),
    departure(LETTER, ValuesAtStatement, EITHER),
    departs(
        LETTER,
        "indices-forgotten",
        LAXER,
        "forgets the index of an element that is assigned",
        "15.2.8 gives the left side a node LV with the indices; later reads take Vin(next), which has no edge to it.",
    ).by(S.assigned, left=lambda cf: cf),
    departs(
        LETTER,
        "pointers-calculated-again",
        STRICTER,
        "repeats the calls in the initialiser of a pointer let at each use",
        "15.2.4 replaces each use of a pointer let by its initialiser.",
    )
    .first(S.may_change, lambda self: [*self.M])  # the calls may stand far from there
    .by(S.let_use, _calculated_again),
    departs(
        LETTER,
        "address-first",
        LAXER,
        "forgets what a pointer leads to where its address counts",
        "15.2.3 gives a parameter one tag, and looks for param_i before param_i_contents.",
    ).by(S.parameter_tags, _address_first),
    departs(
        LETTER,
        "unlisted-inputs",
        STRICTER,
        "takes workgroup_index as non-uniform",
        "15.2.8 lists the uniform built-in values, and `workgroup_index` is not among them.",
    ).by(S.is_uniform_input, lambda: False, where=_is_unlisted),
    departs(
        LETTER,
        "index-of-value-first",
        EITHER,
        "evaluates the index of a value before the value",
        "15.2.8 has the index of every e2[e1] first. Operands go from left to right (15.1); only a reference is "
        "loaded behind its index.",
    ).by(S.index, lambda self, e, cf, loaded: self.both(e, self.value(e.index, cf), self.expr(e.base, cf, loaded))),
)
"""The suspected defects of the text of 2026-08-17, in the order in which docs/specification-notes.md has them."""
