"""Where the branches of the paper's rules stand in the specification, and what each line says, in words.

TinyWGSL is part of WGSL, and the paper's rules are those of section 15.2 for it.
"""

import re

from wgsl_fuzz.oracle.rules.in_words import place_in_words
from wgsl_fuzz.oracle.rules.rule_set import Variant

_VALUES = "15.2.5 #func-var-value-analysis"
_SECTIONS = {
    "B": "9.7 #behaviors",
    "expr": "15.2.8 #uniformity-expressions",
    "call": "15.2.7 #uniformity-function-calls",
    "func": "15.2.3 #uniformity-function",
    "shader": "15.2.2 #uniformity-overview",
}
_STATEMENTS = "15.2.6 #uniformity-statements"

_SAYS = {
    "B/list": "A list of statements ends where its first statement without Next ends. What stands behind that is dead. "
    "An empty list has {Next}.",
    "B/assign": "An assignment has the behaviour {Next}.",
    "B/shared-assign": "An assignment to shared memory has the behaviour {Next}.",
    "B/barrier": "A barrier has the behaviour {Next}.",
    "B/call": "A call has the behaviour {Next}, whatever the function does.",
    "B/break": "A `break` has the behaviour {Break}.",
    "B/continue": "A `continue` has the behaviour {Continue}.",
    "B/return": "A `return` has the behaviour {Return}.",
    "B/if": "An `if` may do what either of its blocks may do. A missing `else` is an empty block.",
    "B/loop": "A loop whose body only returns has {Return}. Without Break in body or continuing, a loop has no Next; "
    "with one it has. Continue and Break stay inside.",
    "expr/lid": "`lid` is different in every thread.",
    "expr/shared-read": "What is read from shared memory may be different in every thread.",
    "expr/literal": "A literal is as uniform as the control flow that it stands in, and no less.",
    "expr/local": "A variable that is read depends on its value and on control flow.",
    "expr/binary": "An operation depends on both of its operands.",
    "expr/unary": "An operation depends on its operand.",
    "expr/convert": "A conversion depends on its operand.",
    "list/head": "A statement begins with the variables and the control flow that the one before it leaves.",
    "list/tail": "Code behind a statement without Next is not analysed; all other code is.",
    "assign/map": "Behind an assignment the variable has the new value, and not the old one.",
    "assign/value": "The value that is assigned depends on control flow.",
    "shared-assign/graph": "An assignment to shared memory demands nothing, and changes no variable.",
    "barrier/edge": "A barrier needs uniform control flow where it stands.",
    "return/edge": "The result of a function depends on each value that is returned; to return demands nothing.",
    "return/value": "The value that is returned depends on control flow.",
    "break/edges": "Variables at a `break` flow behind its loop.",
    "continue/edges": "Variables at a `continue` flow to the continuing of its loop.",
    "if/line-1": "The condition of an `if` depends on the control flow before it.",
    "if/line-2": "What stands in the `if` is under the control of its condition.",
    "if/line-3": "What stands in the `else` is under the control of the condition, and has the variables from before.",
    "if/line-6": "Behind an `if`, variables have the values from its end, if that is reached (Next).",
    "if/line-7": "Behind an `if`, variables have the values from the end of the `else`, if that is reached (Next). "
    "A missing `else` leaves them as they were.",
    "if/line-8": "If both blocks only go on ({Next}), control flow behind it is that before it: threads meet again.",
    "if/line-9": "If a block may break, continue or return, control flow behind the `if` depends on that at the ends "
    "of both blocks.",
    "call/line-4": "A call demands what the function's summary says: uniform control flow, or uniform arguments.",
    "call/line-5": "The result of a call depends on those arguments that the summary names, and is non-uniform if the "
    "summary says so.",
    "call/line-6": "The result of a call depends on control flow.",
    "call/line-7": "The result of a call is the variable's new value. Control flow behind the call is that before it.",
    "loop/line-5": "At the head of a loop, variables have the values from before the loop.",
    "loop/line-6": "A loop that may iterate (Continue in its body's behaviour) has control flow of its own at its "
    "head; any other has that from before it.",
    "loop/line-7": "The body begins with the head's variables and control flow. Its `break`s lead to the exit, its "
    "`continue`s to the continuing.",
    "loop/line-8": "The continuing begins with the variables of the `continue`s, and the control flow at the end of "
    "the body. A `break if` in it counts as an `if` with a `break`. It is analysed only if something continues.",
    "loop/line-9": "The head of a loop that iterates depends on the end of the continuing, in variables and control "
    "flow, and on the control flow before the loop.",
    "loop/line-10": "A loop whose body only breaks ({Break}) has the control flow behind it that was before it.",
    "loop/line-11": "Behind a loop that cannot iterate and may return, control flow is that at the end of the body.",
    "loop/line-12": "Behind a loop that may continue and return, control flow is that of its head.",
    "loop/line-13": "Behind a loop that may continue and cannot return, control flow is that before it.",
    "func/line-3": "Parameters and variables of a function begin as uniform, as far as the function itself is "
    "concerned.",
    "func/line-5": "The body of a function begins under the control flow of its call.",
    "func/line-6": "A function needs a uniform call site if a path leads from what must be uniform to its start.",
    "func/line-7": "A function needs a uniform argument if a path leads from what must be uniform to the parameter.",
    "func/line-8": "A result depends on an argument if a path leads from the result to the parameter.",
    "func/line-9": "A result is non-uniform if a path leads from it to what may be non-uniform.",
    "func/line-11": "A function is rejected if a path leads from what must be uniform to what may be non-uniform.",
    "shader/functions": "A shader is rejected if any of its functions is, `main` among them.",
    "shader/order": "Functions are analysed before what calls them, and all summaries are kept.",
}
"""By the place of a variant."""


def section_of(variant: Variant) -> str:
    """The section of the specification that has the rule which a variant of the paper's rules changes."""
    if re.search(r"\b(maps?|variables|joins)\b", variant.name) or "keeps-variables" in variant.name:
        return _VALUES
    return _SECTIONS.get(variant.rule, _STATEMENTS)


def place_of(variant: Variant) -> str:
    """Where the paper has it: the rule, its line, and that line's words."""
    return f"{place_in_words(variant.place)}: {variant.branch}" if variant.branch else place_in_words(variant.place)


def rule_of(variant: Variant) -> str:
    """The rule in words, if it has any."""
    return _SAYS.get(variant.place, "")
