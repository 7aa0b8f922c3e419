"""The child of `tint@embedded`: the Tint inside PyPI's dawn-python, driven through ctypes on Dawn's Null backend."""

import ctypes
from collections.abc import Mapping
from typing import Any

from wgsl_fuzz.oracle.targets.children.python_child import Check, serve


def start() -> tuple[Check, Mapping[str, Any]]:
    """A device of the Null backend, which needs no GPU."""
    from pydawn import utils, webgpu

    device = _open_device(utils, webgpu)
    outcome: list[str | None] = [None]

    def popped(_status: int, kind: int, message: Any, _user: Any) -> None:
        outcome[0] = None if kind == webgpu.WGPUErrorType_NoError else _text(message)

    info = webgpu.WGPUPopErrorScopeCallbackInfo()
    info.mode = webgpu.WGPUCallbackMode_WaitAnyOnly
    info.callback = webgpu.WGPUPopErrorScopeCallback(popped)

    def check(text: str) -> str | None:
        webgpu.wgpuDevicePushErrorScope(device, webgpu.WGPUErrorFilter_Validation)
        module = _create_module(webgpu, device, text.encode())
        utils.wait(webgpu.wgpuDevicePopErrorScopeF(device, info))
        webgpu.wgpuShaderModuleRelease(module)
        return outcome[0]

    return check, {}


def _open_device(utils: Any, webgpu: Any) -> Any:
    """Requests an adapter of the Null backend, which `pydawn.utils` cannot, and a device from it."""
    found: list[Any] = []

    def received(_status: int, adapter: Any, _message: Any, _user: Any) -> None:
        found.append(adapter)

    info = webgpu.WGPURequestAdapterCallbackInfo()
    info.mode = webgpu.WGPUCallbackMode_WaitAnyOnly
    info.callback = webgpu.WGPURequestAdapterCallback(received)
    options = webgpu.WGPURequestAdapterOptions()
    options.backendType = webgpu.WGPUBackendType_Null
    utils.wait(webgpu.wgpuInstanceRequestAdapterF(utils.instance, options, info))
    if not found or not found[0]:
        raise RuntimeError("dawn-python has no adapter for the null backend")
    return utils.request_device_sync(found[0])


def _create_module(webgpu: Any, device: Any, code: bytes) -> Any:
    source = webgpu.WGPUShaderModuleWGSLDescriptor()
    buffer = ctypes.create_string_buffer(code, len(code) + 1)
    source.code.data = ctypes.cast(buffer, ctypes.POINTER(ctypes.c_char))
    source.code.length = len(code)
    source.chain.sType = webgpu.WGPUSType_ShaderSourceWGSL
    descriptor = webgpu.WGPUShaderModuleDescriptor()
    descriptor.nextInChain = ctypes.cast(ctypes.pointer(source), ctypes.POINTER(webgpu.struct_WGPUChainedStruct))
    return webgpu.wgpuDeviceCreateShaderModule(device, descriptor)


def _text(view: Any) -> str:
    return ctypes.string_at(view.data, view.length).decode("utf-8", "replace")


def main() -> None:
    """Answers texts."""
    serve(start)
