"""A WGSL shader under test: its text, its resolved tree, and the cached answers of our own oracles."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b

from wgsl_fuzz.fuzz.cases.places import UNSUPPORTED, PlacedProblem, problems_of
from wgsl_fuzz.fuzz.internal_errors import FAULTS, described
from wgsl_fuzz.fuzz.problems import WrongText
from wgsl_fuzz.oracle.core import core_of, from_core
from wgsl_fuzz.oracle.dynamics.modules.execution import Effort, Execution, execute, simplest
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS, Notion
from wgsl_fuzz.oracle.explain.path import Explanation, explanations_of
from wgsl_fuzz.oracle.rules.analysis import paper_verdict
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.analysis import ModuleAnalysis
from wgsl_fuzz.oracle.rules.uniformity.coverage import JudgedModule, can_be_watched, readied
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2, WITH_PROPOSALS, analyse_wgsl, as_read, judge_wgsl
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.builtins import Stage
from wgsl_fuzz.wgsl.diagnostics import Severity
from wgsl_fuzz.wgsl.lexer import KEYWORDS, pieces
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.problems import Source, Unsupported, WgslError
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read, resolve
from wgsl_fuzz.wgsl.syntax import Block, Function, Module
from wgsl_fuzz.wgsl.walk import statements_below, with_more_stack

SEMANTICS = "semantics"
NOT_RUN = "not-run"
"""The word for a text that the semantics cannot execute."""
NO_REFERENCE = "none"
"""The `reference` of a text that no reference judges."""
FEW_RULE_SETS = 4
"""After so many it pays to find out what in a module a change of the rules can alter at all."""
WORDS = {Verdict.ACCEPTS: "uniform", Verdict.REJECTS: "non-uniform", Verdict.INVALID: "invalid"}
"""The reference's verdicts as JSON has them (docs/commands.md)."""


