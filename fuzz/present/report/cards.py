"""A bucket's card in the report: its smallest shader with verdicts, explanation, divergence and commands."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property

from markupsafe import Markup

from wgsl_fuzz.fuzz.cases.case import SEMANTICS
from wgsl_fuzz.fuzz.findings.directory import oracle_options
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import NEAREST, REDUCED, RELATED
from wgsl_fuzz.fuzz.judging.account import lines_of_steps
from wgsl_fuzz.fuzz.judging.departures import rules_of
from wgsl_fuzz.fuzz.judging.kinds import VERDICTS_DIFFER, Kind
from wgsl_fuzz.fuzz.present.divergence import witness_lines
from wgsl_fuzz.fuzz.present.explanation import Explained
from wgsl_fuzz.fuzz.present.pages import depths, highlighted
from wgsl_fuzz.fuzz.present.picture import dot_of, marked, to_svg
from wgsl_fuzz.fuzz.present.report.words import ShownBucket, capital, meaning, named, rule_that_differs, title
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.triage.verdicts import labels, said_of, wrong_texts
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
    for name, text in zip(labels(finding), texts, strict=True):
        label = f"Show every verdict again{f': {name}' if name else ''}"
        yield Command(label, ("wgsl-fuzz", "check", "-", *oracle_options(finding.record, {})), text)
    try:
        words = shlex.split(finding.record.draw_again)
    except ValueError:  # an edited file
        words = []
    if words:
        yield Command("Draw the original shader again", tuple(words))


Note = tuple[str, str]
"""A class (demand, path, root, target) and the words below a line. Without words it only marks."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line to show. `sign` is `-` or `+` in a difference."""

    number: int
    code: Markup
    notes: tuple[Note, ...] = ()
    sign: str = ""


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
_YES, _NO = ("accepts", "converges"), ("rejects", "diverges", "invalid", "crashed", "timed-out")
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


Answer = tuple[str, str]
"""The style of a verdict, `yes`, `no` or `open`, and its words."""
VerdictRow = tuple[str, Answer, Answer | None, str]
"""An oracle, what it says of the text and of the other one if there is one, and whether this is the finding."""
Section = tuple[str, list[tuple[int, str]]]
"""A heading and the sentences below it, with how deep each is indented; code is in backticks."""
GraphPicture = tuple[str, Markup, str]
"""A caption and a uniformity graph, or why there is none."""


TextComparison = tuple[str, str, list[Line], bool]
"""A heading, words, another shader's text held against the one shown, and whether it is open at first."""


def rejects(explained: Explained) -> bool:
    """Whether a shader is rejected."""
    return explained.case.analysis.verdict is Verdict.REJECTS


def sentences(explained: Explained) -> list[tuple[int, str]]:
    """The steps of each message, with how deep each is indented."""
    return [row for one in explained.messages for row in lines_of_steps(explained.case.source, one)]


