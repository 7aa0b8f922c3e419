"""Where WebKit's analysis departs from the rules, as predicted: each as a variant (docs/webkit-analysis.md).

None of it was seen in a Safari. Two texts of it are known: that of revision 92829e9, and a newer one.
"""

from wgsl_fuzz.oracle.rules.rule_set import Effect, Variant
from wgsl_fuzz.oracle.rules.uniformity.variants.history import (
    BaseBeforeIndex,
    BehavioursOfContinuing,
    LoopsAlwaysIterate,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.letter import NoJoinAfterShortCircuit
from wgsl_fuzz.oracle.rules.uniformity.variants.tint import ContentsAtArgument
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_calls import (
    AliasesAreBuiltin,
    CallsReplaceVariables,
    FiltersOfBodiesIgnored,
    SubgroupsOnlyIfClean,
    UniformLoadsOfParameters,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_front_end import FrontEnd, FrontEnd92829e9
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_joins import (
    BlocksThatJumpKeep,
    ContinueJumpsToHead,
    EndsOfFunctionsJoin,
    IfsThatJumpKeep,
    JoinsAtEndOfLoop,
    LoopsThatJumpKeep,
    SwitchesThatJumpKeep,
    UpdatesAlwaysAnalysed,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_names import (
    AssignmentsWithoutFlow,
    BreakIfWithoutFlow,
    IfWithoutFlow,
    LoopsWithoutFlow,
    MissingElseIsNoEnd,
    ModuleVariablesNotJoined,
    ModuleVariablesRemember,
    NamesWithoutFlow,
    OldValueBeforeStatement,
    ShortCircuitWithoutFlow,
    StorageTexturesAreSources,
    StructuresOfInputs,
    SwitchWithoutFlow,
)
from wgsl_fuzz.oracle.rules.uniformity.variants.webkit_pointers import (
    AddressesAreContents,
    EveryPointerHasContents,
    ForOfLetsForgotten,
    LetsReplaced,
    LetsUnknownInBreakIf,
    LetsUnknownInContinuing,
    PhonyPointersForgotten,
    PointersNotLoaded,
)

LAXER, STRICTER, EITHER = Effect.LAXER, Effect.STRICTER, Effect.EITHER


def _webkit(name: str, section: str, effect: Effect, replacement: type, does: str, *only_with: str) -> Variant:
    about = f"Predicted from how the analysis works: docs/webkit-analysis.md, {section}."
    companions = " and ".join(f"webkit/{other}" for other in only_with)
    equivalent = f"Alone no verdict shows it; it matters with {companions}." if only_with else ""
    return Variant(f"webkit/{name}", "webkit", "", effect, (replacement,), (), equivalent, does, about)


_NAMES, _KEEPS = "names-without-flow", "joins-at-end-of-loop"

WEBKIT_VARIANTS: tuple[Variant, ...] = (
    _webkit(_NAMES, "1.1", LAXER, NamesWithoutFlow, "takes the value of a name without control flow where it is read"),
    _webkit(
        "assignments-without-flow",
        "1.2",
        EITHER,
        AssignmentsWithoutFlow,
        "takes what is assigned without control flow and without the address of the left side",
    ),
    _webkit(
        "if-without-flow",
        "1.3",
        LAXER,
        IfWithoutFlow,
        "takes control flow in an `if` for the value of its condition alone",
        _NAMES,
    ),
    _webkit(
        "switch-without-flow",
        "1.3",
        LAXER,
        SwitchWithoutFlow,
        "takes control flow in a `switch` for the value of its selector alone",
        _NAMES,
    ),
    _webkit(
        "loops-without-flow",
        "1.3",
        LAXER,
        LoopsWithoutFlow,
        "takes control flow in a `while` or `for` for the value of its condition alone",
        _NAMES,
    ),
    _webkit(
        "break-if-without-flow",
        "1.3",
        LAXER,
        BreakIfWithoutFlow,
        "takes control flow behind a `break if` for the value of its condition alone",
        _NAMES,
    ),
    _webkit(
        "short-circuit-without-flow",
        "1.3",
        LAXER,
        ShortCircuitWithoutFlow,
        "takes control flow on the right of && and || for the value of the left side alone",
        _NAMES,
    ),
    _webkit(
        "missing-else-is-no-end",
        "1.4",
        LAXER,
        MissingElseIsNoEnd,
        "takes control flow behind an `if` without an `else` for the end of its block",
        _NAMES,
        "switch-without-flow",
    ),
    _webkit(
        "loops-always-iterate", "1.5", STRICTER, LoopsAlwaysIterate, "gives every loop a back edge of control flow"
    ),
    _webkit(
        "loops-that-only-return",
        "1.6",
        EITHER,
        BehavioursOfContinuing,
        "takes the behaviours of a continuing that is not reached",
    ),
    _webkit("updates-always-analysed", "1.7", STRICTER, UpdatesAlwaysAnalysed, "analyses the update of every `for`"),
    _webkit(
        "module-variables-remember",
        "2.1",
        LAXER,
        ModuleVariablesRemember,
        "takes a variable at module scope for what the function stored last",
    ),
    _webkit(
        "module-variables-not-joined",
        "2.2",
        EITHER,
        ModuleVariablesNotJoined,
        "joins no variables at module scope where paths meet",
        "module-variables-remember",
    ),
    _webkit(
        "storage-textures-are-sources",
        "2.3",
        STRICTER,
        StorageTexturesAreSources,
        "takes the name of a storage texture that may be written as non-uniform",
    ),
    _webkit(
        "structures-of-inputs",
        "2.4",
        STRICTER,
        StructuresOfInputs,
        "takes every structure of inputs as non-uniform",
    ),
    _webkit(
        _KEEPS,
        "2.5",
        STRICTER,
        JoinsAtEndOfLoop,
        "joins variables at the end of a loop's text, whether it is reached or not",
    ),
    _webkit(
        "continue-jumps-to-head",
        "2.6",
        EITHER,
        ContinueJumpsToHead,
        "hands the variables at a `continue` to the head of the loop and not to its continuing",
    ),
    _webkit(
        "blocks-that-jump-keep",
        "2.7",
        EITHER,
        BlocksThatJumpKeep,
        "keeps variables behind a block whose end is not reached",
        _KEEPS,
    ),
    _webkit(
        "ifs-that-jump-keep",
        "2.7",
        EITHER,
        IfsThatJumpKeep,
        "keeps variables behind an `if` whose branches all jump, if neither stores to them",
        _KEEPS,
    ),
    _webkit(
        "switches-that-jump-keep",
        "2.7",
        EITHER,
        SwitchesThatJumpKeep,
        "keeps variables behind a `switch` whose clauses all jump",
        _KEEPS,
    ),
    _webkit(
        "loops-that-jump-keep",
        "2.7",
        EITHER,
        LoopsThatJumpKeep,
        "keeps variables behind a loop that no break leaves",
        _KEEPS,
    ),
    _webkit(
        "ends-of-functions-join",
        "2.8",
        STRICTER,
        EndsOfFunctionsJoin,
        "takes the end of a function's text to be reached",
        "switches-that-jump-keep",
    ),
    _webkit(
        "old-value-before-statement",
        "2.9",
        EITHER,
        OldValueBeforeStatement,
        "takes the old value of a partly assigned variable before the whole statement",
    ),
    _webkit(
        "no-join-after-short-circuit",
        "2.10",
        EITHER,
        NoJoinAfterShortCircuit,
        "takes the right operand of && and || as always evaluated",
    ),
    _webkit("base-before-index", "2.11", EITHER, BaseBeforeIndex, "evaluates a base before its index"),
    _webkit(
        "lets-replaced",
        "3.1",
        EITHER,
        LetsReplaced,
        "evaluates the initialiser of a pointer let at each use of its name, and not at the let",
    ),
    _webkit(
        "lets-unknown-in-break-if",
        "3.2",
        EITHER,
        LetsUnknownInBreakIf,
        "takes pointer lets in a `break if` for nothing",
    ),
    _webkit(
        "lets-unknown-in-continuing",
        "3.3",
        EITHER,
        LetsUnknownInContinuing,
        "takes pointer lets of a loop's body for nothing in its continuing",
    ),
    _webkit(
        "for-of-let-forgotten",
        "3.4",
        LAXER,
        ForOfLetsForgotten,
        "forgets a `for` that begins with a pointer let",
    ),
    _webkit(
        "phony-pointers-forgotten",
        "3.5",
        LAXER,
        PhonyPointersForgotten,
        "forgets a phony assignment of a pointer",
    ),
    _webkit(
        "pointers-not-loaded",
        "3.6",
        LAXER,
        PointersNotLoaded,
        "takes an element, and behind a let a member, of what a pointer leads to for its address",
    ),
    _webkit(
        "addresses-are-contents",
        "3.7",
        EITHER,
        AddressesAreContents,
        "takes the address that a pointer parameter holds for what it leads to",
    ),
    _webkit(
        "every-pointer-has-contents",
        "3.8",
        EITHER,
        EveryPointerHasContents,
        "takes what a pointer parameter of any address space leads to for what its caller knows of it",
    ),
    _webkit(
        "contents-at-argument",
        "4.1",
        EITHER,
        ContentsAtArgument,
        "takes what a pointer argument points to before the later arguments are evaluated",
    ),
    _webkit(
        "calls-replace-variables",
        "4.2",
        LAXER,
        CallsReplaceVariables,
        "takes a variable behind a call for what the last pointer to it, or to a part of it, leaves behind",
    ),
    _webkit(
        "uniform-loads-of-parameters",
        "4.3",
        LAXER,
        UniformLoadsOfParameters,
        "forgets the indices of a workgroupUniformLoad through a pointer parameter",
    ),
    _webkit(
        "aliases-are-builtin",
        "4.4",
        STRICTER,
        AliasesAreBuiltin,
        "takes an alias for the built-in function that it is called like",
    ),
    _webkit(
        "filters-of-bodies-ignored",
        "5.1",
        EITHER,
        FiltersOfBodiesIgnored,
        "ignores diagnostic filters in front of the bodies of statements and functions",
    ),
    _webkit(
        "subgroups-only-if-clean",
        "5.2",
        LAXER,
        SubgroupsOnlyIfClean,
        "analyses the scope of subgroups only if the other scope has no violation of any severity",
    ),
)
"""In the order of docs/webkit-analysis.md."""


def _front_end(name: str, replacement: type) -> Variant:
    return Variant(f"webkit/{name}", "webkit", "", EITHER, (replacement,), does="refuses what it does not read")


OF_92829E9: frozenset[Variant] = frozenset(
    {v for v in WEBKIT_VARIANTS if v.name != "webkit/subgroups-only-if-clean"}
    | {_front_end("front-end-92829e9", FrontEnd92829e9)}
)
"""The variants of revision 92829e9."""
OF_THE_NEWER: frozenset[Variant] = frozenset(
    {v for v in WEBKIT_VARIANTS if v.name != "webkit/if-without-flow"} | {_front_end("front-end", FrontEnd)}
)
"""Those of the newer text, which knows subgroups."""
