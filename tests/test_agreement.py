"""The big checks: hundreds of shaders in CI, the full counts with `-m slow`."""

from pathlib import Path

import orjson
import pytest

from tests.wgsl.current_tint import real_target
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.known import FILE, load_known
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES
from wgsl_fuzz.oracle.verdict import Verdict

COUNTS = [500, pytest.param(2000, marks=pytest.mark.full), pytest.param(20_000, marks=pytest.mark.slow)]

CAUGHT_WITHIN = [300, pytest.param(2000, marks=pytest.mark.full), pytest.param(60_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", COUNTS)
def test_current_tint_and_the_reference_agree(tmp_path: Path, count: int) -> None:
    """Or the corpus explains the disagreement; none is INVALID."""
    with real_target("tint@0.6.2") as target:
        counters = Campaign([target], RunDirectory(tmp_path / "run"), seed=20_261_121).run(Budget(programs=count))
    assert counters.programs == count
    crashes = count > 500  # it has a known crash, which few shaders meet
    assert counters.answers["tint@0.6.2"].keys() <= {Verdict.ACCEPTS, Verdict.REJECTS, *[Verdict.CRASHED] * crashes}
    assert counters.findings.keys() <= {Kind.TOO_STRICT, Kind.TOO_LENIENT, Kind.UNSTABLE, *[Kind.CRASH] * crashes}
    known = load_known(corpus_folder() / FILE)
    assert [str(key) for key in counters.keys if known.issue_of(key) is None] == [], "explain these in corpus/"


@pytest.mark.parametrize("count", CAUGHT_WITHIN)
def test_an_old_tint_is_caught_by_itself(tmp_path: Path, count: int) -> None:
    """`tint@0.3.8` lacks the changes of Figs. 10b and 10c; nobody tells the campaign so."""
    with real_target("tint@0.3.8") as target:
        counters = Campaign([target], RunDirectory(tmp_path / "run"), seed=1).run(Budget(programs=count))
    assert {f"tint@0.3.8 too-strict {FIGURES[figure]}" for figure in ("10b", "10c")} & set(map(str, counters.keys))
    assert Kind.TOO_STRICT in counters.findings
    lenient = {str(key.cause) for key in counters.keys if key.kind is Kind.TOO_LENIENT}
    assert lenient <= {"tint/body-without-condition-under-entry"}
    assert Kind.CRASH not in counters.findings
    assert all(key.cause.drawn for key in counters.keys if key.kind is Kind.UNSOUND)  # `for (;;)`
    records = [orjson.loads(path.read_bytes()) for path in (tmp_path / "run").glob("findings/*/finding.json")]
    assert min(record["statements"].get("reduced", 99) for record in records) <= 8