class Card:
    """A bucket for the template; its sections are computed on demand."""

    def __init__(self, group: ShownBucket) -> None:
        bucket = group.bucket
        self.group = group
        self.finding, *self.siblings = bucket.findings
        record, related = self.finding.record, self.finding.files.get(RELATED)
        self.anchor, self.title, self.meaning = f"finding-{group.number}", title(group), meaning(group)
        self.kind = "no analysis" if bucket.is_missing_analysis else bucket.kind.value
        self.pair = bucket.kind in (Kind.UNSTABLE, Kind.METAMORPHIC)
        """Whether the finding is about two verdicts together."""
        self.relates = bucket.kind is Kind.METAMORPHIC and related is not None
        self.wrong = wrong_texts(self.finding) if self.relates else ()
        self.shows_second = self.wrong == (1,)
        self._case = self.finding.case(RELATED if self.shows_second else None)
        self.text = self._case.text
        self.other = self.finding.text if self.shows_second else related
        self.target = capital(named(bucket.target))
        self.shared = " and ".join(capital(named(name)) for name in record.shared)
        self.message = record.message
        self.drawn = None if self.shows_second else record.statements.drawn
        self.reduced = record.describes == REDUCED
        self.unreduced = record.unreduced or ""
        names = labels(self.finding)
        self.columns = tuple(map(capital, names)) if len(names) > 1 else ("Verdict",)
        texts = [self.finding.text] if related is None else [self.finding.text, related]
        self.commands = list(commands_of(self.finding, texts))
        self.folder = str(self.finding.folder.resolve())

    @cached_property
    def statements(self) -> int | None:
        """Of the shader shown; None if nobody counted."""
        return self._case.statements if self.shows_second else self.finding.record.statements.shown

    @property
    def heading(self) -> str:
        """Which shader is shown."""
        if not self.relates:
            return "The smallest shader"
        which = f"the {'second' if self.shows_second else 'first'} of two"
        return f"{'The shader whose verdict is wrong' if len(self.wrong) == 1 else 'The smallest shader'}: {which}"

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
    def reference(self) -> Explained | None:
        """The text by the newest rules; None if it is no WGSL."""
        return Explained(self._case) if self._case.is_read else None

    @cached_property
    def departed(self) -> Explained | None:
        """By the rules that answer as the target does, if such are known and take the shader for valid."""
        rules = rules_of(self.group.cause.departures)
        if not rules or self.reference is None or self._case.verdict_under(rules) is Verdict.INVALID:
            return None
        return Explained(replace(self._case, rules=rules))

    @cached_property
    def steps(self) -> list[str]:
        """How the two threads of the divergence part, in lines; empty if there is none."""
        diverges = self.finding.record.verdicts.get(SEMANTICS) == Outcome.DIVERGES.value
        return list(witness_lines(self._case, self._case.execute_placed())) if diverges else []

    @cached_property
    def shader(self) -> list[Line]:
        """The text with notes at the lines that matter."""
        notes: dict[int, list[Note]] = defaultdict(list)
        rejecting = next((one for one in (self.reference, self.departed) if one is not None and rejects(one)), None)
        for line, role in ({} if rejecting is None else marked(rejecting)).items():
            style = "root" if role == "source" else role
            notes[line].append((style, _LINE_WORDS[style]))
        for line, severity, words in [] if self.speaks_of else _DIAGNOSTIC.findall(self.message):
            notes[int(line)].append(("target", f"{self.target}, {severity}: {words}"))
        lines = enumerate(highlighted(self.text), 1)
        return [Line(n, code, tuple(dict.fromkeys(notes.get(n, ())))) for n, code in lines]

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
            words = [("yes" if word in _YES else "no" if word in _NO else "open", word) for word in one.words]
            second = words[1] if len(words) > 1 else None
            oracle = _OURS.get(one.oracle) or capital(named(one.oracle))
            rows.append((oracle, words[0], second, self._about(one.oracle)))
        return rows

    def _about(self, oracle: str) -> str:
        if oracle != self.group.bucket.target:
            return ""
        if self.pair:
            return "do not fit"
        return "wrong" if self.group.bucket.kind in _SEVERE else "disagrees"

    @cached_property
    def why(self) -> list[Section]:
        """Why the reference says what it says, and why the target says something else."""
        reference, departed, whys = self.reference, self.departed, list[Section]()
        if reference is not None and rejects(reference):
            whys.append(("Why the reference rejects it", sentences(reference)))
        if used := self.finding.forms:
            whys.append(("How it is spelled", [(0, f"The forms used: {', '.join(used)}.")]))
        if reference is None or self.group.bucket.kind not in VERDICTS_DIFFER:
            told = self.finding.account.lines()
            return whys if self.message or whys else [("In the run’s words", depths(told))]
        differs, target = rule_that_differs(self.group), named(self.group.bucket.target)
        if departed is not None and rejects(departed):
            whys.append((f"Why {target} most likely rejects it", [(0, differs), *sentences(departed)]))
        elif differs:
            whys.append((f"What {target} most likely does differently", [(0, differs)]))
        ran = replace(self.finding.account, said="", why=(), message=(), departures=(), notion="")
        told = ran.lines(witness=not self.steps)  # the steps show it
        return [*whys, ("What the semantics says", depths(told))] if told else whys

    @cached_property
    def pictures(self) -> list[GraphPicture]:
        """The graph of the reference, and that of the rules that explain the target."""
        reference, departed = self.reference, self.departed
        if reference is None or self.group.bucket.kind not in VERDICTS_DIFFER:
            return []
        drawn = [("By the reference’s rules", reference)]
        if departed is not None and rejects(departed) is not rejects(reference):
            caption = f"By the rules that explain the target ({'+'.join(self.group.cause.departures)})"
            drawn.append((caption, departed))
        return [_picture(caption, one) for caption, one in drawn]

    @cached_property
    def others(self) -> list[TextComparison]:
        """Texts held against this one: the nearest that does not show it, and the related one."""
        found: list[TextComparison] = []
        # Of a broken relation the other shader is nearer than any other.
        if (nearest := self.finding.files.get(NEAREST)) is not None and not self.relates:
            differs = () if (record := self.finding.record.nearest) is None else record.get("differs", ())
            words = f"The disagreement is gone {'; '.join(differs) or 'with this change'}."
            found.append(("Nearest shader that does not show it", words, difference(self.text, nearest), True))
        if self.other is not None:
            opened = not found and len(self.wrong) != 1
            found.append((self._other_heading(), "", difference(self.text, self.other), opened))
        return found

    def _other_heading(self) -> str:
        if not self.relates:
            return "The other text, the same shader spelled plainly"
        which = "first" if self.shows_second else "second"
        right = ", whose verdict is right" if len(self.wrong) == 1 else ""
        relation = self.finding.record.place.relation or self.group.cause
        return f"The {which} shader{right}; related by: {relation}"


def _picture(caption: str, one: Explained) -> GraphPicture:
    caption += ": rejected, by the red path" if rejects(one) else ": accepted, no path"
    try:
        return caption, Markup(_STYLE_BLOCK.sub("", to_svg(dot_of(one)))), ""
    except Problem as problem:
        return caption, Markup(""), problem.message
