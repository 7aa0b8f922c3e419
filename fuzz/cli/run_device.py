"""`run --device`: a shader on a graphics adapter, and its memory held against the semantics."""

from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.devices.device import Device, Lost
from wgsl_fuzz.oracle.devices.memory import Expected, expected_memory, storage_of
from wgsl_fuzz.oracle.targets.protocol import TargetError
from wgsl_fuzz.tinywgsl.ast import Shader


def run_on_device(file: str, shader: Shader, seed: int) -> int:
    """Runs a shader on arbitrary values of its storage arrays; 1 if it leaves other memory than the semantics, else 0.

    Raises Problem where not every run leaves the same memory: such a shader is not given to a device.
    """
    if not storage_of(shader):
        raise Problem(f"{file} has no storage array: nothing of it could be seen")
    expected = expected_memory(shader, seed)
    if expected is None:
        raise Problem(
            f"{file} is not run on a device: a run may diverge, race, not end, or leave the bounds of an array"
        )
    try:
        device = Device()
    except TargetError as error:
        raise Problem(str(error)) from error
    try:
        return _compared(file, expected, device)
    finally:
        device.close()


def _compared(file: str, expected: Expected, device: Device) -> int:
    (result,) = device.run([expected.dispatch])
    if isinstance(result, Lost):
        echo(f"{file}: {device.adapter}: {result.reason}")
        return 1
    for name, values in expected.before.items():
        echo(f"  before: {name} = {', '.join(map(str, values))}")
    found = expected.differences(result)
    for line in found:
        echo(f"  {line}")
    if found and expected.needs_zeroed and not device.zeroes_workgroup_memory:
        echo("  this device leaves workgroup memory as it was, where WGSL has it zero")
    said = f"{count(len(found), 'element')} differ" if found else "its memory is that of the semantics"
    echo(f"{file}: {device.adapter}: {said}")
    return int(bool(found))
