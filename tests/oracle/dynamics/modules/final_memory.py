"""What a module leaves in `out`, by the rules of the semantics alone."""

from collections.abc import Mapping, Sequence

from tests.oracle.dynamics.running import PureStore
from wgsl_fuzz.oracle.dynamics.modules.lowering import lower_module
from wgsl_fuzz.oracle.dynamics.semantics import Global, Program, barrier_of, barrier_sync, ended, thread
from wgsl_fuzz.oracle.dynamics.stores import given
from wgsl_fuzz.wgsl.resolve import read

OUT = "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
MAIN = "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n%s\n}\n"


def text_of(body: str, above: str = "") -> str:
    """A module with `out`, declarations and the body of an entry point of two threads."""
    return OUT + above + "\n" + MAIN % body


def left_in_out(text: str, cells: int, threads: int = 1, store: Mapping[str, Sequence[int]] | None = None) -> list[int]:
    """The first cells of `out` when all threads have ended, each having run as far as it could in its turn."""
    resolution = read(text)
    entry = next(f for f in resolution.functions if resolution.entry_stage(f) is not None)
    shader = lower_module(resolution, entry, threads).shader
    Π = Program(shader)
    G = Global(PureStore(given(shader, store or {})), tuple(Π.initial_threads(threads)))
    while not all(ended(T) for T in G.threads):
        for i in range(threads):
            while barrier_of(G.threads[i]) is None and not ended(G.threads[i]):
                G = thread(Π, G, i)
        G = barrier_sync(G) or G
    return [G.σ.get("out.1:u32", i) for i in range(cells)]
