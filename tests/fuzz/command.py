"""The command line, called as users and scripts call it."""

from typing import TypeVar

from click.testing import CliRunner, Result

from wgsl_fuzz.fuzz.cli.main import main

T = TypeVar("T")
DIVERGES = """@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) lid: u32) {
  if (lid == 0u) { workgroupBarrier(); }
  workgroupBarrier();
}
"""


def there(value: T | None) -> T:
    """What has to be there."""
    assert value is not None
    return value


def wgsl_fuzz(*words: object, stdin: str | bytes | None = None) -> Result:
    """Calls a command, which ends as commands do: with an exit status, never with an exception of another kind."""
    result = CliRunner().invoke(main, [str(word) for word in words], input=stdin)
    assert isinstance(result.exception, SystemExit | None), result.exception
    assert "internal error" not in result.stderr, result.stderr
    return result


def refused(*words: object) -> str:
    """The one line in which a command says why it does nothing."""
    result = wgsl_fuzz(*words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1), result.output
    return result.stderr
