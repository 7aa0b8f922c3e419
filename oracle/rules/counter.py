"""How many programs each branch of the rules decided: the same counting for TinyWGSL and for the whole language."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeVar

from wgsl_fuzz.oracle.rules.rule_set import Variant

_Program = TypeVar("_Program")


@dataclass(slots=True)
class BranchCounter(ABC, Generic[_Program]):
    """How many programs each branch decided. Subclasses say which branches there are, and which of them decide one."""

    shaders: int = 0
    decided: Counter[str] = field(default_factory=Counter)
    """By the variant's name; one that decided none is not in it."""

    @staticmethod
    @abstractmethod
    def variants() -> Sequence[Variant]:
        """The branches, each as the variant that breaks it, in the order of the rules."""

    @staticmethod
    @abstractmethod
    def deciding(program: _Program) -> list[str]:
        """The names of those that decide a program."""

    def add(self, program: _Program) -> list[str]:
        """Counts one program; the branches that decide it."""
        return self.count(self.deciding(program))

    def count(self, names: list[str]) -> list[str]:
        """Counts one program, of which it is known what decides it."""
        self.shaders += 1
        self.decided.update(names)
        return names

    def extend(self, programs: Iterable[_Program]) -> Self:
        """Counts each of `programs`; itself."""
        for program in programs:
            self.add(program)
        return self

    def rows(self) -> list[tuple[Variant, int]]:
        """Every branch and how many programs it decided; those that decided none first, then the rarest."""
        return sorted(((v, self.decided[v.name]) for v in self.variants()), key=lambda row: row[1])

    def never(self) -> list[Variant]:
        """The branches that decided no program."""
        return [variant for variant, count in self.rows() if not count]
