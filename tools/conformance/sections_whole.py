"""Where the branches of the rules for the whole language stand in the specification, and what their rules say."""

from wgsl_fuzz.oracle.rules.in_words import place_in_words
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES

_STATEMENTS = "15.2.6 #uniformity-statements"
_SECTIONS = {
    "expr": "15.2.8 #uniformity-expressions",
    "name": "15.2.8 #uniformity-expressions",
    "pointer": "15.2.4 #pointer-desugar",
    "values": "15.2.5 #func-var-value-analysis",
    "call": "15.2.7 #uniformity-function-calls",
    "builtin": "15.2.7 #uniformity-function-calls",
    "tag": "15.2.3 #uniformity-function",
    "function": "15.2.3 #uniformity-function",
    "module": "15.2.2 #uniformity-overview",
    "filter": "2.3 #diagnostics",
    "input": "13.3.1.1 #builtin-inputs-outputs",
    "table": "17 #builtin-functions",
    "proposal": "#subgroup-matrices",
    "B": "9.7 #behaviors",
}
_SAYS = {
    "expr": "An expression depends on its parts and on control flow. A read of a variable takes its value, a reference "
    "or a pointer does not; `&&` and `||` evaluate their right side under the control of the left one.",
    "name": "A name depends on the value that the variable has there, on what the value was made of, or on the address "
    "space and access mode of what it stands for: memory that others may write is not uniform.",
    "pointer": "A `let` of a pointer stands for the expression that it was made with. Whoever takes a full reference "
    "to a variable, or a part of it, is told apart.",
    "values": "Where control flow joins, a variable depends on its values at the ends of all that lead there.",
    "assign": "An assignment gives a variable the value of its right side. If it changes a part only, the old value "
    "stays beside it. Its left side is evaluated first.",
    "compound": "A compound assignment reads the old value, too.",
    "increment": "`++` and `--` read the old value, and leave control flow as it was.",
    "phony": "`_ =` evaluates its right side, and changes no variable.",
    "let": "A `let` has the value of its initialiser.",
    "const": "A `const` leaves control flow as it was.",
    "constassert": "A `const_assert` leaves control flow as it was.",
    "variable": "A variable begins with the value of its initialiser; without one it is uniform.",
    "callstatement": "A call statement evaluates the call; control flow behind it is that behind the call.",
    "block": "A block analyses its statements in order. What it leaves is what they leave.",
    "discard": "`discard` leaves control flow as it was: the invocation goes on as a helper.",
    "empty": "An empty statement leaves control flow as it was.",
    "break": "A `break` hands its variables to what stands behind its loop or `switch`.",
    "continue": "A `continue` hands its variables to the continuing of its loop.",
    "return": "A `return` hands on its value, and what the pointer parameters lead to there.",
    "list": "A statement begins where the one before it ends. What stands behind one without Next is not analysed.",
    "breakif": "A `break if` ends an iteration under the control of its condition.",
    "if": "The blocks of an `if` are under the control of its condition. If both only go on, control flow behind it is "
    "that before it; else it depends on the ends of both. Variables join from the blocks that go on.",
    "switch": "The clauses of a `switch` are under the control of its selector. If they only go on, control flow "
    "behind it is that before it; else it depends on their ends. Variables join from the clauses and the `break`s.",
    "loop": "The head of a loop that iterates depends on the end of the iteration. The continuing is analysed if "
    "it can be reached. Behind the loop, control flow is that before it, of its head or of the body's end, by the "
    "behaviour of the body.",
    "while": "A `while` is a loop that begins with `if cond {} else { break; }`.",
    "for": "A `for` is its initial statement, and a loop that begins with its condition; the update is the continuing.",
    "call": "A call demands what the tags of the function say of its call site and its arguments. Its result and what "
    "its pointers lead to depend on the arguments that the tags name.",
    "builtin": "A call of a built-in function depends on its arguments, and demands what its tags say: in the severity "
    "of the filter around it, and in the scope of its rule.",
    "tag": "A function gets its tags from the paths in its graph: what must be uniform, and what result and pointers "
    "depend on, each in the highest severity that holds.",
    "function": "A function that can reach its end returns there.",
    "module": "A module is judged in the scope of the workgroup and, if it uses subgroups, in that of the subgroup. "
    "Every function counts, called or not.",
    "filter": "A diagnostic filter says the severity of what stands inside: a directive for the whole module, an "
    "attribute for its function, block, statement or clause. The innermost one counts.",
    "input": "Which built-in inputs are uniform, in which stage and scope.",
    "table": "Which built-in functions need uniform control flow or arguments, by which rule, and which have results "
    "that are not uniform.",
    "proposal": "A proposal: subgroup matrices are made, loaded, stored and multiplied in uniform control flow, of "
    "uniform values, by the rule `subgroup_matrix_uniformity`.",
    "B": "The behaviour of a statement says how it can end: Next, Break, Continue, Return. What is behind a statement "
    "without Next is dead, and some code is invalid by its behaviour alone.",
}
"""By the rule of a variant."""


def section_of(variant: Variant, of_pair: str) -> str:
    """The section that has the rule which a variant changes; that of its pair for departures of texts and compilers."""
    if variant.name in DEPARTURES:
        number = of_pair.partition(" ")[0]
        known = next((section for section in _SECTIONS.values() if section.startswith(f"{number} ")), of_pair)
        return _SECTIONS["table"] if number.startswith("#") else known
    if variant.line == "values":
        return _SECTIONS["values"]
    return _SECTIONS.get(variant.rule, _STATEMENTS)


def place_of(variant: Variant, of_pair: str) -> str:
    """Where the specification has it: the rule and the row of its table; for departures, the pair's words."""
    if variant.name in DEPARTURES:
        return of_pair
    place = place_in_words(variant.place)
    return f"{place}: {variant.branch}" if variant.branch else place


def rule_of(variant: Variant) -> str:
    """The rule in words; of a departure also where it comes from."""
    return variant.about if variant.name in DEPARTURES else _SAYS[variant.rule]
