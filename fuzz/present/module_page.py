"""Pictures and the page of `explain` for texts of the whole of WGSL."""

from collections.abc import Sequence

import jinja2
from markupsafe import Markup

from wgsl_fuzz import __version__
from wgsl_fuzz.fuzz import today
from wgsl_fuzz.fuzz.present.dates import in_words
from wgsl_fuzz.fuzz.present.highlighting import highlighted, quoted
from wgsl_fuzz.fuzz.present.module_words import ExplainedModule, also, sentence, title
from wgsl_fuzz.fuzz.present.picture import ANSWERS, to_svg
from wgsl_fuzz.oracle.explain.module_dot import draw_trails
from wgsl_fuzz.oracle.explain.module_path import StepKind
from wgsl_fuzz.oracle.explain.module_walk import Trail
from wgsl_fuzz.oracle.verdict import Verdict

_MARKS = {StepKind.REQUIREMENT: "demand", StepKind.SOURCE: "source"}
_STRENGTH = ("", "path", "demand", "source")
"""Of two marks for one line the later one counts."""


def module_dot(one: ExplainedModule) -> str:
    """The paths of each cause as DOT text; of an accepted module, those that make the tags of its functions."""
    return draw_trails(pictured(one), one.text, f"uniformity of {', '.join(names(one))}")


def names(one: ExplainedModule) -> list[str]:
    """The functions that are drawn."""
    return list(dict.fromkeys(trail.result.function.name for trails in pictured(one) for trail in trails))


def pictured(one: ExplainedModule) -> list[Sequence[Trail]]:
    """The paths to draw, by cause or by fact."""
    if one.explanations:
        return [explanation.trails for explanation in one.told]
    return [(fact.trail,) for known in one.facts for fact in known.facts if fact.trail is not None]


def module_page(name: str, one: ExplainedModule) -> str:
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
    return environment.get_template("explain_module.html").render(
        title=name,
        verdict="accepted" if one.analysis.verdict is Verdict.ACCEPTS else "rejected",
        answer=ANSWERS[one.analysis.verdict],
        written=f"{in_words(today())} by wgsl-fuzz {__version__}",
        lines=[(number, marks.get(number, ""), line) for number, line in enumerate(highlighted(text), 1)],
        marks=set(marks.values()),
        causes=causes,
        functions=[(f.function.name, f.rejected, [fact.sentence for fact in f.facts]) for f in one.facts],
        pictures=[Markup(to_svg(draw_trails([trails], one.text, name))) for trails in pictured(one)],
    )


def marked(one: ExplainedModule) -> dict[int, str]:
    """The lines that the explanations touch, each `demand`, `path` or `source`."""
    marks: dict[int, str] = {}
    for explanation in one.explanations:
        for step in explanation.steps:
            line, mark = one.line(step), _MARKS.get(step.kind, "path")
            marks[line] = max(marks.get(line, ""), mark, key=_STRENGTH.index)
    return marks
