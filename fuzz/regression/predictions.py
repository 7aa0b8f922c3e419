"""corpus/predicted.toml: faults that the model of an engine predicts, and that nobody has seen in the engine itself.

[[predicted]]
engine = "webkit"                          whose rule set predicts it (docs/webkit-analysis.md)
bucket = "unsound webkit/lets-replaced"    the kind, and the departures that explain it
case = "webkit-let-evaluated-late"         the case of the corpus

A prediction is no known bucket: it changes no exit status and hides nothing.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from wgsl_fuzz.fuzz.files import read_text
from wgsl_fuzz.fuzz.judging.kinds import Cause, Kind
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import CorpusCase, load_case
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.verdict import Answer, Verdict

FILE = "predicted.toml"
_KEYS = ("engine", "bucket", "case")
_VERDICTS = {Kind.UNSOUND: Verdict.ACCEPTS, Kind.TOO_LENIENT: Verdict.ACCEPTS, Kind.TOO_STRICT: Verdict.REJECTS}


class Seen(Enum):
    """What an engine's answer does to a prediction; the value is what people read."""

    CONFIRMED = "predicted, confirmed"
    NOT_SEEN = "predicted, not seen"
    UNANSWERED = "predicted, not answered"
    """The engine refuses the shader for another reason, or says nothing of it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One predicted fault."""

    engine: str
    kind: Kind
    cause: Cause
    case: CorpusCase

    def seen_in(self, answer: Answer) -> Seen:
        """What an answer of the engine to the case's shader says of it."""
        if answer.verdict is _VERDICTS[self.kind]:
            return Seen.CONFIRMED
        return Seen.NOT_SEEN if answer.verdict in (Verdict.ACCEPTS, Verdict.REJECTS) else Seen.UNANSWERED


def load_predictions(engine: str | None, folder: Path | None = None) -> list[Prediction]:
    """The predictions of a corpus for one engine, in the order of its file; none if it has no file. Raises Problem."""
    folder = corpus_folder() if folder is None else folder
    path = folder / FILE
    if engine is None or not path.is_file():
        return []
    try:
        tables = tomllib.loads(read_text(path)).get("predicted", [])
    except tomllib.TOMLDecodeError as error:
        raise Problem(f"{path} is not TOML: {error}") from error
    entries = [
        _entry(table, f"{path}: entry {n}")
        for n, table in enumerate(tables if isinstance(tables, list) else [tables], 1)
    ]
    return [
        Prediction(entry["engine"], *_bucket(entry["bucket"], str(path)), load_case(folder / entry["case"]))
        for entry in entries
        if entry["engine"] == engine
    ]


def _entry(table: object, where: str) -> Mapping[str, str]:
    if not isinstance(table, dict) or table.keys() != set(_KEYS) or not all(isinstance(v, str) for v in table.values()):
        raise Problem(f"{where}: it has {', '.join(_KEYS)}, each a text")
    return table


def _bucket(bucket: str, where: str) -> tuple[Kind, Cause]:
    word, _, cause = bucket.partition(" ")
    kinds = {kind.value: kind for kind in _VERDICTS}
    if word not in kinds or not cause:
        raise Problem(f"{where}: {bucket!r} is no bucket without a target: a kind ({', '.join(kinds)}) and a cause")
    return kinds[word], Cause.parse(cause)
