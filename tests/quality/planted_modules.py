"""Planted disagreements on modules of WGSL whose smallest module is known: what the reducer of modules is measured by.

A broken variant of the rules plays the target. `planted_modules.toml` has for each the smallest module known, written
by hand. The search begins with a large module: the pair that kills the variant, among the statements and declarations
of other pairs and of an application, all of which both rule sets accept.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count, product
from pathlib import Path
from random import Random

from tests.quality.module_mutants import SIDES, pairs, text_of, witnesses
from wgsl_fuzz.fuzz.cases.case import count_statements
from wgsl_fuzz.fuzz.cases.pairs import Pair, load_applications
from wgsl_fuzz.fuzz.reduction.names import renamed
from wgsl_fuzz.fuzz.reduction.search import read
from wgsl_fuzz.fuzz.regression.diff import Side, Verdicts, differ
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import all_variants, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.strategies.generate.profile import MODULE_PROFILES
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.syntax import Block, ConstAssert, Declaration, Function, Module, Statement

DATA = Path(__file__).with_name("planted_modules.toml")
OTHERS = 12
"""The pairs whose accepted sides surround what is planted."""


@dataclass(frozen=True)
class PlantedModule:
    """One planted disagreement: the variant that shows it, and the smallest module known that does."""

    variant: str
    minimum: str
    other_reason: str = ""
    """The smallest module known with the same verdicts for another reason, where a drawn module may end."""

    @property
    def sides(self) -> tuple[Side, Side]:
        """The rules, and the same with the variant."""
        rules: Rules = all_variants()[self.variant].rules
        return Side("rules", UNCHANGED), Side(self.variant, rules)

    @property
    def least(self) -> int:
        """Statements of the smallest module known."""
        return count_statements(self._minimum.module)

    @property
    def least_drawn(self) -> int:
        """The same of the larger of the modules known."""
        return max(self.least, count_statements(parse(self.other_reason)))

    @cached_property
    def verdicts(self) -> Verdicts:
        """What the rules and the variant say of it."""
        found = differ(self._minimum, self.sides)
        assert found is not None, f"the minimum of {self.variant} does not show it"
        return found

    @property
    def _minimum(self) -> Resolution:
        found = read(self.minimum)
        assert found is not None, f"the minimum of {self.variant} is not valid"
        return found

    def shows(self, candidate: Resolution) -> bool:
        """Whether a module shows the same disagreement."""
        return differ(candidate, self.sides) == self.verdicts

    def shows_text(self, text: str) -> bool:
        """The same of a text."""
        candidate = read(text)
        return candidate is not None and self.shows(candidate)

    def start(self) -> Resolution:
        """A large module that shows it."""
        pair = pairs()[witnesses()[self.variant]]
        for side in SIDES:
            small = read(text_of(pair, side))
            if small is not None and self.shows(small):
                return next(large for large in _around(text_of(pair, side)) if self.shows(large))
        raise AssertionError(f"no side of {pair.name} shows {self.variant}")


@cache
def planted_modules() -> tuple[PlantedModule, ...]:
    """All of them, in the order of the file."""
    entries: list[Mapping[str, str]] = tomllib.loads(DATA.read_text(encoding="utf-8"))["planted"]
    return tuple(PlantedModule(entry["variant"], entry["minimum"], entry.get("other_reason", "")) for entry in entries)


def drawn_modules(seeds: int, each: int) -> Iterator[tuple[PlantedModule, str, Resolution]]:
    """Modules of every profile that show what is planted, with their origins; `each` for one disagreement."""
    missing = {one.variant: each for one in planted_modules()}
    for seed, (profile, drawn) in product(range(seeds), MODULE_PROFILES.items()):
        module = read(print_module(draw_module(seed, drawn)))
        assert module is not None, f"profile {profile}, seed {seed}"
        verdict = analyse_wgsl(module).verdict
        for one in planted_modules():
            if missing[one.variant] and one.verdicts[0] is verdict and one.shows(module):
                missing[one.variant] -= 1
                yield one, f"{profile} {seed}", module


def _around(text: str) -> Iterator[Resolution]:
    """Large modules with what is in a text: one for each seed."""
    for seed in count():
        random = Random(seed)
        large = _with_others(text, random.sample(_accepted(), OTHERS), random)
        if large is not None:
            yield large


@cache
def _accepted() -> tuple[Pair, ...]:
    return tuple(pair for pair in pairs().values() if pair.refusal is Verdict.REJECTS and not pair.accepted_messages)


def _with_others(text: str, others: list[Pair], random: Random) -> Resolution | None:
    """A text with the statements of other entry points before and behind its own; None if that is no valid module."""
    one = read(text)
    if one is None:
        return None
    module = one.module
    for i, other in enumerate(others):
        more = read(other.accepted)
        if more is not None:
            module = _joined(module, _numbered(more, module, i), random)
    application = read(random.choice(list(load_applications().values())))
    if application is not None:
        more_declarations = _numbered(application, module, len(others))
        directives = (*module.directives, *(d for d in more_declarations.directives if d not in module.directives))
        module = Module(directives, (*module.declarations, *more_declarations.declarations))
    # Read again, as no node may stand in a tree twice.
    return read(print_module(module))


def _numbered(other: Resolution, module: Module, number: int) -> Module:
    """A module whose declarations have names of their own, but for those that another module has as well."""
    known = set(module.declarations)
    mine = [d for d in other.module.declarations if d not in known and not _is_entry(d)]
    names = {d.name: f"{d.name}_{number}" for d in mine if not isinstance(d, ConstAssert)}
    return renamed(other, names, {})


def _is_entry(d: Declaration) -> bool:
    return isinstance(d, Function) and d.name == "main"


def _joined(module: Module, other: Module, random: Random) -> Module:
    """The first module with the other's declarations, and its statements in a block if the inputs are the same."""
    mine = next((d for d in module.declarations if _is_entry(d)), None)
    theirs = next((d for d in other.declarations if _is_entry(d)), None)
    known = set(module.declarations)
    declarations = [d for d in other.declarations if d not in known and d is not theirs]
    directives = (*module.directives, *(d for d in other.directives if d not in module.directives))
    if not isinstance(mine, Function) or not isinstance(theirs, Function):
        return module
    if (mine.parameters, mine.result) != (theirs.parameters, theirs.result):
        return module
    block: Statement = Block(theirs.body.statements)
    body = (block, *mine.body.statements) if random.random() < 0.5 else (*mine.body.statements, block)
    changed = replace(mine, body=replace(mine.body, statements=body))
    old = [changed if d is mine else d for d in module.declarations]
    random.shuffle(declarations)
    return Module(directives, (*declarations, *old))
