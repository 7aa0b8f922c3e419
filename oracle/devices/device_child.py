"""The child that runs shaders, by wgpu or by a user's function.

A line has texts, each a dispatch in JSON; the answer to each is its memory in JSON.

A dispatch is run several times, each time with the memory that it begins with; the answer has what was left, with how
often it was.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.children.naga_child import NO_ADAPTER
from wgsl_fuzz.oracle.targets.children.python_child import Check, named_function, serve

SUBGROUPS, SUBGROUPS_OF_WGSL = "subgroup", "enable subgroups;"
"""The feature of the adapter with which Naga takes the operations of the extension, whose name it does not take yet."""


def adapter_of_wgpu() -> tuple[Check, Mapping[str, Any]]:
    """A device of whatever adapter there is."""
    import wgpu

    try:
        adapter = wgpu.gpu.request_adapter_sync()
        features = {SUBGROUPS} & set(adapter.features)
        device = adapter.request_device_sync(required_features=sorted(features))
    except Exception as error:
        raise RuntimeError(NO_ADAPTER) from error

    def check(text: str) -> str:
        try:
            left = Counter(_runs(wgpu, device, orjson.loads(text)))
            return orjson.dumps({"outcomes": [[dict(memory), times] for memory, times in left.items()]}).decode()
        except (wgpu.GPUError, RuntimeError) as error:
            return orjson.dumps({"error": str(error)}).decode()

    name = f"{adapter.info['device']} ({adapter.info['backend_type']})"
    return check, {"adapter": name, "subgroups": bool(features)}


def _runs(wgpu: Any, device: Any, asked: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], ...]]:
    """Runs `main`, as often as is asked; by binding, what the buffers hold each time."""
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
    given = {int(binding): bytes.fromhex(content) for binding, content in asked["buffers"].items()}
    buffers = {binding: device.create_buffer_with_data(data=data, usage=usage) for binding, data in given.items()}
    module = device.create_shader_module(code=asked["code"].replace(SUBGROUPS_OF_WGSL, ""))
    access = {"type": wgpu.BufferBindingType.storage}
    entries = [{"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": access} for i in buffers]
    layout = device.create_bind_group_layout(entries=entries)
    pipeline = device.create_compute_pipeline(
        layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
        compute={"module": module, "entry_point": "main"},
    )
    bound = [{"binding": i, "resource": {"buffer": b, "offset": 0, "size": b.size}} for i, b in buffers.items()]
    group = device.create_bind_group(layout=layout, entries=bound)
    for _ in range(asked["times"]):
        for binding, data in given.items():
            device.queue.write_buffer(buffers[binding], 0, data)
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        work.dispatch_workgroups(asked["workgroups"])
        work.end()
        device.queue.submit([encoder.finish()])
        yield tuple((str(i), bytes(device.queue.read_buffer(b)).hex()) for i, b in buffers.items())


def adapter_of_user(module: str, name: str) -> tuple[Check, Mapping[str, Any]]:
    """A function in the place of an adapter: from WGSL and buffers by binding to the buffers at the end.

    Raises RuntimeError if there is none.
    """
    function = named_function(module, name)

    def check(text: str) -> str:
        asked = orjson.loads(text)
        buffers = {int(binding): bytes.fromhex(content) for binding, content in asked["buffers"].items()}
        left = function(asked["code"], buffers)
        return orjson.dumps({"outcomes": [[{str(i): bytes(b).hex() for i, b in left.items()}, 1]]}).decode()

    return check, {"adapter": f"the function {name} of {module}"}


def main(*function: str) -> None:
    """Runs dispatches: by a function, if its module and name are given."""
    serve(partial(adapter_of_user, *function) if function else adapter_of_wgpu)
