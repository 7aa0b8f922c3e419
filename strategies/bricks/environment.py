"""An environment: the declarations that many shaders share, and the bricks that they are put together from."""

from wgsl_fuzz.strategies.bricks.bricks import Brick, Numbers, Version, brick, version
from wgsl_fuzz.strategies.choices.places import Slot
from wgsl_fuzz.strategies.choices.profile import Profile
from wgsl_fuzz.strategies.choices.source import Source
from wgsl_fuzz.strategies.generate.motifs import motif
from wgsl_fuzz.strategies.generate.shaders import Part, ShaderDrawer, Signature
from wgsl_fuzz.strategies.generate.simple import NOTHING_OWED
from wgsl_fuzz.tinywgsl.ast import Barrier, Function, SharedArray, Variable

ROUNDS = 3
"""How many shaders are drawn and cut up: each function has as many versions."""
ENOUGH = 14
"""So many bricks of `main` there are at least, if as many more bodies of `main` give them."""
MOTIFS = 3
"""How many motifs each round draws: they decide much, and each shader has one only."""


class Environment:
    """What is drawn once. Any selection of bricks, and one version of each function, make a well-formed shader.

    It is cut from ROUNDS shaders that are drawn with the same arrays, signatures and variables of `main`. Two bricks
    have no ID and no local of an idiom in common, so each brick can be used once.
    """

    def __init__(self, source: Source, profile: Profile) -> None:
        self.profile = profile
        self.numbers = Numbers()
        """The bits of all names in the uses of bricks."""
        self.versions: list[list[Version]] = []
        """Those of each function, in the order of declaration."""
        self.bricks: list[Brick] = []
        """Those for the body of `main`, in the order in which they stand there."""
        self.closing: list[Brick] = []
        """A call of each function."""
        self.guarded: list[Brick] = []
        """Barriers under an `if` of their own."""
        self._source = source
        self._drawer = ShaderDrawer(source, profile)
        self._statements = self._drawer.statements
        self.arrays: tuple[SharedArray, ...] = self._drawer.arrays
        count = min(source.integer(*profile.functions), source.integer(*profile.statements) // 4)
        signatures = [self._signature(f"f{i}") for i in range(count)]
        self._plain = self._drawer.locals()  # those that any statement may assign
        self._all = list(self._plain)
        for _ in range(ROUNDS):
            self._round(signatures)
        for _ in range(ROUNDS):
            if len(self.bricks) < ENOUGH:
                self._statements.barriers, self._statements.uncalled = 0, list(self._statements.callees)
                self._main(max(2, source.integer(*profile.statements)))
        self.last = Barrier(self._statements.fresh_id())
        """The barrier at the end of `main`."""
        self.bricks.sort(key=lambda b: (b.part, b.place))
        self.variables: tuple[Variable, ...] = tuple({v.name: v for v in self._all}.values())
        """The locals of `main`."""

    def _signature(self, name: str) -> Signature:
        source, drawer, profile = self._source, self._drawer, self.profile
        params = tuple(
            [drawer.fresh("p", source.weighted(drawer.types)) for _ in range(source.integer(*profile.params))]
        )
        return drawer.signature(name, params)

    def _round(self, signatures: list[Signature]) -> None:
        """Draws a shader, and takes its parts."""
        source, statements = self._source, self._statements
        budget = source.integer(*self.profile.statements)
        statements.callees, statements.uncalled, statements.barriers = [], [], 0
        for i, signature in enumerate(signatures):
            share = source.integer(1, max(1, budget // 3))
            used = self._watch()
            f = self._drawer.version(signature, self._drawer.locals(), share)
            if i == len(self.versions):
                self.versions.append([])
            self.versions[i].append(version(f, share, self.numbers.of(used - _names_of(f))))
            statements.callees.append(f)
            statements.uncalled.append(f)
            budget -= share
        self._main(max(2, budget))

    def _main(self, budget: int) -> None:
        source, statements, profile = self._source, self._statements, self.profile
        # Those that may not return do without the bricks that do: so there are more of these.
        returns = source.percent((profile.main_returns + 100) // 2 if profile.main_returns else 0)
        place = Slot(False, returns, profile.nesting)
        statements.reenter(self._all, self._plain, budget)
        self._drawer.owe_barrier(budget)
        self._cut(place, budget)
        statements.owed = NOTHING_OWED
        if not self.closing:
            for f in statements.callees:
                used = self._watch()
                call = self._drawer.closing_call(f)
                self.closing.append(brick(Part.BEHIND, 1, (call,), self.numbers.of(used)))
        used = self._watch()
        guarded = statements.guarded_barrier()
        self.guarded.append(brick(Part.BEHIND, 1, (guarded,), self.numbers.of(used)))

    def _cut(self, place: Slot, budget: int) -> None:
        """Makes bricks of the pieces of a `main`."""
        statements = self._statements
        pieces = self._drawer.main_pieces(place, budget - 1)
        while True:
            used = self._watch()
            part, ss = next(pieces, (None, ()))
            if part is None:
                return
            uses = self.numbers.of(used)
            place_in_main = 1 - max(0, statements.left) / budget
            self.bricks.append(brick(part, place_in_main, ss, uses, statements.shown))
            if part is Part.MOTIF:
                self._more_motifs(place)

    def _more_motifs(self, place: Slot) -> None:
        statements = self._statements
        left = statements.left
        for _ in range(MOTIFS - 1):
            used = self._watch()
            ss = motif(statements, self.profile.motifs, place)
            self.bricks.append(brick(Part.MOTIF, 0, ss, self.numbers.of(used)))
            statements.left = left

    def _watch(self) -> set[str]:
        """The names that occur in what is drawn from now on; the idioms are those of `shown`."""
        used = self._statements.expressions.used = set()
        self._statements.shown = set()
        return used


def _names_of(f: Function) -> set[str]:
    """The names that only the function itself knows."""
    return {v.name for v in (*f.params, *f.locals)}
