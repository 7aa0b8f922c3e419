"""Random trees of WGSL: whatever the grammar allows, whether it means anything or not."""

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wgsl_fuzz.wgsl.syntax import (
    Alias,
    Assign,
    Attribute,
    Attributes,
    Binary,
    Block,
    Break,
    BreakIf,
    Call,
    CallStatement,
    Clause,
    Const,
    ConstAssert,
    Continue,
    Declaration,
    DefaultSelector,
    Diagnostic,
    Directive,
    Discard,
    Empty,
    Enable,
    Expression,
    For,
    Function,
    Identifier,
    If,
    Increment,
    Index,
    Let,
    Literal,
    Loop,
    Member,
    Module,
    Override,
    Parameter,
    Phony,
    Requires,
    Return,
    Statement,
    Struct,
    StructMember,
    Switch,
    Unary,
    Variable,
    While,
)

DEPTH = 2
"""How many compound statements are inside each other."""

names = st.sampled_from(["a", "b", "_c", "vec2", "array", "é", "off", "x__y"])
literals = st.builds(Literal, st.sampled_from(["0", "1u", "2.", ".5", "1e3f", "0x1F", "0x1.8p3", "true", "false"]))
_OPERATORS = ["*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||"]
_ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]


def _tuples(elements: SearchStrategy, least: int = 0, most: int = 2) -> SearchStrategy:
    return st.lists(elements, min_size=least, max_size=most).map(tuple)


def _larger(smaller: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    lists = _tuples(smaller)
    return st.one_of(
        st.builds(Identifier, names, lists),
        st.builds(Unary, st.sampled_from("-!~*&"), smaller),
        st.builds(Binary, st.sampled_from(_OPERATORS), smaller, smaller),
        st.builds(Binary, st.sampled_from(["<", ">", ">>", "&&"]), smaller, smaller),
        st.builds(Index, smaller, smaller),
        st.builds(Member, smaller, names),
        st.builds(Call, st.builds(Identifier, names, lists), _tuples(smaller, most=3)),
    )


expressions: SearchStrategy[Expression] = st.recursive(st.builds(Identifier, names) | literals, _larger, max_leaves=8)
types = st.builds(Identifier, names, st.just(()) | _tuples(expressions))
calls = st.builds(Call, types, _tuples(expressions))


def _further(smaller: SearchStrategy[Expression]) -> SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Unary, st.sampled_from("*&"), smaller),
        st.builds(Index, smaller, expressions),
        st.builds(Member, smaller, names),
    )


left_sides: SearchStrategy[Expression] = st.recursive(st.builds(Identifier, names) | calls, _further, max_leaves=4)

_idents = st.builds(Identifier, names)
_severities = st.sampled_from(["off", "info", "warning", "error"])
_one_name = st.sampled_from(["align", "binding", "blend_src", "group", "id", "location", "size", "subgroup_size"])
attributes: SearchStrategy[Attributes] = _tuples(
    st.one_of(
        st.builds(
            Attribute,
            st.just("diagnostic"),
            st.tuples(st.builds(Identifier, _severities), _idents | st.builds(Member, _idents, names)),
        ),
        st.builds(Attribute, st.sampled_from(["compute", "fragment", "invariant", "must_use", "vertex"])),
        st.builds(Attribute, _one_name, _tuples(expressions, 1, 1)),
        st.builds(Attribute, st.sampled_from(["builtin", "interpolate"]), _tuples(_idents, 1, 2)),
        st.builds(Attribute, st.just("workgroup_size"), _tuples(expressions, 1, 3)),
    )
)
_maybe_type = st.none() | types
_maybe_value = st.none() | expressions
_locals = st.one_of(
    st.builds(Variable, names, _maybe_type, _maybe_value, _tuples(expressions)),
    st.builds(Let, names, _maybe_type, expressions),
    st.builds(Const, names, _maybe_type, expressions),
)
_updates = st.one_of(
    st.builds(Assign, st.sampled_from(_ASSIGNMENTS), left_sides, expressions),
    st.builds(Phony, expressions),
    st.builds(Increment, st.sampled_from(["++", "--"]), left_sides),
    st.builds(CallStatement, calls),
)
_plain: SearchStrategy[Statement] = st.one_of(
    _locals,
    _updates,
    st.builds(Empty) | st.builds(Break) | st.builds(Continue) | st.builds(Discard),
    st.builds(Return, _maybe_value),
    st.builds(ConstAssert, expressions),
)


@cache
def statements(depth: int = DEPTH) -> SearchStrategy[Statement]:
    """Statements with up to `depth` compound ones inside each other."""
    return _plain if depth == 0 else st.one_of(_plain, _compounds(depth - 1))


def _compounds(depth: int) -> SearchStrategy[Statement]:
    block = blocks(depth)
    orelse = st.none() | block | st.builds(If, expressions, block, st.none() | block)
    selectors = _tuples(expressions | st.just(DefaultSelector()), 0, 3)
    breaking = st.builds(
        lambda inside, last: Block((*inside.statements, last), inside.attributes),
        block,
        st.builds(BreakIf, expressions),
    )
    clauses = _tuples(st.builds(Clause, selectors, block), 1, 2)
    return st.one_of(
        block,
        st.builds(If, expressions, block, orelse, attributes),
        st.builds(Switch, expressions, clauses, attributes, attributes),
        st.builds(Loop, block, st.none() | block | breaking, attributes),
        st.builds(While, expressions, block, attributes),
        st.builds(For, st.none() | _locals | _updates, _maybe_value, st.none() | _updates, block, attributes),
    )


@cache
def blocks(depth: int) -> SearchStrategy[Block]:
    """Blocks of up to three statements."""
    return st.builds(Block, _tuples(statements(depth), most=3), attributes)


_name_lists = _tuples(names, 1, 3)
directives: SearchStrategy[Directive] = st.one_of(
    st.builds(Enable, _name_lists),
    st.builds(Requires, _name_lists),
    st.builds(Diagnostic, _severities, names | st.tuples(names, names).map(".".join)),
)
_results = st.just((None, ())) | st.tuples(types, attributes)
functions: SearchStrategy[Function] = st.builds(
    lambda name, parameters, body, result, before: Function(name, parameters, body, result[0], before, result[1]),
    names,
    _tuples(st.builds(Parameter, names, types, attributes)),
    blocks(DEPTH),
    _results,
    attributes,
)
declarations: SearchStrategy[Declaration] = st.one_of(
    functions,
    st.builds(Variable, names, _maybe_type, _maybe_value, _tuples(expressions), attributes),
    st.builds(Const, names, _maybe_type, expressions),
    st.builds(Override, names, _maybe_type, _maybe_value, attributes),
    st.builds(Alias, names, types),
    st.builds(Struct, names, _tuples(st.builds(StructMember, names, types, attributes), 1, 3)),
    st.builds(ConstAssert, expressions),
)
modules: SearchStrategy[Module] = st.builds(Module, _tuples(directives), _tuples(declarations, most=3))
