"""Random trees of WGSL: whatever the grammar allows, whether it means anything or not."""

from functools import cache

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from wgsl_fuzz.wgsl import syntax

DEPTH = 2
"""How many compound statements are inside each other."""

names = st.sampled_from(["a", "b", "_c", "vec2", "array", "é", "off", "x__y"])
literals = st.builds(
    syntax.Literal, st.sampled_from(["0", "1u", "2.", ".5", "1e3f", "0x1F", "0x1.8p3", "true", "false"])
)
_OPERATORS = ["*", "/", "%", "+", "-", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||"]
_ASSIGNMENTS = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]


def _tuples(elements: SearchStrategy, least: int = 0, most: int = 2) -> SearchStrategy:
    return st.lists(elements, min_size=least, max_size=most).map(tuple)


def _larger(smaller: SearchStrategy[syntax.Expression]) -> SearchStrategy[syntax.Expression]:
    lists = _tuples(smaller)
    return st.one_of(
        st.builds(syntax.Identifier, names, lists),
        st.builds(syntax.Unary, st.sampled_from("-!~*&"), smaller),
        st.builds(syntax.Binary, st.sampled_from(_OPERATORS), smaller, smaller),
        st.builds(syntax.Binary, st.sampled_from(["<", ">", ">>", "&&"]), smaller, smaller),
        st.builds(syntax.Index, smaller, smaller),
        st.builds(syntax.Member, smaller, names),
        st.builds(syntax.Call, st.builds(syntax.Identifier, names, lists), _tuples(smaller, most=3)),
    )


expressions: SearchStrategy[syntax.Expression] = st.recursive(
    st.builds(syntax.Identifier, names) | literals, _larger, max_leaves=8
)
types = st.builds(syntax.Identifier, names, st.just(()) | _tuples(expressions))
calls = st.builds(syntax.Call, types, _tuples(expressions))


def _further(smaller: SearchStrategy[syntax.Expression]) -> SearchStrategy[syntax.Expression]:
    return st.one_of(
        st.builds(syntax.Unary, st.sampled_from("*&"), smaller),
        st.builds(syntax.Index, smaller, expressions),
        st.builds(syntax.Member, smaller, names),
    )


left_sides: SearchStrategy[syntax.Expression] = st.recursive(
    st.builds(syntax.Identifier, names) | calls, _further, max_leaves=4
)

_idents = st.builds(syntax.Identifier, names)
_severities = st.sampled_from(["off", "info", "warning", "error"])
_one_name = st.sampled_from(["align", "binding", "blend_src", "group", "id", "location", "size", "subgroup_size"])
attributes: SearchStrategy[syntax.Attributes] = _tuples(
    st.one_of(
        st.builds(
            syntax.Attribute,
            st.just("diagnostic"),
            st.tuples(st.builds(syntax.Identifier, _severities), _idents | st.builds(syntax.Member, _idents, names)),
        ),
        st.builds(syntax.Attribute, st.sampled_from(["compute", "fragment", "invariant", "must_use", "vertex"])),
        st.builds(syntax.Attribute, _one_name, _tuples(expressions, 1, 1)),
        st.builds(syntax.Attribute, st.sampled_from(["builtin", "interpolate"]), _tuples(_idents, 1, 2)),
        st.builds(syntax.Attribute, st.just("workgroup_size"), _tuples(expressions, 1, 3)),
    )
)
_maybe_type = st.none() | types
_maybe_value = st.none() | expressions
_locals = st.one_of(
    st.builds(syntax.Variable, names, _maybe_type, _maybe_value, _tuples(expressions)),
    st.builds(syntax.Let, names, _maybe_type, expressions),
    st.builds(syntax.Const, names, _maybe_type, expressions),
)
_updates = st.one_of(
    st.builds(syntax.Assign, st.sampled_from(_ASSIGNMENTS), left_sides, expressions),
    st.builds(syntax.Phony, expressions),
    st.builds(syntax.Increment, st.sampled_from(["++", "--"]), left_sides),
    st.builds(syntax.CallStatement, calls),
)
_plain: SearchStrategy[syntax.Statement] = st.one_of(
    _locals,
    _updates,
    st.builds(syntax.Empty) | st.builds(syntax.Break) | st.builds(syntax.Continue) | st.builds(syntax.Discard),
    st.builds(syntax.Return, _maybe_value),
    st.builds(syntax.ConstAssert, expressions),
)


@cache
def statements(depth: int = DEPTH) -> SearchStrategy[syntax.Statement]:
    """Statements with up to `depth` compound ones inside each other."""
    return _plain if depth == 0 else st.one_of(_plain, _compounds(depth - 1))


def _compounds(depth: int) -> SearchStrategy[syntax.Statement]:
    block = blocks(depth)
    orelse = st.none() | block | st.builds(syntax.If, expressions, block, st.none() | block)
    selectors = _tuples(expressions | st.just(syntax.DefaultSelector()), 0, 3)
    breaking = st.builds(
        lambda inside, last: syntax.Block((*inside.statements, last), inside.attributes),
        block,
        st.builds(syntax.BreakIf, expressions),
    )
    clauses = _tuples(st.builds(syntax.Clause, selectors, block), 1, 2)
    return st.one_of(
        block,
        st.builds(syntax.If, expressions, block, orelse, attributes),
        st.builds(syntax.Switch, expressions, clauses, attributes, attributes),
        st.builds(syntax.Loop, block, st.none() | block | breaking, attributes),
        st.builds(syntax.While, expressions, block, attributes),
        st.builds(syntax.For, st.none() | _locals | _updates, _maybe_value, st.none() | _updates, block, attributes),
    )


@cache
def blocks(depth: int) -> SearchStrategy[syntax.Block]:
    """Blocks of up to three statements."""
    return st.builds(syntax.Block, _tuples(statements(depth), most=3), attributes)


_name_lists = _tuples(names, 1, 3)
directives: SearchStrategy[syntax.Directive] = st.one_of(
    st.builds(syntax.Enable, _name_lists),
    st.builds(syntax.Requires, _name_lists),
    st.builds(syntax.Diagnostic, _severities, names | st.tuples(names, names).map(".".join)),
)
_results = st.just((None, ())) | st.tuples(types, attributes)
functions: SearchStrategy[syntax.Function] = st.builds(
    lambda name, parameters, body, result, before: syntax.Function(
        name, parameters, body, result[0], before, result[1]
    ),
    names,
    _tuples(st.builds(syntax.Parameter, names, types, attributes)),
    blocks(DEPTH),
    _results,
    attributes,
)
declarations: SearchStrategy[syntax.Declaration] = st.one_of(
    functions,
    st.builds(syntax.Variable, names, _maybe_type, _maybe_value, _tuples(expressions), attributes),
    st.builds(syntax.Const, names, _maybe_type, expressions),
    st.builds(syntax.Override, names, _maybe_type, _maybe_value, attributes),
    st.builds(syntax.Alias, names, types),
    st.builds(syntax.Struct, names, _tuples(st.builds(syntax.StructMember, names, types, attributes), 1, 3)),
    st.builds(syntax.ConstAssert, expressions),
)
modules: SearchStrategy[syntax.Module] = st.builds(syntax.Module, _tuples(directives), _tuples(declarations, most=3))
