"""A text about which no reference of ours has anything to say: only targets do."""

from dataclasses import dataclass

from wgsl_fuzz.fuzz.cases.keys import key_of
from wgsl_fuzz.fuzz.cases.module_case import ModuleCase
from wgsl_fuzz.oracle.dynamics.convergence import CONTROL_STACKS, Notion

SILENT = "none"
"""Instead of the name of a reference: none judges the text."""


@dataclass(frozen=True, slots=True)
class UnreadCase:
    """A text that is no WGSL to us, or has what the reference does not know."""

    text: str
    why: str = ""
    """Why no reference judges it, in a sentence."""
    seed: int = 0

    @property
    def plain(self) -> "UnreadCase":
        """Itself: nobody knows how else it could be written."""
        return self

    @property
    def spelled(self) -> bool:
        """No drawn surface forms."""
        return False

    @property
    def forms(self) -> tuple[str, ...]:
        """None are known."""
        return ()

    @property
    def reference(self) -> str:
        """No reference."""
        return SILENT

    @property
    def notion(self) -> Notion:
        """Nothing is executed."""
        return CONTROL_STACKS

    @property
    def threads(self) -> None:
        """Not known."""

    @property
    def statements(self) -> None:
        """Not counted."""

    @property
    def key(self) -> int:
        """Equal for equal texts."""
        return key_of(self.text)

    def verdicts(self) -> dict[str, str]:
        """Our own oracles say nothing."""
        return {}


FiledCase = ModuleCase | UnreadCase
"""What findings can be about."""
