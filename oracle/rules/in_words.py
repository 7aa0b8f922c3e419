"""Variants of the rules in words for people: one name and one sentence for each, wherever it is shown."""

import re
from collections.abc import Iterable

from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.rules.uniformity.places import arm_of, context_of
from wgsl_fuzz.oracle.rules.uniformity.revisions import DEPARTURES, named_variants
from wgsl_fuzz.wgsl.lexer import KEYWORDS

_SUBJECTS = {
    "expr": "expressions",
    "values": "joined variables",
    "name": "identifiers",
    "compound": "compound assignments",
    "increment": "`++` and `--`",
    "phony": "`_ =`",
    "callstatement": "call statements",
    "breakif": "`break if`",
    "constassert": "`const_assert`",
    "builtin": "built-in functions",
    "filter": "diagnostic filters",
    "input": "built-in inputs",
    "table": "built-in functions",
    "proposal": "what a proposal adds",
    "B": "behaviours",
    "list": "lists of statements",
    "loop": "loops",
    "assign": "assignments",
    "variable": "declarations of variables",
    "empty": "empty statements",
}
"""What the arms of section 15.2, of the behaviours of 9.7 and of the tables are about, if not a statement's keyword."""
_PARTS = {
    None: "value",
    "then": "first branch",
    "else": "`else`",
    "left": "left side",
    "right": "right side",
    "ordinary": "built-in function",
    "only-by-next": "only by the end of its body",
    "before": "code before it",
    "non-uniform": "non-uniform",
    "call/": "at a call",
    "tag/": "in a function's summary",
}
"""Parts of names for which not their own words stand; None: an optional one that is not there."""
_SENTENCES = {
    r"\w+/(\w+)/no-requirement": "does not require uniform control flow at `{0}`",
    r"\w+/(\w+)/required": "requires uniform control flow at `{0}`",
    r"\w+/(\w+)/other-rule": "puts what `{0}` requires under another trigger rule",
    r"\w+/(\w+)/no-parameter": "requires no argument of `{0}` to be uniform",
    r"\w+/(\w+)/no-parameter-(\d)": "does not require the argument for parameter {1} of `{0}` to be uniform",
    r"table/(\w+)/other-parameter": "requires another argument of `{0}` to be uniform than the rules",
    r"table/(\w+)/parameter-required": "requires the first argument of `{0}` to be uniform",
    r"table/(\w+)/second-required": "requires the second argument of `{0}` to be uniform",
    r"(?:table|proposal)/(\w+)/non-uniform": "takes the result of `{0}` as non-uniform",
    r"table/(\w+)/((?:non-)?uniform)-in-(\w+)": "takes the result of `{0}` as {1} in the {2}",
    r"proposal/(zero|composite)/not-required": "does not see that a {0} value may hold subgroup matrices",
    r"input/(compute|fragment)-(\w+)/uniform": "takes `{1}` in {0} shaders as uniform",
    r"input/(compute|fragment)-(\w+)/((?:non-)?uniform)-in-(\w+)": "takes `{1}` in {0} shaders as {2} in the {3}",
    r"input/(structure|user-defined)/((?:non-)?uniform)": "takes a {0} input as {1}",
    # behaviours (9.7)
    r"B/(\w+)/((?:\w+-or-)?(?:next|return|break|continue))": "gives {a} the behaviour “{1}”",
    r"B/(switch)/(first|last)-only": "gives {a} the behaviours of its {1} clause alone",
    r"B/(if|list)/(\w+)-only": "gives {a} the behaviours of the {1} alone",
    r"B/(\w+)/(break|continue)-stays": "keeps “{1}” among the behaviours of {a}",
    r"B/(\w+)/(?:always-next|keeps-next)": "adds “next” to the behaviours of {a}",
    r"B/if/(else|else-if)-may-be-missing": "adds “next” to the behaviours of an `if` with an {0}",
    r"B/(\w+)/(.+)": "computes the behaviours of {a} otherwise: {1}",
    r"(call/|tag/)(?:.+flow/not-required|.+site/never)": "forgets {0} that a function requires uniform control flow",
    r"(call/|tag/).+/(?:(contents)-|value-)?not-required": "forgets {0} that an argument's {1} has to be uniform",
    r"(call/|tag/)\w+/(?:(contents)-)?not-returned": "forgets {0} that a result depends on an argument's {1}",
    r"(call/|tag/)\w+/(?:(contents)-)?always-returned": "takes every result {0} to depend on each argument's {1}",
    r"(call/|tag/)(?:.*written[-/])(?:always-)?((?:non-)?uniform)": "takes what is stored through pointers {0} as {1}",
    r"call/([\w-]+)/(?:required-)?as-(error|warning)": "takes the severity of requirements at a call ({0}) for {1}",
    r"call/([\w-]+)/(?:required-)?without-rules": "forgets the trigger rules of requirements at a call ({0})",
    r"call/result/(always|never)-non-uniform": "takes the result of a call of a function as {0} non-uniform",
    r"call/written/(.+)": "takes what is stored through pointers at a call otherwise: {0}",
    r"call/contents/no-(\w+)": "ignores the {0} in what a pointer argument leads to",
    r"tag/result/((?:non-)?uniform)": "takes the result of every function as {0}",
    r"builtin/(\w+)/(no|only)-first-argument": "counts {1} first argument of a {0} in its result",
    r"builtin/texture-load/of-(.+)": "takes `textureLoad` of {0} as non-uniform",
    r"builtin/severity/(\w+)-warns": "treats requirements of {0} as warnings",
    r"builtin/severity/(\w+)-are-(\w+)": "treats {0} as {1}",
    r"module/scope/(.+)": "analyses the workgroup and the subgroup otherwise: {0}",
    r"module/functions/(reached|entry-point)s?-only": "reports violations in {0} functions only",
    r"filter/([\w-]+)/ignored": "ignores diagnostic filters ({0})",
    r"filter/([\w-]+)/not-(?:on|in)-(\w+)": "does not apply the diagnostic filters on the {0} to its {1}",
    r"filter/([\w-]+)/on-(\w+)": "applies the diagnostic filters on the {0} to its {1}, too",
    r"filter/(function|range)/never-ends": "applies the diagnostic filters on a {0} to what stands behind it, too",
    r"filter/default/(\w+)-warns": "takes violations of `{0}` for warnings by default",
    # branches and loops
    r"(if)/(then|else)/from-start": "takes control flow in the {1} of {a} as uniform",
    r"switch/clause/(first|others)-from-start": "takes control flow in clauses of a `switch` as uniform: {0}",
    r"(if|switch)/(?:else/after-then|clause/falls.+)": "begins a branch of {a} with the values after the one before",
    r"if/values/no-(then|else)": "forgets what variables hold after the {0} of an `if`",
    r"if/values/(then|else)-without-next": "counts what variables hold in the {0} of an `if` even if a jump leaves it",
    r"if/else/missing-never-next": "forgets what variables hold where an `if` without `else` does nothing",
    r"switch/breaks/of-the-loop": "takes a `break` in a `switch` as one of the loop around it",
    r"(if|switch|loop)/after/always-before": "takes control flow after {a} as that before it, in every case",
    r"(if|switch)/after/(first|last)-end": "ignores control flow at the end of the {1} branch after {a}",
    r"(if|switch)/after/returns-only": "takes control flow after {a} as that before it unless a branch returns",
    r"(if|switch)/after/(.+)": "takes other control flow after {a} than the rules: {1}",
    r"loop/after/(.+)-gives-(head|body|before)": "takes control flow after a loop ({0}) as that of the {1}",
    r"loop/(body|continuing)/from-(head|before)": "begins the {0} of a loop with the control flow of the {1}",
    r"loop/(head|values)/no-(entry|back-edge)": "forgets the {1} of a loop in its {0}",
    r"loop/head/back-edge-(only-by-\w+)": "takes a loop to iterate {0}",
    r"loop/continuing/(only-by-\w+)": "takes a `continuing` to be reached {0}",
    r"loop/values/(.+)-do-not-count": "takes variables that only {0} in a loop change as unchanged",
    r"loop/values/(exit|continuing)-without-(\w+)": "forgets what variables hold at the {1} of a loop at its {0}",
    r"while/condition/never-breaks": "forgets what variables hold where the condition of a `while` or a `for` ends it",
    r"assign/left/(full|partial)-(keeps|forgets)": "{1} the old value where a {0} reference is assigned",
    r"variable/value/no-initialiser": "ignores the initialiser of a `var`",
    r"variable/value/zero-is-non-uniform": "treats a `var` without an initialiser as non-uniform",
    r"block/values/restored": "undoes at the end of a block what it stores",
    r"return/contents/dropped": "forgets at a `return` what a function stores through pointers",
    r"function/end/no-return": "forgets at the end of a function what it stores through pointers",
    r"function/end/only-by-return": "forgets what functions store through pointers",
    r"list/next/dead-code-analysed": "analyses statements that cannot be reached",
    r"list/next/first-only": "analyses only the first statement of a list",
    r"list/control-flow/each-from-start": "takes control flow after a statement of a list as that before it",
    r"(\w+)/control-flow/(?:forgotten|no-edge)": "takes control flow after {a} as uniform",
    r"(\w+)/(left|result|uniform)/no-control-flow": "takes the {1} of {a} as independent of control flow",
    r"(\w+)/control-flow/non-uniform": "takes control flow after {a} as non-uniform",
    r"(\w+)/(condition|selector)/nothing": "takes control flow under the {1} of {a} as uniform",
    r"(\w+)/([\w-]+)/dropped": "ignores the {1} of {a}",
    r"(\w+)/(\w+)/not-analysed": "does not analyse the {1} of {a}",
    r"(if|switch|loop)/(?:values|else)/(.+)": "joins what variables hold in {a} otherwise: {1}",
    # expressions, names and pointers
    r"expr/short-circuit/right-from-start": "takes the right side of `&&` and `||` as always evaluated",
    r"expr/short-circuit/(.+)": "analyses `&&` and `||` otherwise: {0}",
    r"expr/(binary|index)/no-(left|right|base|index)": "ignores the {1} of {0} expressions in their value",
    r"expr/(binary|index)/(\w+)-under-(\w+)": "puts the {1} of {0} expressions under control of the {2}",
    r"expr/(unary|member|view)/no-(\w+)": "does not analyse the {1} of {0} expressions",
    r"values/join/(first|last)": "keeps only the value of the {0} path where paths meet",
    r"expr/load/never": "loads no variable",
    r"(?:expr|name)/([\w-]+)/(?:always-load\w+|loads)": "loads a value ({0}) even where only its address is used",
    r"(?:expr|name)/([\w-]+)/(?:never-load\w+|no-load)": "does not load a value ({0}) where it is used",
    r"name/(\w+)/no-value": "ignores the value of every {0}",
    r"pointer/full/(.+)": "tells references to whole variables from others otherwise: {0}",
    r"pointer/is-pointer/not-(\w+)": "does not see that {0} may be pointers",
    r"(?:expr|name|builtin)/([\w-]+)/no-control-flow": "takes {0}s as independent of the control flow around them",
    r"(?:expr|name|builtin)/([\w-]+)/non-uniform": "treats every {0} as non-uniform",
    r"name/([\w-]+)/(.+?)-((?:non-)?uniform)": "takes what is read by a {0} ({1}) as {2}",
    r"(\w+)/([\w-]+)/((?:non-)?uniform)": "treats the {1} of {a} as {2}",
    r"(\w+)/(.+)/(.+)": "has another rule for {a} ({1}) than the specification: {2}",
}
"""What analyses with broken rules do, by patterns of names, of which the first that fits counts; {0} and {1} are parts
of the name, {a} is the subject of the rule."""
_CONTEXTS = {
    "block": "in this block: {}",
    "nest": "below these loops and `switch`es: {}",
    "holds": "around a `{}`",
    "variable": "for this kind of variable: {}",
    "place": "at this place: {}",
    "form": "for a variable named in this form: {}",
    "argument": "for this argument: {}",
    "function": "in this kind of function: {}",
}


