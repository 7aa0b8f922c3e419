"""Given shaders: those of the corpus and of the user's folders, which a campaign asks about before it draws any."""

from dataclasses import dataclass, replace

from wgsl_fuzz.fuzz.cases.case import Case
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase, read_module
from wgsl_fuzz.fuzz.cases.unread import UnreadCase
from wgsl_fuzz.fuzz.cases.written import Written
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.lexer import pieces


@dataclass(frozen=True, slots=True)
class GivenShader:
    """A shader in a file, with the text as it stands there."""

    path: str
    text: str
    shader: Shader

    @property
    def is_plain(self) -> bool:
        """Whether the text is as the printer writes it, but for blanks, comments and implied `continue`s."""
        prints = (print_shader(self.shader, tacit=tacit) for tacit in (False, True))
        return pieces(self.text) in [pieces(text) for text in prints]

    def case(self, written: Written | None = None, notion: Notion = CONTROL_STACKS) -> Case:
        """The shader for the oracles: as the printer writes it, or in drawn surface forms."""
        return Case(self.shader, written=written, notion=notion)


@dataclass(frozen=True, slots=True)
class GivenModule:
    """A module of the whole language in a file: a text that the reference knows."""

    path: str
    text: str

    is_plain = True
    """It is asked about as it stands in its file."""

    def case(self, written: None = None, notion: Notion = CONTROL_STACKS) -> ModuleCase:  # noqa: ARG002
        """The module for the oracles; there is one way to write it. Raises WgslError."""
        return replace(read_module(self.text), notion=notion)


@dataclass(frozen=True, slots=True)
class GivenText:
    """A text in a file that the reference does not know: targets are compared with each other."""

    path: str
    text: str
    why: str = ""
    """Why the reference does not know it, in a sentence."""

    is_plain = True
    """It is asked about as it stands in its file."""

    def case(self, written: None = None, notion: Notion = CONTROL_STACKS) -> UnreadCase:  # noqa: ARG002
        """The text for the oracles."""
        return UnreadCase(self.text, self.why)


Given = GivenShader | GivenModule | GivenText
