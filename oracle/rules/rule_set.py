"""Variants of the rules as values, and rule sets: which variants an analysis has in place of the rules' own."""

from dataclasses import dataclass
from enum import Enum

from wgsl_fuzz.oracle.verdict import Verdict


class Direction(Enum):
    """Which way a variant's verdict can differ from the reference's, so that shaders of the other verdict are skipped.

    Fewer edges lead to fewer paths, in the function and by its summary in its callers; more edges to more. EITHER is
    always safe; a wrong one of the others hides shaders that tell the variant from the reference.
    """

    LAXER = "only fewer paths: it rejects nothing that the rules accept"
    STRICTER = "only more paths: it accepts nothing that the rules reject"
    EITHER = "fewer paths or more"

    def can_change(self, verdict: Verdict) -> bool:
        """Whether the variant's verdict can be another where this is the reference's."""
        return self is not (Direction.STRICTER if verdict is Verdict.REJECTS else Direction.LAXER)


@dataclass(frozen=True, slots=True, eq=False)
class Variant:
    """One branch of the rules done otherwise: as a compiler or a draft does it, or broken to measure tests by it."""

    name: str
    """`rule/line/what is done to it`, for example `call/line-4/no-demand-on-call-site`.

    A historic one has a name of its own.
    """
    place: str
    """The rule and its line or case: `call/line-4`; empty for a user's own."""
    branch: str
    """The branch that it changes, in the paper's words."""
    direction: Direction
    replacements: tuple[type, ...]
    """Classes that override methods of an analysis; the last one is outermost."""
    equivalent: str = ""
    """Why its verdicts are the reference's on all well-formed shaders; empty if they are not."""
    does: str = ""
    """What an analysis with it does, as a predicate: `joins variables at its exit`. Empty for broken ones."""
    about: str = ""
    """What the rule is and where it comes from, in sentences. Empty for broken ones."""
    issue: int | None = None
    """The gpuweb issue by which section 5 of the paper took it out of the specification.

    The variant is then named by the figure.
    """

    @property
    def rule(self) -> str:
        """The rule that it changes: `B`, `expr`, `if`, `loop`, ..."""
        return self.place.partition("/")[0]

    @property
    def line(self) -> str:
        """The rule's line or case: `line-4`."""
        return self.place.partition("/")[2]

    @property
    def what(self) -> str:
        """What is done to the line: `no-demand-on-call-site`."""
        return self.name.removeprefix(f"{self.place}/")

    @property
    def rules(self) -> "Rules":
        """The rules with this variant alone."""
        return Rules((self,))


class Rules(frozenset[Variant]):
    """A rule set: the rules with these variants in place of theirs. Equal sets are equal rules."""

    __slots__ = ()

    @property
    def names(self) -> list[str]:
        """The names of its variants, sorted."""
        return sorted(v.name for v in self)

    @property
    def replacements(self) -> tuple[type, ...]:
        """The classes of its variants, a user's own last; the same ones in the same order for equal sets."""
        variants = sorted(self, key=lambda v: (not v.place, v.name))
        return tuple(dict.fromkeys(cls for v in variants for cls in v.replacements))

    def __repr__(self) -> str:
        return f"Rules({', '.join(self.names)})"


UNCHANGED = Rules()
"""The rules as they are meant: the newest text of 15.2, and section 4.2 of the paper with all changes of its section 5.

Fig. 8 is read as docs/paper-notes.md, note 1, says.
"""
