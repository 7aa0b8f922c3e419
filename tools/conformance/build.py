"""Makes the rows of `wgsl-fuzz conformance` anew: `python -m tools.conformance.build LEVEL`.

It takes minutes, and writes `corpus/conformance/LEVEL.toml`: data of the project, so look at what changed before you
commit it. Rows that still hold are kept; `--anew` looks for all of them. Their shaders are ones that the current Tint
takes for WGSL, if the shader they come from is.
"""

import argparse
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tools.conformance.answers import computed, exact
from tools.conformance.search import Search, table
from tools.conformance.written import written, written_confusion
from wgsl_fuzz.fuzz.conformance.confusion import Confusion, confusion_path
from wgsl_fuzz.fuzz.conformance.rows import Level, Row, Rows, conformance_folder, load
from wgsl_fuzz.fuzz.regression.corpus import load_cases
from wgsl_fuzz.oracle.rules.rule_set import Variant
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target
from wgsl_fuzz.oracle.verdict import Verdict

_QUALITY = Path(__file__).parents[2] / "tests" / "quality"
_EVERY = 40
"""After so many rows the file is written: the search takes long."""


def searched(level: Level, anew: bool) -> Rows:
    """The rows of a level, written from time to time."""
    known: Sequence[Row] = () if anew or not _file(level).exists() else load(level).rows
    target = open_target("tint", notify=print, timeout=10.0)
    found: list[tuple[Variant, Row | None]] = []
    for one in _told(Search(level, _witnesses(level), lambda texts: _valid(target, texts), known).rows()):
        found.append(one)
        if len(found) % _EVERY == 0:
            _file(level).write_text(written(table(level, found)), encoding="utf-8")
    target.close()
    return table(level, found)


def _witnesses(level: Level) -> Mapping[str, str]:
    """By variant a pair that shows it; of TinyWGSL texts, first those that show variants."""
    if level is not Level.CORE:
        return tomllib.loads((_QUALITY / "module_witnesses.toml").read_text(encoding="utf-8"))
    texts = [path.read_text(encoding="utf-8") for path in sorted((_QUALITY / "witnesses").glob("*.wgsl"))]
    killing = {name: text for text in texts for name in re.findall(r"^// kills: (.*)$", text, re.MULTILINE)}
    return killing | {case.name: case.text for case in load_cases()}


def _told(rows: Iterator[tuple[Variant, Row | None]]) -> Iterator[tuple[Variant, Row | None]]:
    for n, (variant, row) in enumerate(rows, 1):
        print(n, variant.name, "none" if row is None else f"{row.length[0]} lines", flush=True)
        yield variant, row


def _valid(target: Target, texts: Sequence[str]) -> list[bool]:
    target.submit(texts)
    return [answer.verdict in (Verdict.ACCEPTS, Verdict.REJECTS) for answer in target.collect()]


def _file(level: Level) -> Path:
    return conformance_folder() / f"{level.value}.toml"


def main() -> None:
    """Searches, writes, and says how many rows there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("level", choices=[level.value for level in Level])
    parser.add_argument("--anew", action="store_true", help="keep no row as it is")
    parser.add_argument("--confusion", action="store_true", help="keep all rows; make the confusion table anew")
    arguments = parser.parse_args()
    level = Level(arguments.level)
    conformance_folder().mkdir(exist_ok=True)
    rows = load(level) if arguments.confusion else searched(level, arguments.anew)
    confusion = computed(rows)
    _file(level).write_text(written(rows), encoding="utf-8")
    confusion_path(level).write_text(written_confusion(confusion), encoding="utf-8")
    print(f"{len(rows.rows)} rows, {len(rows.without)} branches without one")
    print(Counter(tuple(row.alone) for row in rows.rows))
    print("\n".join(summary(confusion)))


def summary(confusion: Confusion) -> Iterator[str]:
    """How well rows name their causes."""
    red = sorted(len(confusion.rows_of(name)) for name in confusion.wrong)
    yield f"{len(exact(confusion))} of {len(red)} branches fail no row but their own"
    yield f"rows that a branch fails: median {red[len(red) // 2]}, mean {sum(red) / len(red):.1f}, most {red[-1]}"


if __name__ == "__main__":
    main()
