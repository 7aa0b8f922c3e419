"""The child that runs shaders: a line has texts, each a dispatch in JSON; the answer to each is its memory in JSON."""

from collections.abc import Mapping
from typing import Any

import orjson

from wgsl_fuzz.oracle.targets.python_child import Check, serve

NO_ADAPTER = "wgpu finds no graphics adapter; a software one will do, on Debian: apt-get install mesa-vulkan-drivers"


def start() -> tuple[Check, Mapping[str, Any]]:
    """A device of whatever adapter there is."""
    import wgpu

    try:
        adapter = wgpu.gpu.request_adapter_sync()
        device = adapter.request_device_sync()
    except Exception as error:
        raise RuntimeError(NO_ADAPTER) from error

    def check(text: str) -> str:
        try:
            return orjson.dumps({"buffers": _run(wgpu, device, orjson.loads(text))}).decode()
        except (wgpu.GPUError, RuntimeError) as error:
            return orjson.dumps({"error": str(error)}).decode()

    return check, {"adapter": f"{adapter.info['device']} ({adapter.info['backend_type']})"}


def _run(wgpu: Any, device: Any, asked: Mapping[str, Any]) -> dict[str, str]:
    """Runs one workgroup of `main`; by binding, what the buffers hold then."""
    usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
    buffers = {
        int(binding): device.create_buffer_with_data(data=bytes.fromhex(content), usage=usage)
        for binding, content in asked["buffers"].items()
    }
    module = device.create_shader_module(code=asked["code"])
    access = {"type": wgpu.BufferBindingType.storage}
    entries = [{"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": access} for i in buffers]
    layout = device.create_bind_group_layout(entries=entries)
    pipeline = device.create_compute_pipeline(
        layout=device.create_pipeline_layout(bind_group_layouts=[layout]),
        compute={"module": module, "entry_point": "main"},
    )
    bound = [{"binding": i, "resource": {"buffer": b, "offset": 0, "size": b.size}} for i, b in buffers.items()]
    encoder = device.create_command_encoder()
    work = encoder.begin_compute_pass()
    work.set_pipeline(pipeline)
    work.set_bind_group(0, device.create_bind_group(layout=layout, entries=bound))
    work.dispatch_workgroups(1)
    work.end()
    device.queue.submit([encoder.finish()])
    return {str(i): bytes(device.queue.read_buffer(b)).hex() for i, b in buffers.items()}


if __name__ == "__main__":
    serve(start)
