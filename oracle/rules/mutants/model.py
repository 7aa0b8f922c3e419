"""What a rule mutant is, and the rows that the tables are made of."""

from dataclasses import dataclass
from enum import Enum

from tinywgsl.ast import Break, Call, Continue, If, Loop, Return, SharedAssign, Stmt

ANALYSIS = "oracle.rules.analysis"
BEHAVIOUR = "tinywgsl.behaviour"


class Effect(Enum):
    """Which way the verdict of a mutant can differ from the paper's: what saves asking it about half of the shaders.

    Fewer edges lead to fewer paths, in the function and by its summary in its callers; more edges to more.
    """

    LAXER = "only fewer paths: it rejects nothing that the paper accepts"
    STRICTER = "only more paths: it accepts nothing that the paper rejects"
    EITHER = "fewer paths or more"


@dataclass(frozen=True, slots=True)
class Patch:
    """Source text `old` of the module replaced by `new`; `old` must occur exactly once."""

    module: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """The rules with one branch broken: an edge dropped or added, a condition dropped or widened, a case swapped."""

    name: str
    """`rule/line/what is done to it`, for example `call/line-4/no-demand-on-call-site`."""
    branch: str
    """The branch that it is the mutant of, in the paper's words."""
    effect: Effect
    patches: tuple[Patch, ...]
    equivalent: str = ""
    """Why its verdicts are the paper's on all well-formed shaders; empty if they are not."""

    @property
    def rule(self) -> str:
        """The rule that it breaks: `B`, `expr`, `if`, `loop`, ..."""
        return self.name.split("/")[0]

    @property
    def line(self) -> str:
        """The rule's line or case: `line-4`."""
        return self.name.split("/")[1]

    @property
    def needs(self) -> tuple[type[Stmt], ...]:
        """Without any of these statements a shader cannot tell it from the paper; empty: any shader may."""
        if len(self.patches) > 1:
            return ()
        longest = max((p for p in _NEEDS if self.name.startswith(p)), key=len, default="")
        return _NEEDS.get(longest, ())


_NEEDS: dict[str, tuple[type[Stmt], ...]] = {
    "B/if": (If,),
    "B/loop": (Loop,),
    "B/list": (If, Loop),  # B of a list is asked for the blocks of these only
    "B/break": (Break,),
    "B/continue": (Continue,),
    "B/return": (Return,),
    "B/call": (Call,),
    "shared-assign": (SharedAssign,),
    "return": (Return,),
    "if": (If,),
    "loop": (Loop,),
    "break": (Break,),
    "continue": (Continue,),
    "call": (Call,),
    **{f"func/line-{n}": (Call,) for n in (6, 7, 8, 9)},  # summaries are read by calls only
}


def of_behaviour(name: str, branch: str, old: str, new: str, *, equivalent: str = "") -> Mutant:
    """A mutant of Fig. 8: another reachability adds edges here and takes them away there."""
    return Mutant(name, branch, Effect.EITHER, (Patch(BEHAVIOUR, old, new),), equivalent)


def of_analysis(name: str, branch: str, effect: Effect, old: str, new: str, *, equivalent: str = "") -> Mutant:
    """A mutant of Fig. 9 or of a rule of section 4.2."""
    return Mutant(name, branch, effect, (Patch(ANALYSIS, old, new),), equivalent)
