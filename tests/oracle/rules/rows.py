"""Small shaders of the tests of rules, as short as they can be said."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from tests.wgsl.reading import parse
from wgsl_fuzz.tinywgsl.ast import Shader

CORPUS = Path(__file__).parents[3] / "corpus"


def corpus(name: str) -> Shader:
    return parse((CORPUS / name / "shader.wgsl").read_text(encoding="utf-8"))


def shader(body: str, functions: str = "") -> Shader:
    """`body` in a `main` with two locals, x and u (u is never assigned: uniform); `barrier;` is short for the call."""
    text = (
        f"var<workgroup> mem: array<u32, 4>; {functions} @compute @workgroup_size(4) "
        f"fn main(@builtin(local_invocation_index) lid: u32) {{ var x: u32; var u: u32; {body} }}"
    )
    return parse(text.replace("barrier;", "workgroupBarrier();"))


def rows() -> Iterator[tuple[str, str, str, Shader]]:
    """A name, what the paper and what the proposal of 2019 say, and the shader, for each row of `rows.toml`."""
    table = tomllib.loads(Path(__file__).with_name("rows.toml").read_text(encoding="utf-8"))
    functions = table.pop("functions")
    for group, found in table.items():
        for paper, proposal, why, body, *called in found["rows"]:
            read = corpus(body) if group == "figures" else shader(body, *[functions[name] for name in called])
            yield f"{group}: {why or body}", paper, proposal, read
