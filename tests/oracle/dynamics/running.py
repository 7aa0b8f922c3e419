"""Single runs of a shader, in any order and from any store."""

from collections.abc import Callable, Mapping

from wgsl_fuzz.oracle.dynamics.compiled import RunnableProgram
from wgsl_fuzz.oracle.dynamics.parting import STEPS as PARTING_STEPS
from wgsl_fuzz.oracle.dynamics.parting import separate
from wgsl_fuzz.oracle.dynamics.runs import STEPS, Order, RunResult, run_program, scheduler_of
from wgsl_fuzz.oracle.dynamics.semantics import CONTROL_STACKS
from wgsl_fuzz.oracle.dynamics.stores import SIMPLE, Initial, Simple, given, values_worth_trying
from wgsl_fuzz.tinywgsl.ast import Shader


class PureStore:
    """A store that is never changed: what `initial` says, but for the cells written since."""

    __slots__ = ("cells", "initial")

    def __init__(self, initial: Callable[[str, int], int], cells: Mapping[tuple[str, int], int] | None = None) -> None:
        self.initial = initial
        self.cells = cells or {}

    def get(self, array: str, index: int) -> int:
        """`σ(x, i)`."""
        value = self.cells.get((array, index))
        return self.initial(array, index) if value is None else value

    def updated(self, array: str, index: int, value: int) -> "PureStore":
        """`σ[(x, i) ↦ v]`; costs as much as there are cells written so far."""
        return PureStore(self.initial, {**self.cells, (array, index): value})


def execute(
    shader: Shader,
    *,
    threads: int | None = None,
    store: Initial | None = None,
    order: Order = Order.IN_ORDER,
    seed: int = 0,
    steps: int = STEPS,
    reset_locals: bool = True,
) -> RunResult:
    """One run, by the shader's own number of threads on zeros unless told otherwise."""
    n = shader.workgroup_size if threads is None else threads
    Π, turns = RunnableProgram(shader, reset_locals), scheduler_of(order, seed)
    return run_program(Π, n, store or given(shader, {}), turns, steps, CONTROL_STACKS)


def simple_values(shader: Shader) -> Simple:
    """Small round numbers for each cell of a shader."""
    by_array = {a.name: SIMPLE[a.type] for a in shader.arrays}
    return lambda array, _: by_array[array]


def searched(shader: Shader, *, seed: int = 0, steps: int = PARTING_STEPS) -> RunResult:
    """What a search for inputs that part threads finds, by the shader's own number of threads."""
    pools = values_worth_trying(shader)
    return separate(
        shader, threads=shader.workgroup_size, pools=pools, simple=simple_values(shader), seed=seed, steps=steps
    )
