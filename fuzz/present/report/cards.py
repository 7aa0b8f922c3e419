"""A bucket's card in the report: its smallest shader with verdicts, explanation, divergence and commands."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from markupsafe import Markup

from wgsl_fuzz.fuzz.cases.case import SEMANTICS, Case
from wgsl_fuzz.fuzz.findings.directory import oracle_options
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, RELATED
from wgsl_fuzz.fuzz.judging.account import lines_of_steps
from wgsl_fuzz.fuzz.judging.departures import rules_of
from wgsl_fuzz.fuzz.judging.kinds import VERDICTS_DIFFER, Kind
from wgsl_fuzz.fuzz.present.divergence import effect
from wgsl_fuzz.fuzz.present.explanation import Explained
from wgsl_fuzz.fuzz.present.pages import depths, highlighted
from wgsl_fuzz.fuzz.present.picture import dot_of, marked, to_svg
from wgsl_fuzz.fuzz.present.report.words import ShownBucket, capital, meaning, named, rule_that_differs, title
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.verdicts import labels, said_of, wrong_texts
from wgsl_fuzz.oracle.dynamics.steps import steps_of_module
from wgsl_fuzz.oracle.dynamics.witness import MeetingOf, ThreadStop, waits
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Outcome, Verdict

_END = "WGSL"


@dataclass(frozen=True, slots=True)
class Command:
    """A command line with a label. `text` is its standard input."""

    label: str
    words: tuple[str, ...]
    text: str = ""

    @property
    def parts(self) -> list[str]:
        """The words quoted, an option with its values: between parts a line may be broken."""
        parts: list[str] = []
        for word in self.words:
            if parts and parts[-1].startswith("-") and parts[-1] != "-" and not word.startswith("-"):
                parts[-1] += f" {shlex.quote(word)}"
            else:
                parts.append(shlex.quote(word))
        return parts

    @property
    def html(self) -> Markup:
        """The command as HTML, each part in one element, with `text` as a here-document."""
        line = Markup(" ").join(Markup("<span>{}</span>").format(part) for part in self.parts)
        if not self.text:
            return line
        end = _END
        while end in self.text.splitlines():
            end += "_"
        text = self.text if self.text.endswith("\n") else f"{self.text}\n"
        return line + Markup(" <span>&lt;&lt;'{}'</span>\n<span>{}</span>").format(end, text + end)


def commands_of(finding: Finding, texts: Sequence[str]) -> Iterable[Command]:
    """The commands that show all verdicts on each of a finding's texts, and that draw the shader again."""
    names = labels(finding) if len(texts) > 1 else ("",)
    for name, text in zip(names, texts, strict=False):
        label = f"Show every verdict again{f': {name}' if name else ''}"
        yield Command(label, ("wgsl-fuzz", "check", "-", *oracle_options(finding.record, {})), text)
    try:
        words = shlex.split(finding.record.draw_again)
    except ValueError:  # an edited file
        words = []
    if words:
        yield Command("Draw the original shader again", tuple(words))


def texts_of(finding: Finding) -> list[str]:
    """The texts that a finding is about: one or two."""
    related = finding.file(RELATED)
    return [finding.text] if related is None else [finding.text, related]


SHOWN = 60
"""The most rows that are shown: the last ones."""

_GOES_ON = "all threads are here: it goes on"


@dataclass(frozen=True, slots=True)
class ThreadStep:
    """One step of a thread, or the place where it ends up; `time` counts the steps of both, 0 for that place."""

    time: int
    line: int
    code: str
    effect: str
    style: str = ""
    """`part`: the last step from a place where both were; `wait`: where it stays."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A divergence to show; in a row both threads are at the same place, or only one of them takes a step."""

    threads: tuple[int, int]
    rows: list[tuple[ThreadStep | None, ThreadStep | None]]
    hidden: int
    """Rows left out before those."""
    parting: tuple[int, str] | None
    """The line and the code of the last place where both were."""
    stops: list[tuple[int, str]]
    """Each thread, and where it ends up."""
    setting: list[str]
    """What the run starts with, line by line."""


