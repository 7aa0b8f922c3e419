"""corpus/predicted.toml: faults that the model of an engine predicts, and that nobody has seen in the engine itself.

[[predicted]]
engine = "webkit"                          whose rule set predicts it (docs/webkit-analysis.md)
kind = "unsound"
departures = ["webkit/lets-replaced"]      what explains it
case = "webkit-let-evaluated-late"         the case of the corpus

A prediction is no known bucket: it changes no exit status and hides nothing.
"""

from dataclasses import dataclass
from pathlib import Path

from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.findings.schema import from_toml
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase, load_case
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.verdict import Answer, Verdict

FILE = "predicted.toml"
_VERDICTS = {Kind.UNSOUND: Verdict.ACCEPTS, Kind.TOO_LENIENT: Verdict.ACCEPTS, Kind.TOO_STRICT: Verdict.REJECTS}


CONFIRMED, NOT_SEEN, UNANSWERED = "predicted, confirmed", "predicted, not seen", "predicted, not answered"
"""What an engine's answer does to a prediction; the last if it refuses the shader for another reason, or is silent."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One predicted fault: a table of the file."""

    engine: str
    kind: Kind
    departures: tuple[str, ...]
    case: str

    def seen_in(self, answer: Answer) -> str:
        """What an answer of the engine to the case's shader says of it."""
        if answer.verdict is _VERDICTS[self.kind]:
            return CONFIRMED
        return NOT_SEEN if answer.verdict in (Verdict.ACCEPTS, Verdict.REJECTS) else UNANSWERED


@dataclass(frozen=True, slots=True)
class _PredictionFile:
    """What the file holds."""

    predicted: tuple[Prediction, ...] = ()


def load_predictions(engine: str | None, folder: Path | None = None) -> list[tuple[Prediction, CorpusCase]]:
    """The predictions of a corpus for one engine, each with its case, in the order of its file; none if it has no file.

    Raises Problem.
    """
    folder = corpus_folder() if folder is None else folder
    path = folder / FILE
    if engine is None or not path.is_file():
        return []
    file = from_toml(_PredictionFile, read_text(path), path)
    if wrong := [one.kind.value for one in file.predicted if one.kind not in _VERDICTS]:
        raise Problem(f"{path}: 'kind' is {wrong[0]!r}, not one of {', '.join(kind.value for kind in _VERDICTS)}")
    return [(one, load_case(folder / one.case)) for one in file.predicted if one.engine == engine]
