"""The corpus in a compiler's own CI: `pytest --wgsl-target tint:/path/to/tint corpus/`.

Each folder with a case.json is a test per target. What is as recorded passes, also where the record is that the target
disagrees with the reference; CHANGED and NEW (see `fuzz.regression.replay`) fail. Without the option nothing is
collected and nothing of the fuzzer is imported.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from wgsl_fuzz.fuzz.regression.corpus import CorpusCase
    from wgsl_fuzz.fuzz.regression.replay import CaseResult

_WORD = "wgsl-fuzz"
"""Under this name the word for an answer is a property of the test, in JUnit XML too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("wgsl-fuzz", "regression corpus of wgsl-fuzz")
    group.addoption(
        "--wgsl-target",
        action="append",
        default=[],
        metavar="NAME",
        help="replay each corpus case (a folder with case.json) against this target, such as tint:/path; repeats",
    )
    group.addoption(
        "--wgsl-like", metavar="NAME", help="where a target has no record, compare with that of this one (tint@0.6.2)"
    )
    group.addoption(
        "--wgsl-strict", action="store_true", help="FIXED fails, too, until it is recorded; also by xfail_strict"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A case's record stands for the case."""
    if file_path.name != "case.json" or not parent.config.getoption("wgsl_target"):
        return None
    collector: pytest.Collector = CaseFile.from_parent(parent, path=file_path)
    return collector


class CaseFile(pytest.File):
    """A corpus case."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test per target; a case that is not as it should be is an error of one line a fault."""
        from wgsl_fuzz.fuzz.problems import Problem
        from wgsl_fuzz.fuzz.regression.corpus import load_case

        try:
            case = load_case(self.path.parent)
        except Problem as problem:
            raise self.CollectError(problem.message) from None
        for name in dict.fromkeys(self.config.getoption("wgsl_target")):
            yield CaseItem.from_parent(self, name=name, case=case)


class CaseItem(pytest.Item):
    """A case against one target."""

    def __init__(self, *, case: "CorpusCase", **more: Any) -> None:
        super().__init__(**more)
        self.case = case

    def runtest(self) -> None:
        """Fails with what there is to say if the answer is not as recorded."""
        from wgsl_fuzz.fuzz.regression.junit import account_lines, sentence

        result = self.config.stash[_RESULTS][self.case.folder, self.name]
        if isinstance(result, str):
            pytest.fail(result, pytrace=False)
        self.user_properties.append((_WORD, sentence(result)))
        if result.fails:  # what it says is shown, not where in this plugin it was noticed
            pytest.fail("\n".join(account_lines(result)), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The shader and the target, for the heading of a failure."""
        return self.case.folder / "shader.wgsl", None, f"{self.case.name} [{self.name}]"


_Results = dict[tuple[Path, str], "CaseResult | str"]
"""By the case's folder and the target's spec: its answer, or why the case cannot be judged."""
_RESULTS = pytest.StashKey[_Results]()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Asks the targets that the tests to come need; one that cannot be used ends the session with one line."""
    items = [item for item in session.items if isinstance(item, CaseItem)]
    if not items or session.config.getoption("collectonly"):
        return
    cases = {item.case.folder: item.case for item in items}
    # as of tests that are expected to fail: one that passes is to be looked at
    strict = bool(session.config.getoption("wgsl_strict") or session.config.getini("xfail_strict"))
    names, like = dict.fromkeys(item.name for item in items), session.config.getoption("wgsl_like")
    session.config.stash[_RESULTS] = replayed([*cases.values()], [*names], like, strict=strict)


def replayed(cases: "Sequence[CorpusCase]", names: Sequence[str], like: str | None, *, strict: bool) -> _Results:
    """What targets say of all cases; each is asked in one batch. Ends pytest if one cannot be used."""
    from wgsl_fuzz.fuzz.judging.answers import distinct, opened
    from wgsl_fuzz.fuzz.problems import Problem
    from wgsl_fuzz.fuzz.regression.replay import check_like, replay
    from wgsl_fuzz.oracle.targets.protocol import TargetError

    try:
        check_like(like, cases)
        with opened(names, lambda _: None) as by_spec:
            try:
                done = replay(cases, distinct(by_spec), like)
            except TargetError as error:  # no test would be answered
                pytest.exit(str(error), returncode=2)
    except Problem as problem:
        raise pytest.UsageError(problem.message) from None
    unreadable = zip(done.unreadable, done.unreadable_lines, strict=True)
    found: _Results = {(path.parent, spec): line for (path, line), spec in product(unreadable, by_spec)}
    for result, (spec, target) in product(done.results, by_spec.items()):
        if result.oracle == target.name:
            found[result.case.folder, spec] = replace(result, strict=strict)
    return found


def pytest_report_teststatus(report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, str] | None:
    """In `-v` the word instead of PASSED."""
    if not isinstance(report, pytest.TestReport) or report.when != "call" or not report.passed:
        return None
    said = _said(report)
    return None if said is None else ("passed", ".", said)


def _said(report: pytest.TestReport) -> str | None:
    return next((str(value) for name, value in report.user_properties if name == _WORD), None)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One line: how many of each word."""
    reports: Iterable[pytest.TestReport] = [
        *terminalreporter.stats.get("passed", ()),
        *terminalreporter.stats.get("failed", ()),
    ]
    said = [word for report in reports if isinstance(report, pytest.TestReport) and (word := _said(report))]
    if said:
        words = [word.partition(":")[0] for word in said]
        counts = ", ".join(f"{words.count(word)} {word}" for word in ("STILL", "FIXED", "CHANGED", "NEW"))
        terminalreporter.write_line(f"wgsl-fuzz corpus: {counts}")
