"""The documents and the code cite each other: what they name is there, and what programs write is described."""

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from tests.fuzz.conftest import ask_few_questions
from tests.fuzz.fakes import FakeTarget
from tools import imports
from wgsl_fuzz.fuzz.campaign.campaign import Budget, Campaign
from wgsl_fuzz.fuzz.cases.course import ShaderSequence
from wgsl_fuzz.fuzz.cases.plan import Plan
from wgsl_fuzz.fuzz.cli.main import COMMANDS
from wgsl_fuzz.fuzz.findings.directory import RunDirectory
from wgsl_fuzz.fuzz.findings.loading import load_run
from wgsl_fuzz.fuzz.findings.records import FindingRecord, HistoryRecord, RunRecord, ShaderOrigin
from wgsl_fuzz.fuzz.findings.schema import fields_of, key_of
from wgsl_fuzz.fuzz.findings.state import RunState
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.regression import run_replay
from wgsl_fuzz.fuzz.triage.merging import merge
from wgsl_fuzz.oracle.rules.uniformity.revisions import WGSL_RULE_SETS
from wgsl_fuzz.oracle.verdict import Outcome, Verdict
from wgsl_fuzz.strategies.enumerate.families import FAMILIES

ROOT = Path(__file__).resolve().parent.parent
CODE = ("tinywgsl", "wgsl", "oracle", "strategies", "fuzz", "tests", "benchmarks", "tools")
FOLDERS = (*CODE, "corpus", "docs", ".github", ".ci")
PAGES = [ROOT / "README.md", ROOT / "corpus/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = [path for name in CODE for path in sorted((ROOT / name).rglob("*.py")) if path != Path(__file__)]

_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_QUOTED = re.compile(r"`([^`\n]+)`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.M)
_PATH = re.compile(rf"(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./@-]*|[\w.-]+\.(?:toml|md)")
_CITED = re.compile(
    r"(?<![\w/.])(?:tinywgsl|wgsl|oracle|strategies|fuzz|docs|benchmarks|tools)/[\w/]+\.(?:py|md)\b|\bcorpus/README\.md"
)
_PLACE = re.compile(r"(docs/[\w/-]+\.md), (?:note (\d+)|\"([^\"]+)\")")
_MODULE = re.compile(rf"`((?:{'|'.join(CODE)})(?:\.\w+)+)`")
_ELSEWHERE = re.compile(r"\b[A-Z]+(?:-[A-Z]+)+ \d+|\b[A-Z]{5,}, section|\b(?!README\b)[A-Z-]{4,}\.md\b")
"""How documents that are not in the repository would be cited: `NAME-IN-CAPITALS 3`, `NAME, section 3`, `NAME.md`."""


def _named(page: Path) -> Iterator[str]:
    """The paths of the repository that a page names in backticks or as a tree."""
    text = page.read_text(encoding="utf-8")
    yield from (name for name in _QUOTED.findall(_FENCED.sub("", text)) if _PATH.fullmatch(name))
    for block in _FENCED.findall(text):
        yield from _tree(block.splitlines()[1:-1])


def _tree(lines: list[str]) -> Iterator[str]:
    """The paths of a drawn tree of packages; of any other block none."""
    if not lines or not re.match(r"(?:tinywgsl|oracle|fuzz)/ ", lines[0]):
        return
    parent = ""
    for line in lines:
        name = line.split()[0]
        if not line.startswith(" "):
            parent = name
        if line.startswith("      "):
            continue  # a line that goes on
        yield name if not line.startswith(" ") else parent + name


def _there(name: str, page: Path) -> bool:
    return any((folder / name).exists() for folder in (ROOT, page.parent, ROOT / "corpus"))


@cache
def _headings(page: Path) -> tuple[str, ...]:
    return tuple(_HEADING.findall(_FENCED.sub("", page.read_text(encoding="utf-8"))))


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _ids(paths: list[Path]) -> list[str]:
    return [path.relative_to(ROOT).as_posix() for path in paths]


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_every_path_that_a_page_names_is_there(page: Path) -> None:
    known = {"known.toml", "reduced.wgsl", "wgsl-fuzz.toml", "my.toml", "FILE.toml"}  # files of runs and of users
    assert [name for name in _named(page) if name not in known and not _there(name, page)] == []


@pytest.mark.parametrize("page", PAGES, ids=_ids(PAGES))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        there = page.parent / path if path else page
        assert there.exists(), link
        assert not anchor or anchor in map(_anchor, _headings(there)), link


def test_every_page_can_be_reached_from_the_readme() -> None:
    seen, left = set[Path](), [ROOT / "README.md"]
    while left:
        page = left.pop()
        seen.add(page)
        links = (page.parent / link.partition("#")[0] for link in _LINK.findall(page.read_text(encoding="utf-8")))
        left += {path.resolve() for path in links if path.suffix == ".md"} - seen
    assert set(PAGES) <= seen


def test_code_cites_only_what_is_in_the_repository() -> None:
    wrong = []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        wrong += [f"{path.name}: {name}" for name in _CITED.findall(text) if not (ROOT / name).exists()]
        wrong += [f"{path.name}: {name}" for name in _ELSEWHERE.findall(text)]
        for page, note, heading in _PLACE.findall(text):
            headings = _headings(ROOT / page)
            if not any(h.startswith(f"{note}. ") if note else h == heading for h in headings):
                wrong.append(f"{path.name}: {page}, {note or heading}")
    assert wrong == []


def test_code_names_modules_that_are_there() -> None:
    names = {(path.name, name) for path in SOURCES for name in _MODULE.findall(path.read_text(encoding="utf-8"))}
    assert sorted(pair for pair in names if not _resolves(pair[1])) == []


def _resolves(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    module, _, attribute = name.rpartition(".")
    inside = "" if name.partition(".")[0] in ("tests", "benchmarks") else "wgsl_fuzz."
    try:
        return find_spec(inside + name) is not None or hasattr(import_module(inside + module), attribute)
    except ModuleNotFoundError:  # of a name in a class
        return _resolves(module) and "." in module


# --------------------------------------------------------------------------------------- what programs write and say


def _rows(page: str) -> set[str]:
    """What stands in backticks in the first cells of a page's tables."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    cells = (line.split("|")[1] for line in text.splitlines() if line.startswith("|"))
    return {name for cell in cells for name in _QUOTED.findall(cell)}


def test_every_word_for_an_answer_or_a_finding_is_explained() -> None:
    assert {word.value for kind in (Verdict, Outcome, Kind) for word in kind} <= _rows("words.md")


def test_every_command_is_in_the_contract() -> None:
    called = {call.removeprefix("wgsl-fuzz ").split()[0] for call in _rows("commands.md")}
    assert COMMANDS.keys() <= called


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A campaign and an enumeration against a target with faults, and the history of both."""
    folder = tmp_path_factory.mktemp("runs")
    rules = WGSL_RULE_SETS["wgsl-tint-0.3.8"]
    with pytest.MonkeyPatch.context() as patch:
        ask_few_questions(patch)
        work = Campaign([FakeTarget(rules)], RunDirectory(folder / "a"), plan=Plan(2))
        work.run(Budget(programs=256))
    course = ShaderSequence([FAMILIES["single-loop"]], 2)
    work = Campaign([FakeTarget(rules)], RunDirectory(folder / "b"), plan=course.plan())
    work.run(Budget(programs=course.count))
    merge([folder / "a", folder / "b"], folder / "history")
    texts = list(run_replay.texts_of(load_run(folder / "a")))[:2]
    target = FakeTarget()
    run_replay.note(load_run(folder / "history"), texts, run_replay.replay_run(texts, [target]), [target])
    return [folder / "a", folder / "b", folder / "history"]


def test_every_key_that_the_page_of_files_names_is_a_field() -> None:
    told = re.findall(r"^\| (`[^|]*`) \|", (ROOT / "docs/files.md").read_text(encoding="utf-8"), re.M)
    classes = (FindingRecord, ShaderOrigin, RunRecord, HistoryRecord)
    fields = {key_of(f) for cls in classes for f in fields_of(cls)} | {*FindingRecord.COMPUTED}
    keys = {key for cell in told for key in _QUOTED.findall(cell)}
    assert keys
    assert keys <= fields


def test_every_file_of_a_run_is_described(runs: list[Path]) -> None:
    text = (ROOT / "docs/files.md").read_text(encoding="utf-8")
    for run in runs:
        assert {path.name for path in run.rglob("*") if path.is_file()} <= set(re.findall(r"[\w.]+\.\w+", text))


def test_every_table_of_a_state_is_described(runs: list[Path]) -> None:
    page = (ROOT / "docs/files.md").read_text(encoding="utf-8").partition("## run.sqlite")[2].partition("\n## ")[0]
    described = set(_QUOTED.findall(page))
    for run in runs:
        state = RunState(run, reading=True)
        tables = {name for (name,) in state.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables
        assert tables <= described
        state.close()


PRINTING = {
    "generate": "generate -n 2",
    "mutate": "mutate {case} -n 2",
    "check --format json": "check {case} --oracle rules:wgsl-tint-0.3.8 --oracle semantics --format json",
    "enumerate --format jsonl": "enumerate --family main --programs 1 --format jsonl",
    "diff --format json": "diff paper without-10a --programs 1 --max-statements 1 --format json",
    "coverage --format json": "coverage -n 2 --format json",
    "replay --format json": "replay {case} --target rules:wgsl-2023-01-28 --format json",
    "conformance --format json": "conformance --target rules:wgsl-2023-01-28 --format json",
    "targets rules --format json": "targets rules --format json",
    "triage --format json": "triage {run} --format json",
    "status --format json": "status {run} --format json",
    "triage --format json` of a history": "triage {history} --format json",
    "triage --since EARLIER --format json": "triage {enumeration} --since {run} --format json",
    "replay RUN --format json": "replay {run} --target rules:paper --format json",
}
"""A command line for each command that prints JSON, by its row in the contract."""
BESIDE = re.compile("` of| --since| RUN")
"""Of rows that name what more is printed than by the row that they call the same."""
VALUES = frozenset({"new", "known", "dropped", "stats.jsonl", "compilers", "the rest"})
"""What the contract has in backticks and is no key."""
OPTIONAL = frozenset({"message", "errors", "blamed", "not run"})
"""Keys that these command lines have no occasion to print."""


@pytest.mark.parametrize("row", PRINTING)
def test_the_contract_names_the_keys_of_printed_json(row: str, runs: list[Path]) -> None:
    case = ROOT / "corpus/fig-10c"
    given = dict(zip(("{run}", "{enumeration}", "{history}"), map(str, runs)))
    given["{case}"] = str(case if "replay" in row else case / "shader.wgsl")
    result = wgsl_fuzz(*[given.get(word, word) for word in PRINTING[row].split()])
    assert result.exit_code in (0, 1), result.output
    one = row.startswith(("triage", "status", "replay RUN"))
    printed = [orjson.loads(text) for text in ([result.stdout] if one else result.stdout.splitlines())]
    keys = {key for record in printed for key in _nested(record)}
    assert keys
    rows = [row, f"{row.split()[0]} --format json"] if BESIDE.search(row) else [row]
    page = (ROOT / "docs/commands.md").read_text(encoding="utf-8").partition("| prints |")[2].splitlines()
    heads = [f"| `{name}" if "`" in name else f"| `{name}`" for name in rows]
    lines = [next(line for line in page if line.startswith(head)) for head in heads]
    described = {name for line in lines for name in _QUOTED.findall(line.split("|")[2])}
    assert keys <= described if len(rows) > 1 else keys == described - VALUES - OPTIONAL


def _nested(record: dict[str, Any]) -> Iterator[str]:
    """The keys of a record and of the records that it lists."""
    for key, value in record.items():
        yield key
        for inner in value if isinstance(value, list) else ():
            yield from _nested(inner) if isinstance(inner, dict) else ()


def test_the_picture_is_of_its_source() -> None:
    source = (ROOT / "docs/campaign.dot").read_text(encoding="utf-8")
    labels = {line.strip() for label in re.findall(r'label="([^"]*)"', source) for line in label.split(r"\n")}
    picture = (ROOT / "docs/campaign.svg").read_text(encoding="utf-8")
    drawn = {unescape(line).strip() for line in re.findall(r"<text[^>]*>([^<]*)</text>", picture)}
    assert labels == drawn


def test_the_picture_of_imports_is_current() -> None:
    """`python -m tools.regenerate --only imports` draws it again."""
    assert (ROOT / "docs/imports.dot").read_text(encoding="utf-8") == imports.dot()
    drawn = unescape((ROOT / "docs/imports.svg").read_text(encoding="utf-8"))
    assert set(re.findall(r"<title>(\S+)->(\S+)</title>", drawn)) == imports.reduced(imports.edges())
