"""What a card shows of a module of the whole language: the lines of the path, the reasons, the pictures."""

from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from wgsl_fuzz.fuzz.judging.departures import rules_of
from wgsl_fuzz.fuzz.present.module_page import marked, module_dot
from wgsl_fuzz.fuzz.present.module_words import ExplainedModule, explained, sentence
from wgsl_fuzz.fuzz.present.picture import to_svg
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT
from wgsl_fuzz.oracle.verdict import Verdict


@dataclass
class ModuleView:
    """A text, by the reference, and by the rules that the cause of a finding names."""

    text: str
    cause: str

    @cached_property
    def reference(self) -> ExplainedModule:
        """By the newest rules."""
        return explained("", self.text)

    @cached_property
    def departed(self) -> ExplainedModule | None:
        """By the rules that answer as the target does, if such are known and take the module for valid."""
        rules = rules_of(self.cause)
        try:
            return None if rules is None or rules == INTENT else explained("", self.text, rules)
        except Problem:
            return None

    @property
    def rejecting(self) -> ExplainedModule | None:
        """Whichever of the two rejects the module, the reference first."""
        return next((one for one in (self.reference, self.departed) if one is not None and rejects(one)), None)

    def path(self) -> dict[int, str]:
        """The lines of the path, each `demand`, `path` or `source`."""
        return {} if self.rejecting is None else marked(self.rejecting)

    def pictures(self) -> list[tuple[str, ExplainedModule]]:
        """What to draw, each under its caption."""
        drawn = [("By the reference’s rules", self.reference)]
        if self.departed is not None and rejects(self.departed) is not rejects(self.reference):
            drawn.append((f"By the rules that explain the target ({self.cause})", self.departed))
        return drawn


def rejects(one: ExplainedModule) -> bool:
    """Whether a module is rejected."""
    return one.analysis.verdict is Verdict.REJECTS


def sentences(one: ExplainedModule) -> list[tuple[int, str]]:
    """The steps of each cause, with how deep each is indented."""
    return [(step.depth, sentence(one, step)) for e in one.told for step in e.steps]


def picture(one: ExplainedModule) -> Markup:
    """The paths, drawn. Raises Problem if they cannot be."""
    return Markup(to_svg(module_dot(one)))
