"""The child of `naga`: the Naga inside PyPI's wgpu."""

from collections.abc import Mapping
from typing import Any

from wgsl_fuzz.oracle.targets.children.python_child import Check, serve

NO_ADAPTER = "wgpu finds no graphics adapter; a software one will do, on Debian: apt-get install mesa-vulkan-drivers"


def start() -> tuple[Check, Mapping[str, Any]]:
    """A device of whatever adapter there is: validation is the same on all."""
    import wgpu
    from wgpu.backends import wgpu_native

    try:
        gpu = wgpu.gpu
        # up to 0.17 the functions that wait had the shorter names
        adapter = gpu.request_adapter_sync() if hasattr(gpu, "request_adapter_sync") else gpu.request_adapter()
        request = getattr(adapter, "request_device_sync", None) or adapter.request_device
        device = request(required_features=sorted(adapter.features))
    except Exception as error:
        raise RuntimeError(NO_ADAPTER) from error
    native = ".".join(map(str, wgpu_native.lib_version_info))

    def check(text: str) -> str | None:
        try:
            device.create_shader_module(code=text)
        except wgpu.GPUError as error:
            return str(error)
        return None

    return check, {"wgpu": wgpu.__version__, "native": native}


def main() -> None:
    """Answers texts."""
    serve(start)
