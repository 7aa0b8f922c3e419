"""Whether a graphics adapter leaves the memory that the semantics does: drawn shaders that converge and do not race.

python benchmarks/execution.py [--programs 5000]
"""

import sys
import time
from collections import Counter
from itertools import count, islice
from pathlib import Path

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.oracle.devices.device import Device, Lost
from wgsl_fuzz.oracle.devices.memory import Expected, expected_memory
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.profile import Profile

AT_ONCE = 64


@click.command()
@click.option("--programs", type=int, default=5_000, show_default=True, help="Shaders that are executed.")
@click.option("--statements", type=(int, int), default=(3, 15), show_default=True, help="In all functions together.")
@click.option("--seed", type=int, default=9, show_default=True)
def main(programs: int, statements: tuple[int, int], seed: int) -> None:
    """Print what became of the shaders, and each difference."""
    device = Device(timeout=60)
    click.echo(f"{device.adapter}; workgroup memory is {'' if device.zeroes_workgroup_memory else 'not '}zero at first")
    profile, numbers = Profile(statements=statements, racy=False), count()
    done: Counter[str] = Counter()
    begun = time.perf_counter()
    while done["executed"] < programs:
        drawn = [expected_memory(draw_shader(shader_seed(seed, i), profile), i) for i in islice(numbers, 4 * AT_ONCE)]
        known = [one for one in drawn if one is not None]
        fit = [one for one in known if device.zeroes_workgroup_memory or not one.needs_zeroed]
        done.update({"drawn": len(drawn), "not zeroed": len(known) - len(fit), "executed": len(fit)})
        _compare(device, fit, done)
    device.close()
    click.echo(f"{dict(done)}; {time.perf_counter() - begun:.0f} s")


def _compare(device: Device, fit: list[Expected], done: Counter[str]) -> None:
    for one, result in zip(fit, device.run([one.dispatch for one in fit]), strict=True):
        done["change memory"] += one.before != one.after
        said = [result.reason] if isinstance(result, Lost) else one.differences(result)
        if said:
            done["differ"] += 1
            click.echo(f"{said}\n{one.before}\n{one.dispatch.code}")


if __name__ == "__main__":
    main()
