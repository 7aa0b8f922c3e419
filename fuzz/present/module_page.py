"""Pictures and the page of `explain`."""

from collections.abc import Sequence
from dataclasses import dataclass

import jinja2
from markupsafe import Markup

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz import today
from wgsl_fuzz.fuzz.present.dates import in_words
from wgsl_fuzz.fuzz.present.highlighting import highlighted, quoted
from wgsl_fuzz.fuzz.present.module_words import ExplainedModule, also, sentence, title
from wgsl_fuzz.fuzz.present.picture import ANSWERS, to_svg
from wgsl_fuzz.oracle.explain.module_dot import draw
from wgsl_fuzz.oracle.explain.module_path import StepKind
from wgsl_fuzz.oracle.explain.module_walk import Trail
from wgsl_fuzz.oracle.rules.uniformity.analysis import FunctionResult
from wgsl_fuzz.oracle.verdict import Verdict

_MARKS = {StepKind.REQUIREMENT: "demand", StepKind.SOURCE: "source"}
_STRENGTH = ("", "path", "demand", "source")
"""Of two marks for one line the later one counts."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Graphs to draw, and the paths in them that are told: of each cause, or of each fact."""

    results: Sequence[FunctionResult]
    paths: Sequence[Sequence[Trail]]

    @property
    def names(self) -> str:
        """The functions that are drawn."""
        return ", ".join(dict.fromkeys(result.function.name for result in self.results))

    def dot(self, one: ExplainedModule, *, full: bool = False) -> str:
        """As DOT text."""
        return draw(self.results, self.paths, one.text, f"uniformity graph of {self.names}", full=full)


def pictures(one: ExplainedModule) -> list[Picture]:
    """A picture of each cause: the functions through which its paths go. If there is none, one of each function."""
    if one.explanations:
        return [_picture([explanation.trails]) for explanation in one.told]
    shown = {id(known.function) for known in one.facts}
    results = [result for result in one.analysis.functions if id(result.function) in shown]
    trails = [fact.trail for known in one.facts for fact in known.facts if fact.trail is not None]
    return [
        Picture([result], [[trail] for trail in trails if trail.result is result])
        for result in results
        if result.scope is results[0].scope or any(trail.result is result for trail in trails)
    ]


def _picture(paths: Sequence[Sequence[Trail]]) -> Picture:
    return Picture(list({id(trail.result): trail.result for told in paths for trail in told}.values()), paths)


def module_dot(one: ExplainedModule, *, full: bool = False) -> str:
    """All pictures as one DOT text, each function drawn once."""
    all_of_them = pictures(one)
    results = {id(result): result for picture in all_of_them for result in picture.results}
    paths = [trails for picture in all_of_them for trails in picture.paths]
    return Picture(list(results.values()), paths).dot(one, full=full)


def module_page(name: str, one: ExplainedModule, *, full: bool = False) -> str:
    """A self-contained page: the source with the paths' lines marked, the explanations, the facts and the pictures."""
    loader = jinja2.PackageLoader("wgsl_fuzz.fuzz.present")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.filters["quoted"] = quoted
    text = "\n".join(one.text.lines)
    marks = marked(one)
    causes = [
        (
            title(one, explanation),
            [(step.depth, sentence(one, step)) for step in explanation.steps],
            list(dict.fromkeys(also(one, other) for other in one.explanations if other.same_as == i)),
        )
        for i, explanation in enumerate(one.explanations)
        if explanation.same_as is None
    ]
    return environment.get_template("explain.html").render(
        title=name,
        verdict="accepted" if one.analysis.verdict is Verdict.ACCEPTS else "rejected",
        answer=ANSWERS[one.analysis.verdict],
        written=f"{in_words(today())} by wgsl-fuzz {__version__}",
        lines=[(number, marks.get(number, ""), line) for number, line in enumerate(highlighted(text), 1)],
        marks=set(marks.values()),
        causes=causes,
        functions=[(f.function.name, f.rejected, [fact.sentence for fact in f.facts]) for f in one.facts],
        pictures=[(picture.names, Markup(to_svg(picture.dot(one, full=full)))) for picture in pictures(one)],
    )


def marked(one: ExplainedModule) -> dict[int, str]:
    """The lines that the explanations touch, each `demand`, `path` or `source`."""
    marks: dict[int, str] = {}
    for explanation in one.explanations:
        for step in explanation.steps:
            line, mark = one.line(step), _MARKS.get(step.kind, "path")
            marks[line] = max(marks.get(line, ""), mark, key=_STRENGTH.index)
    return marks
