"""The regression corpus: a folder per case, `shader.wgsl` and `case.json`.

`case.json` holds `origin` and `why` (text), `verdicts` (each oracle's verdict or outcome as last confirmed, by the
oracle's name with its version) and, where there is one, the `issue`'s URL.
"""

from dataclasses import dataclass
from pathlib import Path

import orjson

from fuzz.problems import Problem


@dataclass(frozen=True, slots=True)
class CorpusCase:
    """One case as recorded."""

    folder: Path
    text: str
    origin: str
    why: str
    verdicts: dict[str, str]
    issue: str | None

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.folder.name


def corpus_folder() -> Path:
    """The corpus that ships with the project: in the wheel, or beside the packages in a checkout."""
    here = Path(__file__).resolve().parent
    return next((p for p in (here / "_corpus", here.parent / "corpus") if p.is_dir()), here / "_corpus")


def load_cases(folder: Path | None = None) -> list[CorpusCase]:
    """All cases in a folder, by name; raises Problem for one that is not as the module says."""
    folder = corpus_folder() if folder is None else folder
    if not folder.is_dir():
        raise Problem(f"there is no corpus in {folder}")
    return [load_case(path.parent) for path in sorted(folder.glob("*/case.json"))]


def load_case(folder: Path) -> CorpusCase:
    """The case in one folder."""
    try:
        text = (folder / "shader.wgsl").read_text(encoding="utf-8")
        record = orjson.loads((folder / "case.json").read_bytes())
    except (OSError, ValueError) as error:
        raise Problem(f"{folder} is no corpus case: {error}") from error
    try:
        verdicts = {str(name): str(word) for name, word in record["verdicts"].items()}
        return CorpusCase(folder, text, record["origin"], record["why"], verdicts, record.get("issue"))
    except (KeyError, TypeError, AttributeError) as error:
        raise Problem(f"{folder}/case.json lacks {error}") from error