def steps_of(module: Case) -> Steps | None:
    """The steps of the two threads of a witness, lines being those of the text; None if there is none."""
    one = module.placed
    done = module.execute_placed()
    if done.witness is None:
        return None
    columns: list[list[tuple[object, ThreadStep]]] = [[], []]
    parted: tuple[int, str] | None = None
    for time, step in enumerate(steps_of_module(one.resolution, done, one.text), 1):
        column = 0 if step.thread == done.witness.stops[0].thread else 1
        told = effect(step) or _GOES_ON * step.meets
        columns[column].append((step.place, ThreadStep(time, step.line, step.code, told, "part" if step.parts else "")))
        parted = (step.line, step.code) if step.parts else parted
    rows = _aligned(*columns)
    lines, (first, second) = done.lines(one.text), done.witness.stops
    return Steps(
        (first.thread, second.thread),
        [*rows[-SHOWN:], (_last(first, lines, done.meeting), _last(second, lines, done.meeting))],
        max(0, len(rows) - SHOWN),
        parted,
        list(zip((first.thread, second.thread), done.witness.stands(lines.get, done.meeting))),
        done.witness.setting(done.cell),
    )


def _aligned(
    one: Sequence[tuple[object, ThreadStep]], other: Sequence[tuple[object, ThreadStep]]
) -> list[tuple[ThreadStep | None, ThreadStep | None]]:
    """Steps from the same place in one row; the steps between, each alone."""
    rows: list[tuple[ThreadStep | None, ThreadStep | None]] = []
    matcher = SequenceMatcher(None, [place for place, _ in one], [place for place, _ in other], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            rows += [(left, right) for (_, left), (_, right) in zip(one[a:b], other[c:d])]
        else:
            alone: list[tuple[ThreadStep | None, ThreadStep | None]] = [(step, None) for _, step in one[a:b]]
            alone += [(None, step) for _, step in other[c:d]]
            rows += sorted(alone, key=lambda row: max(step.time for step in row if step is not None))
    return rows


def _last(stop: ThreadStop, lines: dict[int, int], meeting: MeetingOf) -> ThreadStep:
    if stop.barrier is None:
        return ThreadStep(0, 0, "", "has ended", "wait")
    place = meeting(stop.barrier).replace("`", "")  # all of it is shown as code
    becomes = "waits here for ever" if waits(stop, meeting) else "is here without the other: the value is indeterminate"
    return ThreadStep(0, lines.get(stop.barrier, 0), place, becomes, "wait")


Note = tuple[str, str]
"""A class (demand, path, root, target, part, wait) and the words below a line. Without words it only marks."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line to show. `sign` is `-` or `+` in a difference; `style` is that of its first note."""

    number: int
    code: Markup
    notes: tuple[Note, ...] = ()
    sign: str = ""

    @property
    def style(self) -> str:
        """The class of the line."""
        return self.notes[0][0] if self.notes else ""


def listing(text: str, notes: Mapping[int, Sequence[Note]]) -> list[Line]:
    """The lines of a shader, with the notes given by line number."""
    return [Line(n, code, tuple(notes.get(n, ()))) for n, code in enumerate(highlighted(text), 1)]


def difference(one: str, other: str) -> list[Line]:
    """`one` turned into `other`, line by line: `-` is in `one` only, `+` in `other` only; numbers are those of each."""
    ours, theirs = one.splitlines(), other.splitlines()
    our_code, their_code = highlighted(one), highlighted(other)
    lines = []
    for tag, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [Line(n + 1, our_code[n]) for n in range(a, b)]
            continue
        lines += [Line(n + 1, our_code[n], sign="-") for n in range(a, b)]
        lines += [Line(n + 1, their_code[n], sign="+") for n in range(c, d)]
    return lines


_SEVERE = (Kind.UNSOUND, Kind.MISCOMPILED, Kind.CRASH, Kind.HANG)
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
_OURS = {
    SECTION_15_2: "Reference: the rules of WGSL, section 15.2",
    SECTION_4_2: "The paper’s rules, section 4.2",
    SEMANTICS: "Semantics: runs of the shader",
}
"""What our own oracles are called in the table of verdicts."""
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


Section = tuple[str, list[tuple[int, str]]]
"""A heading and the sentences below it, with how deep each is indented; code is in backticks."""
GraphPicture = tuple[str, Markup, str]
"""A caption and a uniformity graph, or why there is none."""


@dataclass(frozen=True, slots=True)
class TextComparison:
    """Another shader's text held against the one shown."""

    heading: str
    words: str
    lines: list[Line]
    open: bool = True


@dataclass
class View:
    """What the reference says of a shader, and the rules that the cause of a finding names."""

    case: Case
    departures: tuple[str, ...]

    @cached_property
    def reference(self) -> Explained:
        """By the newest rules."""
        return Explained(self.case)

    @cached_property
    def departed(self) -> Explained | None:
        """By the rules that answer as the target does, if such are known and take the shader for valid."""
        rules = rules_of(self.departures)
        if not rules or self.case.verdict_under(rules) is Verdict.INVALID:
            return None
        return Explained(replace(self.case, rules=rules))

    def path(self) -> dict[int, str]:
        """The lines of the path of whichever rules reject the shader, each `demand`, `path` or `source`."""
        rejecting = [one for one in (self.reference, self.departed) if one is not None and rejects(one)]
        return marked(rejecting[0]) if rejecting else {}

    def pictures(self) -> list[tuple[str, Explained]]:
        """What to draw, each under its caption."""
        drawn = [("By the reference’s rules", self.reference)]
        if self.departed is not None and rejects(self.departed) is not rejects(self.reference):
            drawn.append((f"By the rules that explain the target ({'+'.join(self.departures)})", self.departed))
        return drawn


def rejects(explained: Explained) -> bool:
    """Whether a shader is rejected."""
    return explained.analysis.verdict is Verdict.REJECTS


def sentences(explained: Explained) -> list[tuple[int, str]]:
    """The steps of each message, with how deep each is indented."""
    return [row for one in explained.messages for row in lines_of_steps(explained.source, one)]


class Card:
    """A bucket for the template; its sections are computed on demand."""

    def __init__(self, group: ShownBucket) -> None:
        self.group = group
        self.finding = group.bucket.findings[0]
        record, related = self.finding.record, self.finding.file(RELATED)
        self.relates = self.group.bucket.kind is Kind.METAMORPHIC and related is not None
        self.wrong = wrong_texts(self.finding) if self.relates else ()
        self.shows_second = self.wrong == (1,)
        self._case = self.finding.case(RELATED if self.shows_second else None)
        self.text = self._case.text
        self.other = self.finding.text if self.shows_second else related
        self.target = capital(named(self.group.bucket.target))
        self.shared = " and ".join(capital(named(name)) for name in record.shared)
        self.message = record.message
        self.drawn = None if self.shows_second else record.statements.drawn
        self.reduced = record.describes == REDUCED
        self.unreduced = record.unreduced or ""

    @cached_property
    def statements(self) -> int | None:
        """Of the shader shown; None if nobody counted."""
        if not self.shows_second:
            return self.finding.record.statements.shown
        return self._case.statements

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
        return f"finding-{self.group.number}"

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
        return "no analysis" if self.group.bucket.is_missing_analysis else self.group.bucket.kind.value

    @property
    def style(self) -> str:
        """`bad`, `warn` or `calm`."""
        if self.group.settled or self.group.bucket.is_missing_analysis:
            return "calm"
        return "bad" if self.group.bucket.kind in _SEVERE else "warn"

    @property
    def also(self) -> str:
        """The other kinds among the bucket's findings, for a bucket that is not of one kind."""
        bucket = self.group.bucket
        kinds = dict.fromkeys(finding.kind.value for finding in bucket.findings)
        return "" if bucket.is_missing_analysis else " and ".join(kind for kind in kinds if kind != bucket.kind.value)

    @cached_property
    def view(self) -> View | None:
        """What the reference says of the text, and the rules that explain the target; None if it is no WGSL."""
        return View(self._case, self.group.cause.departures) if self._case.is_read else None

    @cached_property
    def steps(self) -> Steps | None:
        """The two threads of the divergence; None if there is none."""
        diverges = self.finding.record.verdicts.get(SEMANTICS) == Outcome.DIVERGES.value
        return steps_of(self._case) if diverges else None

    # -------------------------------------------------------------------------------------------------- the sections

    @cached_property
    def shader(self) -> list[Line]:
        """The text with notes at the lines that matter."""
        notes: dict[int, list[Note]] = defaultdict(list)
        for line, role in ({} if self.view is None else self.view.path()).items():
            style = "root" if role == "source" else role
            notes[line].append((style, _LINE_WORDS[style]))
        if self.steps is not None:
            if self.steps.parting is not None and self.steps.parting[0]:
                one, other = self.steps.threads
                notes[self.steps.parting[0]].append(("part", f"threads {one} and {other} part here"))
            for thread, step in zip(self.steps.threads, self.steps.rows[-1]):
                if step is not None and step.line:
                    notes[step.line].append(("wait", f"thread {thread} {step.effect}"))
        for line, severity, words in [] if self.speaks_of else _DIAGNOSTIC.findall(self.message):
            notes[int(line)].append(("target", f"{self.target}, {severity}: {words}"))
        return listing(self.text, {line: list(dict.fromkeys(found)) for line, found in notes.items()})

    @property
    def speaks_of(self) -> str:
        """Which shader the target's own words are about, if not the one shown: of a broken relation, the other."""
        return labels(self.finding)[1] if self.relates and not self.shows_second else ""

    @cached_property
    def verdicts(self) -> list[VerdictRow]:
        """What every oracle says of the text, the target last."""
        rows = []
        said = sorted(
            said_of(self.finding), key=lambda s: (s.oracle == self.group.bucket.target, s.oracle not in _OURS)
        )
        for one in said:
            words = [_OUTCOMES.get(word, ("open", word)) for word in one.words]
            second = words[1] if len(words) > 1 else None
            oracle = _OURS.get(one.oracle) or capital(named(one.oracle))
            rows.append(VerdictRow(oracle, *words[0], self._about(one.oracle), second, self._pair))
        return rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The headings of the verdicts: one, or one for each text."""
        names = labels(self.finding)
        return tuple(map(capital, names)) if len(names) > 1 else ("Verdict",)

    @property
    def _pair(self) -> bool:
        return self.group.bucket.kind in (Kind.UNSTABLE, Kind.METAMORPHIC)

    def _about(self, oracle: str) -> str:
        if oracle != self.group.bucket.target:
            return ""
        if self._pair:
            return "do not fit"
        return "wrong" if self.group.bucket.kind in _SEVERE else "disagrees"

    @cached_property
    def why(self) -> list[Section]:
        """Why the reference says what it says, and why the target says something else."""
        view, whys = self.view, list[Section]()
        if view is not None and rejects(view.reference):
            whys.append(("Why the reference rejects it", sentences(view.reference)))
        if used := self.finding.forms:
            whys.append(("How it is spelled", [(0, f"The forms used: {', '.join(used)}.")]))
        if view is None or self.group.bucket.kind not in VERDICTS_DIFFER:
            told = self.finding.account.lines()
            return whys if self.message or whys else [("In the run’s words", depths(told))]
        differs, target = rule_that_differs(self.group), named(self.group.bucket.target)
        if view.departed is not None and rejects(view.departed):
            whys.append((f"Why {target} most likely rejects it", [(0, differs), *sentences(view.departed)]))
        elif differs:
            whys.append((f"What {target} most likely does differently", [(0, differs)]))
        ran = replace(self.finding.account, said="", why=(), message=(), departures=(), notion="")
        told = ran.lines(witness=self.steps is None)  # the steps show it
        return [*whys, ("What the semantics says", depths(told))] if told else whys

    @cached_property
    def pictures(self) -> list[GraphPicture]:
        """The graph of the reference, and that of the rules that explain the target."""
        if self.view is None or self.group.bucket.kind not in VERDICTS_DIFFER:
            return []
        return [_picture(caption, one) for caption, one in self.view.pictures()]

    @cached_property
    def others(self) -> list[TextComparison]:
        """Texts held against this one: the nearest that does not show it, and the related one."""
        found = []
        # Of a broken relation the other shader is nearer than any other.
        if (nearest := self.finding.file(NEAREST)) is not None and not self.relates:
            differs = () if (record := self.finding.record.nearest) is None else record.get("differs", ())
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
    def siblings(self) -> Iterable[Finding]:
        """The bucket's other saved findings."""
        return self.group.bucket.findings[1:]


def _picture(caption: str, one: Explained) -> GraphPicture:
    caption += ": rejected, by the red path" if rejects(one) else ": accepted, no path"
    try:
        return caption, Markup(_STYLE_BLOCK.sub("", to_svg(dot_of(one)))), ""
    except Problem as problem:
        return caption, Markup(""), problem.message