def variant_named(name: str) -> Variant | None:
    """The variant that has this name; a broken one, too, and one in a context."""
    return named_variants().get(arm_of(name))


def _subject(rule: str, statement: str) -> str:
    """What a rule is about, of which there are several, or a `statement` with its keyword."""
    return _SUBJECTS.get(rule) or (statement.format(f"`{rule}`") if rule in KEYWORDS else f"{rule}s")


def place_in_words(place: str) -> str:
    """`the specification's rule for `switch`: selector`, of `switch/selector`."""
    rule, _, part = place.partition("/")
    told = f": {part.replace('-', ' ') if rule not in ('table', 'input') else part}" if part else ""
    return f"the specification's rule for {_subject(rule, '{}')}{told}"


def broken_in_words(name: str) -> str:
    """What an analysis with a broken branch of the rules does, by the name: `ignores the condition of an `if``."""
    pairs = ((re.fullmatch(pattern, name), sentence) for pattern, sentence in _SENTENCES.items())
    found, sentence = next((found, sentence) for found, sentence in pairs if found is not None)
    parts = [_PARTS.get(part, (part or "").replace("-", " ")) for part in found.groups()]
    of = name.removeprefix("B/").partition("/")[0]
    return sentence.format(*parts, a=_subject(of, "an {}" if of == "if" else "a {}"))


