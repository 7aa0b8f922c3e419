"""A bucket's card: everything there is to say of its smallest shader."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from markupsafe import Markup

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.findings.loading import StoredFinding
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, RELATED
from wgsl_fuzz.fuzz.judging.answers import SEMANTICS
from wgsl_fuzz.fuzz.judging.judge import VERDICTS_DIFFER, Kind, RelationCause
from wgsl_fuzz.fuzz.present.highlighting import depths
from wgsl_fuzz.fuzz.present.module_words import ExplainedModule
from wgsl_fuzz.fuzz.present.picture import to_svg
from wgsl_fuzz.fuzz.present.report.commands import Command, commands_of, texts_of
from wgsl_fuzz.fuzz.present.report.grouping import Group
from wgsl_fuzz.fuzz.present.report.listing import Line, Note, difference, listing
from wgsl_fuzz.fuzz.present.report.module_view import ModuleView, picture, rejects
from wgsl_fuzz.fuzz.present.report.module_view import sentences as module_sentences
from wgsl_fuzz.fuzz.present.report.steps import Steps, steps_of, steps_of_case
from wgsl_fuzz.fuzz.present.report.words import capital, explained, meaning, named, title
from wgsl_fuzz.fuzz.present.triage_text import explanation, forms
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.two_texts import wrong_texts
from wgsl_fuzz.fuzz.triage.verdicts import labels, said_of
from wgsl_fuzz.oracle.explain.dot import draw
from wgsl_fuzz.oracle.explain.path import explain, path_lines
from wgsl_fuzz.oracle.rules.analyses import REFERENCE
from wgsl_fuzz.oracle.rules.analysis import Analysis
from wgsl_fuzz.oracle.rules.uniformity.revisions import WHOLE
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.tinywgsl.printer import Position

LARGEST = 150
"""Nodes of a graph that is drawn: nobody reads a larger picture, and it takes long."""

_STYLE_BLOCK = re.compile(r"<style>.*?</style>", re.DOTALL)
_DIAGNOSTIC = re.compile(r"^(\d+):\d+ (error|note): (.*)$", re.MULTILINE)
_OUTCOMES = {
    "accepts": ("yes", "accepts"),
    "rejects": ("no", "rejects"),
    "converges": ("yes", "converges"),
    "diverges": ("no", "diverges"),
    "not-seen": ("open", "no divergence seen"),
    "out-of-steps": ("open", "cannot tell: no run ended"),
    "invalid": ("no", "invalid"),
    "crashed": ("no", "crashed"),
    "timed-out": ("no", "no answer in time"),
}
_LINE_WORDS = {
    "demand": "every thread must get here together",
    "root": "this may differ from thread to thread",
    "path": "",
}


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A row of the table of verdicts: `style` is `yes`, `no` or `open`; `about` says whether this is the finding."""

    oracle: str
    style: str
    verdict: str
    about: str
    second: tuple[str, str] | None = None
    """The style and the verdict on the other text, if there is one."""
    pair: bool = False
    """Whether `about` is about both verdicts together."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the sentences below it, with how deep each is indented; code is in backticks."""

    heading: str
    sentences: list[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A uniformity graph, or why there is none."""

    caption: str
    svg: Markup
    problem: str = ""


@dataclass(frozen=True, slots=True)
class TextComparison:
    """Another shader's text held against the one shown."""

    heading: str
    words: str
    lines: list[Line]
    open: bool = True


@dataclass
class Card:
    """What the template shows of a bucket; its sections are made when they are asked for."""

    group: Group
    number: int
    finding: StoredFinding = field(init=False)

    def __post_init__(self) -> None:
        self.finding = self.group.findings[0]
        record, related = self.finding.record, self.finding.file(RELATED)
        self.relates = self.group.kind is Kind.METAMORPHIC and related is not None
        self.wrong = wrong_texts(self.finding) if self.relates else ()
        self.shows_second = self.wrong == (1,)
        self._examined = self.finding.examined(RELATED if self.shows_second else None)
        self.text = self._examined.text
        self.other = self.finding.text if self.shows_second else related
        self.target = capital(named(self.group.target))
        self.shared = " and ".join(capital(named(name)) for name in record.shared)
        self.message = record.message
        self.drawn = None if self.shows_second else record.statements.drawn
        self.reduced = record.describes == REDUCED
        self.unreduced = record.unreduced or ""
        self.noted = record.noted or ()

    @cached_property
    def statements(self) -> int | None:
        """Of the shader shown; None if nobody counted."""
        if not self.shows_second:
            return self.finding.record.statements.shown
        case = self._examined.case
        return None if case is None else case.statements

    @property
    def heading(self) -> str:
        """Which shader is shown."""
        if not self.relates:
            return "The smallest shader"
        which = f"the {'second' if self.shows_second else 'first'} of two"
        return (
            f"The shader whose verdict is wrong: {which}" if len(self.wrong) == 1 else f"The smallest shader: {which}"
        )

    @property
    def anchor(self) -> str:
        """The card's place on the page."""
        return f"finding-{self.number}"

    @property
    def title(self) -> str:
        """The bucket in plain words."""
        return title(self.group)

    @property
    def meaning(self) -> str:
        """What the kind means and who is right."""
        return meaning(self.group)

    @property
    def kind(self) -> str:
        """The word on the badge."""
        return "no analysis" if self.group.declared else self.group.kind.value

    @property
    def style(self) -> str:
        """`bad`, `warn` or `calm`."""
        if self.group.settled or self.group.declared:
            return "calm"
        return "bad" if self.group.kind in (Kind.UNSOUND, Kind.MISCOMPILED, Kind.CRASH, Kind.HANG) else "warn"

    @property
    def also(self) -> str:
        """The other kinds among the bucket's findings, for a bucket that is not of one kind."""
        kinds = dict.fromkeys(finding.kind.value for finding in self.group.findings)
        return "" if self.group.declared else " and ".join(kind for kind in kinds if kind != self.group.kind.value)

    @property
    def positions(self) -> dict[int, Position]:
        """Where the statements of the case stand in the text."""
        return {}

    @cached_property
    def case(self) -> Case | None:
        """Our own oracles' view of the text, with the run's stores and schedules; None if it is not TinyWGSL."""
        return None

    @cached_property
    def module(self) -> ModuleView | None:
        """The views of a module of the whole language; None of a shader of TinyWGSL."""
        known = self._examined.case is not None
        return ModuleView(self.text, RelationCause.parse(self.group.cause).why or self.group.cause) if known else None

    @cached_property
    def reversed(self) -> Analysis | None:
        """The analysis by the rules that answer as the target does, if such are known."""
        return None

    @cached_property
    def steps(self) -> Steps | None:
        """The two threads of the divergence; None if there is none."""
        case, module = self.case, self._examined.case
        if self.finding.record.verdicts.get(SEMANTICS) != Outcome.DIVERGES.value:
            return None
        if self.module is not None and module is not None:
            return steps_of_case(module)
        if case is None or case.shown_execution.witness is None:
            return None
        return steps_of(case.shader, case.shown_execution.witness, self.positions)

    # -------------------------------------------------------------------------------------------------- the sections

    @cached_property
    def shader(self) -> list[Line]:
        """The text with notes at the lines that matter."""
        notes: dict[int, list[Note]] = defaultdict(list)
        for line, role in self._path().items():
            style = "root" if role == "source" else role
            notes[line].append(Note(style, _LINE_WORDS[style]))
        if self.steps is not None:
            self._note_steps(self.steps, notes)
        for line, severity, words in [] if self.speaks_of else _DIAGNOSTIC.findall(self.message):
            notes[int(line)].append(Note("target", f"{self.target}, {severity}: {words}"))
        return listing(self.text, {line: list(dict.fromkeys(found)) for line, found in notes.items()})

    def _path(self) -> dict[int, str]:
        """The lines of the path of whichever analysis rejects the shader."""
        if self.module is not None:
            return self.module.path()
        for analysis in (self.case.analysis if self.case else None, self.reversed):
            if analysis is not None and analysis.verdict is Verdict.REJECTS:
                return path_lines(analysis, self.positions)
        return {}

    def _note_steps(self, steps: Steps, notes: dict[int, list[Note]]) -> None:
        if steps.parting is not None and steps.parting[0]:
            one, other = steps.threads
            notes[steps.parting[0]].append(Note("part", f"threads {one} and {other} part here"))
        for thread, step in zip(steps.threads, steps.rows[-1]):
            if step is not None and step.line:
                notes[step.line].append(Note("wait", f"thread {thread} waits here for ever"))

    @property
    def speaks_of(self) -> str:
        """Which shader the target's own words are about, if not the one shown: of a broken relation, the other."""
        return labels(self.finding)[1] if self.relates and not self.shows_second else ""

    @cached_property
    def verdicts(self) -> list[VerdictRow]:
        """What every oracle says of the text, the target last."""
        rows = []
        ours = (REFERENCE, WHOLE, SEMANTICS)
        said = sorted(said_of(self.finding), key=lambda s: (s.oracle == self.group.target, s.oracle not in ours))
        for one in said:
            words = [_OUTCOMES.get(word, ("open", word)) for word in one.words]
            second = words[1] if len(words) > 1 else None
            rows.append(VerdictRow(self._oracle(one.oracle), *words[0], self._about(one.oracle), second, self._pair))
        return rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the verdicts: one, or one for each text."""
        names = labels(self.finding)
        return tuple(map(capital, names)) if len(names) > 1 else ("Verdict",)

    @property
    def _pair(self) -> bool:
        return self.group.kind in (Kind.UNSTABLE, Kind.METAMORPHIC)

    @staticmethod
    def _oracle(name: str) -> str:
        if name == REFERENCE:
            return "Reference: the paper’s rules"
        if name == WHOLE:
            return "Reference: the rules of WGSL, section 15.2"
        return "Semantics: runs of the shader" if name == SEMANTICS else capital(named(name))

    def _about(self, oracle: str) -> str:
        if oracle != self.group.target:
            return ""
        if self._pair:
            return "do not fit"
        return "wrong" if self.group.kind in (Kind.UNSOUND, Kind.MISCOMPILED, Kind.CRASH, Kind.HANG) else "disagrees"

    @cached_property
    def why(self) -> list[Section]:
        """Why the reference says what it says, and why the target says something else."""
        whys = []
        if self.module is not None and self.group.kind in VERDICTS_DIFFER:
            return self._why_module(self.module)
        if self.case is not None and self.case.verdict is Verdict.REJECTS:
            whys.append(Section("Why the reference rejects it", self._sentences(self.case.analysis)))
        if used := forms(self.finding):
            whys.append(Section("How it is spelled", [(0, f"The forms used: {', '.join(used)}.")]))
        if self.case is None or self.group.kind not in VERDICTS_DIFFER:
            return whys if self.message or whys else [Section("In the run’s words", self._recorded())]
        differs = explained(self.group)
        if self.reversed is not None and self.reversed.verdict is Verdict.REJECTS:
            sentences = [(0, differs), *self._sentences(self.reversed)]
            whys.append(Section(f"Why {named(self.group.target)} most likely rejects it", sentences))
        elif differs:
            whys.append(Section(f"What {named(self.group.target)} most likely does differently", [(0, differs)]))
        return whys

    def _why_module(self, view: ModuleView) -> list[Section]:
        whys = []
        if rejects(view.reference):
            whys.append(Section("Why the reference rejects it", module_sentences(view.reference)))
        differs, target = explained(self.group), named(self.group.target)
        if view.departed is not None and rejects(view.departed):
            sentences = [(0, differs), *module_sentences(view.departed)]
            whys.append(Section(f"Why {target} most likely rejects it", sentences))
        elif differs:
            whys.append(Section(f"What {target} most likely does differently", [(0, differs)]))
        told = self._recorded(without_divergence=self.steps is not None)  # the steps show it
        begin = next((i for i, line in enumerate(told) if line[1].startswith(("The semantics", "It "))), len(told))
        return [*whys, Section("What the semantics says", told[begin:])] if told[begin:] else whys

    def _sentences(self, analysis: Analysis) -> list[tuple[int, str]]:
        return [(depth, capital(line)) for depth, line in depths(explain(analysis, self.positions, self.text))]

    def _recorded(self, *, without_divergence: bool = False) -> list[tuple[int, str]]:
        return depths(explanation(self.finding, without_divergence=without_divergence))

    @cached_property
    def pictures(self) -> list[Picture]:
        """The graph of the reference, and that of the rules that explain the target."""
        if self.module is not None and self.group.kind in VERDICTS_DIFFER:
            return [_picture_of(caption, one) for caption, one in self.module.pictures()]
        if self.case is None or self.group.kind not in VERDICTS_DIFFER:
            return []
        found = [_picture("By the reference’s rules", self.case.analysis, self.positions)]
        if self.reversed is not None and self.reversed.verdict is not self.case.verdict:
            caption = f"By the rules that explain {named(self.group.target)} ({self.group.cause})"
            found.append(_picture(caption, self.reversed, self.positions))
        return found

    @cached_property
    def others(self) -> list[TextComparison]:
        """Texts held against this one: the nearest that does not show it, and the related one."""
        found = []
        # Of a broken relation the other shader is nearer than any other.
        if (nearest := self.finding.file(NEAREST)) is not None and not self.relates:
            differs = () if (record := self.finding.record.nearest) is None else record.differs
            words = f"The disagreement is gone {'; '.join(differs) or 'with this change'}."
            found.append(TextComparison("Nearest shader that does not show it", words, difference(self.text, nearest)))
        if self.other is not None:
            lines = difference(self.text, self.other)
            found.append(TextComparison(self._other_heading(), "", lines, open=not found and len(self.wrong) != 1))
        return found

    def _other_heading(self) -> str:
        if not self.relates:
            return "The other text, the same shader spelled plainly"
        which = "first" if self.shows_second else "second"
        right = ", whose verdict is right" if len(self.wrong) == 1 else ""
        relation = self.finding.record.place.relation or self.group.cause
        return f"The {which} shader{right}; related by: {relation}"

    @property
    def commands(self) -> list[Command]:
        """What to type: to see it again, and to draw the shader again."""
        return list(commands_of(self.finding, texts_of(self.finding)))

    @property
    def folder(self) -> str:
        """Where the finding is, on the machine that wrote the page."""
        return str(self.finding.folder.resolve())

    @property
    def siblings(self) -> Iterable[StoredFinding]:
        """The bucket's other saved findings."""
        return self.group.findings[1:]


def _picture_of(caption: str, one: ExplainedModule) -> Picture:
    caption += ": rejected, by the red path" if rejects(one) else ": accepted, no path"
    try:
        return Picture(caption, Markup(_STYLE_BLOCK.sub("", picture(one))))
    except Problem as problem:
        return Picture(caption, Markup(""), problem.message)


def _picture(caption: str, analysis: Analysis, positions: dict[int, Position]) -> Picture:
    rejects = analysis.verdict is Verdict.REJECTS
    shown = analysis.functions[-1]
    caption += ": rejected, by the red path" if rejects else ": accepted, no path"
    if len(shown.graph.labels) > LARGEST:
        return Picture(caption, Markup(""), f"the graph has {len(shown.graph.labels)} nodes, too many to be read")
    try:
        svg = to_svg(draw([shown], positions))
    except Problem as problem:
        return Picture(caption, Markup(""), problem.message)
    return Picture(caption, Markup(_STYLE_BLOCK.sub("", svg)))
