"""The analysis of section 4.2 under every variant at once: which of them reject a shader, found in one walk."""

from wgsl_fuzz.oracle.rules.bitset.lane_behaviours import LaneBehaviours
from wgsl_fuzz.oracle.rules.bitset.lane_loops import LaneLoops
from wgsl_fuzz.oracle.rules.bitset.lane_statements import Jumps, LaneSummary, VariableMap, non_uniform
from wgsl_fuzz.oracle.rules.bitset.lanes import (
    BUT,
    MOST_SOURCES,
    ONLY,
    Lanes,
    VariantSet,
    masks_for,
    source,
    variants_with,
)
from wgsl_fuzz.oracle.rules.bitset.sources import CF_START, FIRST_PARAMETER, MAY_BE_NON_UNIF
from wgsl_fuzz.tinywgsl.ast import Function, Shader


class TooManySources(Exception):
    """A function has more loops and variables than lanes are made for."""


def rejecting(shader: Shader) -> VariantSet:
    """The variants of `LANES` under which the analysis rejects a well-formed shader. Raises TooManySources."""
    F: dict[str, LaneSummary] = {}
    found = 0
    for place, f in enumerate(shader.all_functions):
        function = LaneFunction(F, f, place, is_main=f is shader.main)
        found |= function.violating()
        if f is not shader.main:
            F[f.name] = function.summary()
    return found


class LaneFunction(LaneLoops):
    """UG_func of one function under every variant."""

    __slots__ = ("f", "is_main")

    def __init__(self, F: dict[str, LaneSummary], f: Function, place: int, *, is_main: bool) -> None:
        """Analyses the function; `F` has the summaries of those before it. Raises TooManySources."""
        self.f, self.is_main = f, is_main
        behaviours = LaneBehaviours(f.body)
        variables = len(f.params) + len(f.locals)
        first = FIRST_PARAMETER + len(f.params)
        sources = first + behaviours.loops * (variables + 1)
        if sources > MOST_SOURCES:
            raise TooManySources
        super().__init__(F, place, behaviours.of, masks_for(sources))
        self.heads = [0] * first
        cf = source(CF_START, BUT["func/line-5/body-under-fresh-control-flow"])
        self.stmts(self.initial(), Jumps({}, {}), cf, self.masks.all, f.body)  # line 5
        self.required, self.returned = self.closed(self.required, first), self.closed(self.returned, first)

    def initial(self) -> VariableMap:
        """M_init (lines 1-4)."""
        of_parameter = non_uniform("func/line-3/parameters-non-uniform")
        M_init = {v.name: source(i) | of_parameter for i, v in enumerate(self.f.params, FIRST_PARAMETER)}
        of_local = source(CF_START, BUT["func/line-3/locals-non-uniform"])
        of_local |= non_uniform("func/line-3/locals-non-uniform")
        return M_init | dict.fromkeys([v.name for v in self.f.locals], of_local)

    def closed(self, reached: Lanes, first: int) -> Lanes:
        """A set with all that the heads of loops in it lead to."""
        done = [0] * len(self.heads)
        again = True
        while again:
            again = False
            for place in range(len(self.heads) - 1, first - 1, -1):
                new = variants_with(place, reached) & ~done[place]
                if new:
                    done[place] |= new
                    reached |= self.heads[place] & self.masks.spread(new)
                    again = True
        return reached

    def violating(self) -> VariantSet:
        """The variants under which the function has an error that counts (line 11)."""
        returned = ONLY["func/line-11/of-value-returned"]
        found = variants_with(MAY_BE_NON_UNIF, self.required) & BUT["func/line-11/never"] & ~returned
        found |= variants_with(MAY_BE_NON_UNIF, self.returned) & returned
        main_only = "shader/functions/main-not-analysed" if self.is_main else "shader/functions/errors-of-main-only"
        return found & BUT[main_only]

    def summary(self) -> LaneSummary:
        """Lines 6-9."""
        required, returned = self.required, self.returned
        parameters = range(FIRST_PARAMETER, FIRST_PARAMETER + len(self.f.params))
        demanded = [variants_with(place, required) for place in parameters]
        affecting = [variants_with(place, returned) for place in parameters]
        swapped = ONLY["func/line-6/of-value-returned"]
        call_site = variants_with(CF_START, required) & ~swapped | variants_with(CF_START, returned) & swapped
        return LaneSummary(
            self.place,
            call_site & BUT["func/line-6/never"] | ONLY["func/line-6/always"],
            [_line_7(own, other) for own, other in zip(demanded, affecting)],
            [_line_8(own, other) for own, other in zip(affecting, demanded)],
            variants_with(MAY_BE_NON_UNIF, returned) & BUT["func/line-9/never"] | ONLY["func/line-9/always"],
        )


def _line_7(required: VariantSet, returned: VariantSet) -> VariantSet:
    """Of a parameter: whether it is required to be uniform."""
    swapped = ONLY["func/line-7/of-value-returned"]
    return (required & ~swapped | returned & swapped) & BUT["func/line-7/none"] | ONLY["func/line-7/all"]


def _line_8(returned: VariantSet, required: VariantSet) -> VariantSet:
    """Of a parameter: whether it affects the value returned."""
    swapped = ONLY["func/line-8/of-demands"]
    return (returned & ~swapped | required & swapped) & BUT["func/line-8/none"] | ONLY["func/line-8/all"]