@dataclass
class Case:
    """A resolved module and the rules that judge it. `read_module` and `drawn_case` make it.

    A text that is no WGSL is an `OpaqueCase`. `executed` and `outcome` are what `execute` gave, if it was called: for
    records, no verdict depends on them.
    """

    source: Source
    resolution: Resolution
    rules: Rules = UNCHANGED
    """The rules that give `verdict`: the reference's by default."""
    seed: int = 0
    """The seed of the sampled stores and schedules."""
    thorough: bool = False
    """Whether to explore, and to sample more runs. A module that the reference rejects is always explored."""
    drawn: bool = False
    """Whether the text was printed from the tree, so that nodes have no positions in it."""
    spelled: bool = False
    """Whether the text may have surface forms that `plain`, the same shader, has not."""
    notion: Notion = CONTROL_STACKS
    """What counts as convergence."""
    effort: Effort | None = None
    """How much a thorough execution does; None: what takes a second or so."""

    executed: Execution | None = field(default=None, init=False, repr=False, compare=False)
    """The execution, if there was one."""
    _under: dict[Rules, ModuleAnalysis | None] = field(default_factory=dict, init=False, repr=False, compare=False)
    """The answers of other rule sets."""

    is_read = True
    """Whether `resolution` is what the text means: not of an `OpaqueCase`."""

    @property
    def text(self) -> str:
        """The WGSL text that targets compile."""
        return self.source.text

    @cached_property
    def plain(self) -> "Case":
        """What a spelled text means, printed plainly: its core, or its tree. Any other case is its own plain case."""
        if not self.spelled:
            return self
        if self.core is None:
            plain = drawn_case(self.resolution, self.seed, self.notion)
        else:
            plain = tiny_case(self.core, self.seed, self.notion)
        return self if pieces(self.text) == pieces(plain.text) else plain

    @property
    def forms(self) -> tuple[str, ...]:
        """The words and signs that occur more often in the text than in its plain print."""
        if self.plain is self:
            return ()
        more = Counter(pieces(self.text)) - Counter(pieces(self.plain.text))
        return tuple(sorted(piece for piece in more if _is_form(piece)))

    @cached_property
    def core(self) -> Shader | None:
        """The TinyWGSL shader that the module means exactly; None if it has more than TinyWGSL can say."""
        return core_of(self.resolution).shader

    @cached_property
    def paper(self) -> Verdict | None:
        """The verdict of the paper's section 4.2; None where the module is not TinyWGSL."""
        return paper_verdict(self.resolution)

    @property
    def reference(self) -> str:
        """The name of the rules that give the verdict."""
        return WITH_PROPOSALS if self.resolution.proposals else SECTION_15_2

    @property
    def problems(self) -> Sequence[PlacedProblem]:
        """Why no reference judges the text; empty if one does."""
        return ()

    @property
    def problem(self) -> str:
        """The first problem in a sentence; empty if there is none."""
        return self.problems[0].sentence if self.problems else ""

    @property
    def word(self) -> str:
        """The verdict as JSON has it."""
        return WORDS[self.verdict]

    @property
    def threads(self) -> int | None:
        """The workgroup size of a TinyWGSL shader; other modules may have several."""
        return None if self.core is None else self.core.workgroup_size

    @property
    def statements(self) -> int | None:
        """The number of statements; None if the text is not read."""
        return count_statements(self.resolution.module)

    @cached_property
    def placed(self) -> "Case":
        """The same module, with the position of every node in the text."""
        if not self.drawn:
            return self
        return read_module(self.text, self.rules, seed=self.seed, notion=self.notion, thorough=self.thorough)

    def execute(self, *, any_witness: bool = False) -> Execution:
        """The answer of the semantics: explored if `thorough` or rejected, else sampled. `cannot` says why, if it
        cannot run the module.

        With `any_witness` it is faster if samples diverge and exploring does not show it; it is not kept then.
        To describe it with lines of the text, use `execute_placed`.
        """
        if self.executed is not None and not any_witness:
            return self.executed
        thorough = self.thorough or self.verdict is not Verdict.ACCEPTS
        try:
            done = execute(
                self.resolution,
                seed=self.seed,
                thorough=thorough,
                notion=self.notion,
                any_witness=any_witness,
                effort=self.effort,
            )
        except FAULTS as fault:  # an internal error must not end a campaign
            cannot = f"what our lowering fails on ({type(fault).__name__})"
            done = Execution(Outcome.NOT_SEEN, cannot=cannot, fault=described(fault))
        if not any_witness:
            self.executed = done
        return done

    def execute_placed(self) -> Execution:
        """The execution for people: with positions in the text, and a witness that is simple to read."""
        placed = self.placed
        known = self.executed if self.drawn else self.execute()
        moved = None if known is None else simplest(known, placed.resolution)
        return moved or simplest(placed.execute(), placed.resolution) or placed.execute()

    def verdicts(self) -> dict[str, str]:
        """The words of our own oracles for JSON: `wgsl`, and `semantics` if the module was executed."""
        words = {SECTION_15_2: self.verdict.value}
        if (outcome := self.outcome) is not None:
            words[SEMANTICS] = outcome.value
        return words

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, if the module was executed and could be run; does not execute."""
        done = self.executed
        if done is None or (done.cannot is not None and done.outcome is Outcome.NOT_SEEN):
            return None
        return done.outcome

    @property
    def faults(self) -> tuple[str, ...]:
        """The internal error of the execution, if there was one, by its description."""
        return (self.executed.fault,) if self.executed is not None and self.executed.fault else ()

    def ask_semantics(self) -> tuple[str, str]:
        """Executes the module: the word of the semantics, and the name of what it cannot run (empty if nothing)."""
        done, outcome = self.execute(), self.outcome
        return NOT_RUN if outcome is None else outcome.value, done.cannot or ""

    @cached_property
    def analysis(self) -> ModuleAnalysis:
        """The answer by these rules, with the graphs that explain it."""
        return analyse_wgsl(self.resolution, self.rules)

    @cached_property
    def quick_analysis(self) -> ModuleAnalysis:
        """The same answer without graphs."""
        return judge_wgsl(self.resolution, self.rules)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole module."""
        return self.quick_analysis.verdict

    def verdict_under(self, rules: Rules) -> Verdict:
        """The verdict of another rule set; INVALID if it finds that a behaviour is not allowed."""
        is_one_of_many = rules not in self._under and len(self._under) >= FEW_RULE_SETS
        if is_one_of_many and not self.rules and can_be_watched(rules):
            return with_more_stack(lambda: self._judged.verdict_under(readied(rules)))
        judged = self.quick_analysis_under(rules)
        return Verdict.INVALID if judged is None else judged.verdict

    @cached_property
    def _judged(self) -> JudgedModule:
        """What no change of the rules alters, so that many rule sets are asked soon."""
        return JudgedModule(self.resolution, self.quick_analysis)

    def quick_analysis_under(self, rules: Rules) -> ModuleAnalysis | None:
        """The answer of another rule set, without graphs; None if it finds that a behaviour is not allowed."""
        if rules not in self._under:
            try:
                is_own = rules == self.rules
                self._under[rules] = self.quick_analysis if is_own else judge_wgsl(self.resolution, rules)
            except WgslError:
                self._under[rules] = None
        return self._under[rules]

    @cached_property
    def explanations(self) -> list[Explanation]:
        """An explanation for each violated requirement, of every severity."""
        one = self.placed
        return explanations_of(one.analysis, as_read(one.resolution, one.rules), one.source)

    def entry_points(self) -> Iterator[tuple[Function, Stage, Severity | None]]:
        """Each entry point with its stage, and the worst severity of what it reaches; None: nothing is violated."""
        for function in self.resolution.functions:
            stage = self.resolution.entry_stage(function)
            if stage is not None:
                reached = {id(f) for f in self.resolution.reached(function)}
                found = [v.severity for result, v in self.quick_analysis.violations if id(result.function) in reached]
                yield function, stage, min(found, key=list(Severity).index, default=None)


