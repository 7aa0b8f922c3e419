"""Given shaders: those of the corpus and of the user's folders, which a campaign asks about before it draws any."""

from dataclasses import dataclass, replace

from wgsl_fuzz.fuzz.cases.module_case import read_module
from wgsl_fuzz.fuzz.cases.unread import FiledCase, UnreadCase
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion


@dataclass(frozen=True, slots=True)
class Given:
    """A text in a file."""

    path: str
    text: str
    why: str = ""
    """Why no reference judges it, in a sentence; empty if one does."""

    def case(self, notion: Notion = CONTROL_STACKS) -> FiledCase:
        """The text for the oracles; it counts as spelled if it is TinyWGSL. Raises WgslError."""
        if self.why:
            return UnreadCase(self.text, self.why)
        return replace(read_module(self.text), notion=notion, spelled=True)
