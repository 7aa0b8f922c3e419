"""What callers of a drawn function must know: its parameters, and what it reads and writes, all callees included."""

from dataclasses import dataclass, field

from wgsl_fuzz.strategies.modules.environment import Name
from wgsl_fuzz.wgsl.builtins import ALL_STAGES, Stage
from wgsl_fuzz.wgsl.types import Type


@dataclass(slots=True, eq=False)
class Callee:
    """A function, while it is drawn and then to be called."""

    name: str
    parameters: tuple[Name, ...] = ()
    result: Type | None = None
    stages: frozenset[Stage] = ALL_STAGES
    """From which it may be reached: what is in scope in it suits all of them."""
    reads: dict[Name, None] = field(default_factory=dict)
    """Variables of module scope and pointer parameters that it may read."""
    writes: dict[Name, None] = field(default_factory=dict)
    called: bool = False
    must_use: bool = False
    """A statement must not throw its result away."""

    def touch(self, name: Name, *, read: bool, write: bool) -> None:
        """Notes an access to the memory that a name stands for."""
        base = name.base
        if read:
            self.reads[base] = None
        if write:
            self.writes[base] = None

    def absorb(self, callee: "Callee") -> None:
        """Notes what a call does to variables of module scope."""
        self.reads |= {name: None for name in callee.reads if name.module_scope}
        self.writes |= {name: None for name in callee.writes if name.module_scope}


@dataclass(slots=True)
class Aliases:
    """Which roots the pointers of one call may have: 13.5.2 allows none that is written under two names."""

    callee: Callee
    reads: list[Name] = field(default_factory=list)
    writes: list[Name] = field(default_factory=list)

    def allows(self, parameter: Name, root: Name) -> bool:
        """Whether the parameter may point into what the root stands for, after the arguments so far."""
        callee = self.callee
        if parameter in callee.writes:
            known = root in callee.reads or root in callee.writes
            return not known and root not in self.reads and root not in self.writes
        if parameter in callee.reads:
            return root not in self.writes and root not in callee.writes
        return True

    def take(self, parameter: Name, root: Name) -> None:
        """Notes an argument."""
        if parameter in self.callee.reads:
            self.reads.append(root)
        if parameter in self.callee.writes:
            self.writes.append(root)