def predicate(name: str) -> str:
    """What an analysis with a change of the rules does: `ignores the condition of an `if`, only in this block: loop`.

    A departure that real analyses have is told with its name. What is no name of a variant, a user's file, say, stays.
    """
    variant = variant_named(name)
    if variant is None:
        return name
    said = f"{variant.does} ({arm_of(name)})" if variant.does else broken_in_words(variant.name)
    group, _, which = context_of(name).partition(":")
    return f"{said}, only {_CONTEXTS[group].format(which)}" if group else said


def description(name: str) -> str:
    """What an analysis with a change of the rules does, with what stands in the rules instead."""
    variant = variant_named(name)
    told = f"; the rules have “{variant.branch}”" if variant is not None and variant.branch else ""
    return predicate(name) + told


def predicates(names: Iterable[str]) -> str:
    """What an analysis with all of these departures does."""
    return " and ".join(map(predicate, names))


def change_in_words(name: str) -> str:
    """That one departure, or one change of the rules that no real analysis is known to have, explains findings."""
    what = "departure from" if name in DEPARTURES else "change of"
    return f"one {what} the specification's rules: it {description(name)}"


def coincidence_in_words(name: str) -> str:
    """That a change fits findings, and nothing says that it is their cause."""
    return f"cause unknown; on these shaders it behaves as if it {description(name)}"