def _is_form(piece: str) -> bool:
    """Whether a token is a sign or a keyword, and not a name or a number that a spelling is free to choose."""
    return piece in KEYWORDS or not (piece[0].isalnum() or (piece[0] == "_" and len(piece) > 1))


def read_module(
    text: str,
    rules: Rules = UNCHANGED,
    *,
    seed: int = 0,
    notion: Notion = CONTROL_STACKS,
    spelled: bool = False,
    thorough: bool = False,
) -> Case:
    """Parses and judges a text. Raises WgslError if it is no WGSL, or the reference does not know a construct."""
    case = Case(Source(text), read(text), rules, seed, thorough, spelled=spelled, notion=notion)
    _ = case.quick_analysis  # raises Unsupported for an unknown construct
    return case


def drawn_case(resolution: Resolution, seed: int = 0, notion: Notion = CONTROL_STACKS) -> Case:
    """The case of a drawn module; its text is the plain print."""
    return Case(Source(lambda: print_module(resolution.module)), resolution, seed=seed, drawn=True, notion=notion)


def tiny_case(shader: Shader, seed: int = 0, notion: Notion = CONTROL_STACKS) -> Case:
    """A TinyWGSL shader, printed plainly."""
    return drawn_case(from_core(shader), seed, notion)


def count_statements(module: Module) -> int:
    """How many statements functions have; a block counts where it stands for itself, a clause does not."""
    below = [s for d in module.declarations if isinstance(d, Function) for s in statements_below(d)]
    return sum([sum([type(s) is Block for s in one.statements]) if isinstance(one, Block) else 1 for one in below])


def key_of(text: str) -> int:
    """64-bit content hash of a text, signed; the same in every process."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), signed=True)


@dataclass
class OpaqueCase(Case):
    """A text that is no WGSL, or has a construct that the reference does not know. Our own oracles give no verdict.

    To them it is a module with nothing in it: nothing diverges, and nothing is explained.
    """

    error: WgslError = field(kw_only=True)

    reference = NO_REFERENCE
    core = paper = statements = None
    verdict = Verdict.INVALID
    is_read = False

    @cached_property
    def problems(self) -> Sequence[PlacedProblem]:
        """All problems of the text."""
        return problems_of(self.text, self.error)

    @property
    def word(self) -> str:
        """`invalid` or `unsupported`."""
        return UNSUPPORTED if isinstance(self.error, Unsupported) else WORDS[self.verdict]

    def execute(self, **_: bool) -> Execution:
        """It cannot be run."""
        return Execution(Outcome.NOT_SEEN, cannot="what is no WGSL")

    def verdicts(self) -> dict[str, str]:
        """Our own oracles say nothing."""
        return {}


def read_case(
    text: str, notion: Notion = CONTROL_STACKS, *, seed: int = 0, spelled: bool = False, thorough: bool = True
) -> Case:
    """Any text for the oracles."""
    try:
        return read_module(text, seed=seed, notion=notion, spelled=spelled, thorough=thorough)
    except WgslError as error:
        return OpaqueCase(Source(text), resolve(Module((), ())), notion=notion, error=error)


def failed_case(text: str, fault: Exception) -> Case:
    """A text that no reference judges, because of an internal error."""
    error = Unsupported(f"our own program failed on it: {described(fault)}", 0)
    return OpaqueCase(Source(text), resolve(Module((), ())), error=error)


def read_judged(text: str, file: str, rules: Rules = UNCHANGED) -> Case:
    """The case of a text that must be WGSL. Raises WrongText, with the positions in `file`."""
    try:
        return read_module(text, rules)
    except WgslError as error:
        raise WrongText([problem.told(file) for problem in problems_of(text, error)]) from error


@dataclass(frozen=True, slots=True)
class Given:
    """A text in a file."""

    path: str
    text: str

    def case(self, notion: Notion = CONTROL_STACKS) -> Case:
        """The text for the oracles; it counts as spelled if it has a core."""
        case = read_case(self.text, notion, thorough=False)
        case.spelled = case.core is not None
        return case
