"""The file `-`: what a page prints can be piped into any command that reads a shader."""

from pathlib import Path

import orjson
import pytest
from click.testing import Result

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.runs import DIVERGING, STRICT

UNIFORM = (
    "@compute @workgroup_size(2)\nfn main(@builtin(local_invocation_index) lid: u32) {\n  workgroupBarrier();\n}\n"
)


def piped(text: str | bytes, *arguments: object) -> Result:
    return wgsl_fuzz(*list(map(str, arguments)), stdin=text)


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("check", "--oracle", "paper", "--oracle", "semantics"),
        ("explain",),
        ("explain", "--format", "html"),
        ("run",),
        ("reduce",),
    ],
)
@pytest.mark.parametrize(
    "text", [DIVERGING, "// a remark\n\n" + STRICT, "\n \n" + UNIFORM, "fn main() {\n", b"\xff\xfe"]
)
def test_a_shader_from_standard_input_is_answered_as_from_a_file(
    command: tuple[str, ...], text: str | bytes, tmp_path: Path
) -> None:
    (tmp_path / "standard input").write_bytes(text if isinstance(text, bytes) else text.encode())
    name = str(tmp_path / "standard input")
    file = piped("", command[0], name, *command[1:])
    dash = piped(text, command[0], "-", *command[1:])
    assert dash.exit_code == file.exit_code
    assert dash.stdout == file.stdout.replace(name, "standard input")
    assert dash.stderr == file.stderr.replace(name, "standard input")
    if text in ("fn main() {\n", b"\xff\xfe") and "--oracle" not in command:
        assert (dash.exit_code, dash.stdout, dash.stderr.count("\n")) == (2, "", 1)


def test_json_names_the_file_as_it_was_given_and_nothing_is_no_request() -> None:
    answer = orjson.loads(piped(DIVERGING, "check", "-", "--format", "json").stdout)
    assert (answer["file"], answer["verdict"]) == ("-", "non-uniform")
    nothing = piped("", "check", "-")
    assert (nothing.exit_code, nothing.output) == (0, "")


@pytest.mark.parametrize("head", [b"", b"\n", b"  "])
def test_what_begins_with_a_brace_is_lines_of_requests(head: bytes) -> None:
    request = orjson.dumps({"code": UNIFORM, "id": 7})
    result = piped(head + request + b"\n" + request, "check", "-")
    *_, first, second = map(orjson.loads, result.stdout.splitlines())
    assert first == second
    assert (first["id"], first["verdict"]) == (7, "uniform")
