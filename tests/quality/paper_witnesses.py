"""The smallest shaders found for the mutants of the paper's rules: the files in `witnesses`."""

from dataclasses import dataclass
from pathlib import Path

from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader


@dataclass(frozen=True)
class Witness:
    """A shader, the paper's verdict on it, and the mutants that it kills."""

    shader: Shader
    verdict: Verdict
    kills: tuple[str, ...]


def _read(path: Path) -> Witness:
    """The header is of lines `// paper: VERDICT` and `// kills: MUTANT`."""
    text = path.read_text(encoding="utf-8")
    header = [line.removeprefix("// ").split(": ", 1) for line in text.splitlines() if line.startswith("// ")]
    (verdict,) = [value for key, value in header if key == "paper"]
    return Witness(parse(text), Verdict(verdict), tuple(value for key, value in header if key == "kills"))


BY_NAME = {path.stem: _read(path) for path in sorted(Path(__file__).with_name("witnesses").glob("*.wgsl"))}
BY_MUTANT = {mutant: witness for witness in BY_NAME.values() for mutant in witness.kills}
