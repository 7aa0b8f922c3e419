"""`rules:NAME`, `rules:FILE.py`: analyses of our own, and of users, as targets: to point the fuzzer at known faults."""

from collections.abc import Callable, Sequence
from functools import partial

from wgsl_fuzz.oracle.core import core_of
from wgsl_fuzz.oracle.rules.analyses import ANALYSES, BUILT_IN, is_ours, rules_named
from wgsl_fuzz.oracle.rules.rule_file import SUFFIX, RuleFileError
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import DATED, judge_wgsl
from wgsl_fuzz.oracle.targets import protocol
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.problems import Source, Unsupported, WgslError
from wgsl_fuzz.wgsl.resolve import read

PREFIX, ORIGIN = "rules", "our own, in process"
NOT_UNIFORM = "error: not uniform"


def open_rules(request: protocol.TargetRequest) -> protocol.Target:
    """`rules:NAME` or `rules:FILE.py`; TargetError names the rule sets there are, or says what is wrong with a file."""
    return open_named(request.spec, request.path or request.spec)


def open_named(spec: str, name: str) -> protocol.Target:
    """The analysis of this name or in this file, as the target `spec`. Raises TargetError."""
    if name.endswith(SUFFIX):
        path = protocol.normal_path(name)
        spec, name = spec.removesuffix(name) + path, path
    try:
        rules = rules_named(name)
        answer = partial(answer_tiny, ANALYSES[name]) if rules is None else partial(answer_whole, rules)
        return protocol.InProcess(spec, ORIGIN, answer)
    except RuleFileError as error:
        raise protocol.TargetError(str(error)) from error


def reads_modules(spec: str) -> bool:
    """Whether a target reads the whole language: all but two analyses of our own do."""
    _, prefix, name = spec.rpartition(f"{PREFIX}:")
    if not prefix and not is_ours(spec):
        return True
    try:
        return rules_named(name) is not None
    except RuleFileError:
        return False  # which is told when it is opened


def rules_infos() -> Sequence[protocol.TargetInfo]:
    """One line for each rule set; dated texts of the specification come newest first."""
    dated = sorted((name for name in BUILT_IN if DATED.fullmatch(name)), reverse=True)
    names = [*(name for name in BUILT_IN if name not in dated), *dated]
    return [
        protocol.TargetInfo(f"{PREFIX}:{name}", ORIGIN, protocol.Availability.INSTALLED, found[1] if found else "")
        for name in names
        for found in [DATED.fullmatch(name)]
    ]


def answer_tiny(judgement: Callable[[Shader], Verdict], text: str) -> Answer:
    """The verdict of an analysis of TinyWGSL on the core of a text; UNSUPPORTED, with the reason, without a core."""
    try:
        core = core_of(read(text))
    except WgslError as error:
        return _no_verdict(text, error)
    if core.shader is None:
        return Answer(Verdict.UNSUPPORTED, f"{_place(text, core.at)}{core.why}")
    return _answer(partial(judgement, core.shader))


def answer_whole(rules: Rules, text: str) -> Answer:
    """The verdict of a rule set of the whole language; INVALID for what is no WGSL, UNSUPPORTED for the unknown."""
    try:
        return _answer(lambda: judge_wgsl(read(text), rules).verdict)
    except WgslError as error:
        return _no_verdict(text, error)


def _answer(judge: Callable[[], Verdict]) -> Answer:
    try:
        verdict = judge()
    except RuleFileError as error:
        raise protocol.TargetError(str(error)) from error
    return Answer(verdict, "" if verdict is Verdict.ACCEPTS else NOT_UNIFORM)


def _no_verdict(text: str, error: WgslError) -> Answer:
    none = Verdict.UNSUPPORTED if isinstance(error, Unsupported) else Verdict.INVALID
    return Answer(none, f"{_place(text, error.start)}{error.message}")


def _place(text: str, at: int) -> str:
    if at < 0:
        return ""
    line, column = Source(text).position(at)
    return f"line {line}, column {column}: "


FAMILIES = (protocol.TargetFamily(PREFIX, open_rules, rules_infos),)
