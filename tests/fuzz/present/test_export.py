"""What is exported expects what the reference says, and has the shader letter by letter."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.judging.test_buckets import BOTH_BREAK, IN_CALL, IN_IF
from tests.fuzz.runs import DIVERGING, TEN_A, MadeUp, MadeUpRun, store, strict
from tests.quality.paper_mutants import deciding
from tests.wgsl.reading import parse
from wgsl_fuzz.fuzz.cases.case import NO_REFERENCE, read_module
from wgsl_fuzz.fuzz.judging.departures import variants_of
from wgsl_fuzz.fuzz.judging.judge import cause_of
from wgsl_fuzz.fuzz.judging.kinds import COUNTEREXAMPLE, Kind
from wgsl_fuzz.fuzz.output import fenced
from wgsl_fuzz.fuzz.present.export import FORMS, camel, export, exported, slug
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import load_case
from wgsl_fuzz.fuzz.triage.triage import Bucket, bucketed
from wgsl_fuzz.oracle.rules.analyses import SECTION_4_2
from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.in_words import predicate
from wgsl_fuzz.oracle.rules.uniformity.revisions import SECTION_15_2
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.strategies import SMALL_TINY, draw_shader
from wgsl_fuzz.wgsl.lower.raising import print_shader

SHADER = {
    "markdown": re.compile(r"```wgsl\n(.*?)\n```", re.DOTALL),
    "cts": re.compile(r"const code = `\n(.*?)\n`;", re.DOTALL),
    "tint": re.compile(r'R"\(\n(.*?)\n\)"', re.DOTALL),
}
EXPECTED = {
    "markdown": re.compile(r"^Expected: (accepted|rejected)", re.MULTILINE),
    "cts": re.compile(r"expectCompileResult\((true|false), code\)"),
    "tint": re.compile(r"RunTest\(src, (true|false)\)"),
}
TEXTS = tuple(SHADER)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("exports")


def bucket_of(folder: Path, found: MadeUp) -> Bucket:
    (bucket,) = bucketed(store(folder / str(len(list(folder.iterdir()))), [found]))
    return bucket


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.sampled_from(TEXTS))
def test_the_reference_is_what_is_expected_and_names_of_tests_are_names(folder: Path, seed: int, form: str) -> None:
    shader = draw_shader(seed, SMALL_TINY)
    bucket = bucket_of(folder, MadeUp(print_shader(shader)))
    said = export(bucket, form)
    accepts = analyse(shader).verdict is Verdict.ACCEPTS
    assert EXPECTED[form].findall(said) == [
        ("accepted" if accepts else "rejected", "true" if accepts else "false")[form != "markdown"]
    ]
    assert parse(SHADER[form].findall(said)[0]) == shader
    assert re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", slug(bucket, "_"))
    assert re.fullmatch(r"[A-Za-z0-9_]+", camel(bucket))
    assert "fake" not in slug(bucket, "_")


@given(st.text("`~x\n"), st.sampled_from(["", "wgsl"]))
def test_no_text_ends_its_block_of_markdown(text: str, language: str) -> None:
    opens, *inside, closes = fenced(text, language).split("\n")
    assert "\n".join(inside) == text.rstrip()
    assert (opens, closes.strip("`")) == (closes + language, "")
    assert len(closes) > max(2, *(len(run) for run in re.findall("`*", text)), 0)


def test_an_issue_mentions_nobody_and_has_no_html(folder: Path) -> None:
    wgsl = DIVERGING + "// ```\n// ````\n"
    hostile = "@everyone </textarea><b> tint@0.6.2"
    found = MadeUp(wgsl, "tint@0.3.8", Kind.CRASH, hostile, more={"message": f"```\n{hostile}\n"})
    said = export(bucket_of(folder, found), "markdown")
    assert f"`````wgsl\n{wgsl.rstrip()}\n`````\n" in said
    assert "\n````\n```\n@everyone" in said
    title = said.splitlines()[0]
    assert not re.search(r"\s@\w|<\w|</", title)
    assert title.replace("\u2060", "").endswith(f"({hostile})")


def test_names_are_of_the_bucket(folder: Path) -> None:
    bucket = bucket_of(folder, MadeUp(BOTH_BREAK, more={"branches": ["loop/line-10/never"]}))
    assert re.fullmatch("too-strict-loop-line-10-never-[0-9a-f]{4}", slug(bucket, "-"))
    assert re.fullmatch("TooStrict_LoopLine10Never_[0-9A-Fa-f]{4}", camel(bucket))
    assert (slug(bucket, "_", "a-loop"), camel(bucket, "a-loop")) == ("a_loop", "ALoop")
    bucket = of_corpus(folder, "tint-return-ends-the-body", "tint@0.6.2")
    assert re.fullmatch("too-strict-tint-joins-at-empty-continuing-[0-9a-f]{4}", slug(bucket, "-"))
    assert re.fullmatch("TooStrict_TintJoinsAtEmptyContinuing_[0-9A-Fa-f]{4}", camel(bucket))


SPELLED = "accepts as drawn, rejects as printed"
ALIKE = (
    MadeUp(IN_IF, "tint@0.3.8", Kind.UNSTABLE, SPELLED, files={"related.wgsl": IN_IF}),
    MadeUp(IN_IF, "tint@0.6.2", Kind.UNSTABLE, SPELLED, files={"related.wgsl": IN_IF}),
    MadeUp(IN_IF, "tint@0.3.8", Kind.UNSOUND, SPELLED, files={"related.wgsl": IN_IF}),
    MadeUp(IN_CALL, "tint@0.3.8", Kind.UNSOUND, SPELLED, files={"related.wgsl": IN_CALL}),
    MadeUp(IN_IF, kind=Kind.CRASH, cause=f"panicked {'here and ' * 20}one"),
    MadeUp(IN_IF, kind=Kind.CRASH, cause=f"panicked {'here and ' * 20}two"),
    MadeUp(IN_IF, kind=Kind.CRASH, cause="{ ; }"),
    MadeUp(IN_IF, "tint@0.3.8", more={"branches": ["10c"]}),
    MadeUp(IN_IF, "tint@0.6.2", more={"branches": ["10c"]}),
)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(ALIKE), min_size=2, max_size=9))
def test_no_two_buckets_have_one_name_and_the_same_have_the_same(folder: Path, found: list[MadeUp]) -> None:
    run, again = (store(folder / str(len(list(folder.iterdir()))), made) for made in (found, found[::-1]))
    buckets = bucketed(run)
    for name in (lambda b: slug(b, "-"), camel):
        names = {bucket.name: name(bucket) for bucket in buckets}
        assert len({n.lower() for n in names.values()}) == len(buckets)
        assert names == {bucket.name: name(bucket) for bucket in bucketed(again)}
    assert all(len(slug(bucket, "-")) <= 100 for bucket in buckets)


@pytest.mark.parametrize("form", TEXTS)
def test_a_finding_against_the_reference_says_so(folder: Path, form: str) -> None:
    said = export(bucket_of(folder, MadeUp(BOTH_BREAK, SECTION_15_2, Kind.UNSOUND, COUNTEREXAMPLE)), form)
    assert "The rules themselves are wrong" in said
    assert EXPECTED[form].findall(said) in (["accepted"], ["true"])


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("kind", [Kind.UNSTABLE, Kind.METAMORPHIC])
def test_of_two_texts_each_expects_its_own_verdict(folder: Path, form: str, kind: Kind) -> None:
    more = {"verdicts": {"wgsl": "rejects", "fake": "accepts"}, "related verdicts": {"fake": "rejects"}}
    found = MadeUp(IN_IF, kind=kind, cause="some relation", more=more, files={"related.wgsl": BOTH_BREAK})
    said = export(bucket_of(folder, found), form)
    one, other = (
        ("this spelling", "the plain spelling") if kind is Kind.UNSTABLE else ("the first shader", "the second shader")
    )
    assert SHADER[form].findall(said) == [IN_IF.strip(), BOTH_BREAK.strip()]
    if form == "markdown":
        assert f"Expected: {one} rejected for a uniformity violation, {other} accepted." in said
        assert f"| | {one} | {other} | version |\n| --- | --- | --- | --- |\n| wgsl | rejects | accepts |" in said
        assert "| fake | accepts | rejects | made up |" in said
        assert "wgsl-fuzz check shader_one.wgsl shader_other.wgsl" in said
    else:
        assert EXPECTED[form].findall(said) == ["false", "true"]
        assert len(set(re.findall(r"g\.test\('(.*)'\)|TEST_F\(UniformityAnalysisTest, (.*)\)", said))) == 2


def test_an_issue_has_all_that_its_reader_needs(folder: Path) -> None:
    more = {
        "branches": deciding(parse(IN_IF))[:1],
        "message": "error: it is so",
        "verdicts": {"wgsl": "rejects", "semantics": "diverges", "fake": "accepts"},
        "nearest": {"differs": ["with `true`"]},
        "draw again": "wgsl-fuzz generate -n 1",
        "version": "1.2.3",
    }
    nearest = IN_IF.replace("lid == 0u", "true")
    found = MadeUp(IN_IF, kind=Kind.UNSOUND, more=more, files={"nearest.wgsl": nearest})
    said = export(bucket_of(folder, found), "markdown")
    for part in (
        "# fake accepts a shader whose threads can end up at different barriers",
        "| fake | accepts | made up |",
        "- fake: accepts; the reference (wgsl): rejects.\n- Why the reference rejects it:\n",
        "they part at line 3",
        nearest.strip(),
        "- with `true`",
        "error: it is so",
        "wgsl-fuzz check shader.wgsl --oracle wgsl --oracle semantics --oracle fake",
        "wgsl-fuzz generate -n 1",
        "wgsl-fuzz 1.2.3",
        "https://www.w3.org/TR/WGSL/#",
    ):
        assert part in said
    assert str(folder) not in said
    assert "\n\n\n" not in said


HOME = "/home/ada/my work"
PATHS = (f"{HOME}/out/tint", f"{HOME}/corpus/deep/shader.wgsl", "/tmp/xyz/dump.txt", "C:\\Users\\ada\\tint.exe")


@pytest.mark.parametrize("form", FORMS)
def test_no_export_names_a_folder_of_this_machine(folder: Path, tmp_path: Path, form: str) -> None:
    target = f"tint:{PATHS[0]}"
    more = {
        "file": PATHS[1],
        "seed": None,
        "index": None,
        "targets": {target: f"command {PATHS[0]} (sha256 12ab)"},
        "message": f"at {PATHS[2]}:3: see https://crbug.com/tint/1 and {PATHS[3]}, tint/last-pointer-counts",
        "verdicts": {"wgsl": "rejects", "semantics": "diverges", target: "accepts"},
    }
    bucket = bucket_of(folder, MadeUp(IN_IF, target, Kind.UNSOUND, more=more))
    if form == "corpus":
        case = load_case(exported(bucket, "corpus", tmp_path))
        said = case.origin + case.why
    else:
        said = export(bucket, form)
    assert not re.search("ada|xyz|my work", said)
    assert "tint:tint accepts the shader" in said
    if form == "markdown":
        for part in (
            "| tint:tint | accepts | command tint (sha256 12ab) |",
            "- reduced from deep/shader.wgsl",
            "at dump.txt:3: see https://crbug.com/tint/1 and tint.exe, tint/last-pointer-counts",
            "wgsl-fuzz check shader.wgsl --oracle wgsl --oracle semantics --oracle 'tint:tint'",
        ):
            assert part in said


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("fake@mine=rules:mine.py", "fake@mine=rules:mine.py"),
        (f"fake@mine=tint:{PATHS[0]}", "'fake@mine=tint:tint'"),
        (f"fake@mine={HOME}/fake.toml", "'fake@mine=fake.toml'"),
    ],
)
def test_an_issue_says_what_opens_a_target_of_a_name(tmp_path: Path, spec: str, shown: str) -> None:
    run = MadeUpRun(tmp_path, specs={"fake@mine": spec})
    run.found(strict(target="fake@mine"), reduced=IN_IF)
    (bucket,) = bucketed(run.stored())
    assert f" --oracle semantics --oracle {shown}\n" in export(bucket, "markdown")


@pytest.mark.parametrize("reference", [SECTION_4_2, SECTION_15_2, NO_REFERENCE])
def test_an_issue_asks_the_oracles_that_judged(folder: Path, reference: str) -> None:
    more = {"reference": reference, "targets": {"fake": "made up", "other": "made up"}}
    said = export(bucket_of(folder, MadeUp(IN_IF, more=more)), "markdown")
    asked = {NO_REFERENCE: ["fake", "other"]}.get(reference, [reference, "semantics", "fake"])
    assert re.findall("^wgsl-fuzz check (.*)$", said, re.MULTILINE) == [
        "shader.wgsl " + " ".join(f"--oracle {name}" for name in asked)
    ]
    assert re.search(r"^The rules?: \[WGSL, .*\]\(https://www.w3.org/TR/WGSL/#", said, re.MULTILINE)


@pytest.mark.parametrize("form", TEXTS)
def test_what_ends_a_literal_is_escaped_or_not_there(folder: Path, form: str) -> None:
    said = export(bucket_of(folder, MadeUp(IN_CALL, kind=Kind.CRASH, cause="at `x` ${y} */ \\")), form)
    assert SHADER[form].findall(said)[0] == IN_CALL.strip()
    if form == "cts":
        assert len(re.findall(r"(?<!\\)`", said)) == 4


def test_what_was_only_counted_cannot_be_exported(tmp_path: Path) -> None:
    (bucket,) = bucketed(store(tmp_path / "run", [], {"fake crash x": 3}))
    assert set(FORMS) == {*TEXTS, "corpus"}
    with pytest.raises(Problem):
        export(bucket, "markdown")


CORPUS = Path(__file__).parents[3] / "corpus"


def of_corpus(folder: Path, name: str, target: str) -> Bucket:
    text = (CORPUS / name / "shader.wgsl").read_text(encoding="utf-8")
    case = read_module(text)
    cause = cause_of(case, target, Kind.TOO_STRICT, Answer(Verdict.REJECTS))
    return bucket_of(folder, MadeUp(text, target, cause=cause))


def in_words(said: str) -> str:
    """An export in one line, whichever its language is."""
    return " ".join(said.replace("// ", " ").replace("\\`", "`").split())


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize(
    ("case", "target", "link"),
    [
        ("tint-return-ends-the-body", "tint@0.6.2", "#func-var-value-analysis"),
        ("tint-loop-returns-in-the-body", "tint@0.6.2", ""),
        ("fig-10b", "tint@0.3.8", "<https://github.com/gpuweb/gpuweb/pull/"),
        ("fig-10c", "tint@0.3.8", "<https://github.com/gpuweb/gpuweb/pull/"),
    ],
)
def test_all_departures_of_a_cause_are_told(folder: Path, form: str, case: str, target: str, link: str) -> None:
    bucket = of_corpus(folder, case, target)
    said, departures = export(bucket, form), variants_of(bucket.key.cause.explains)
    assert len(departures) == (2 if case.startswith("tint-loop") else 1)
    assert all(it.about in in_words(said) and predicate(it.name) in in_words(said) for it in departures)
    assert "The uniformity rules accept the shader" in in_words(said)
    assert "letter" not in said
    assert EXPECTED[form].findall(said) in (["accepted"], ["true"])
    if form == "markdown":
        assert link in said
        assert f"wgsl-{target.replace('@', '-')}" not in said  # a rule set like the target explains nothing


@pytest.mark.parametrize("form", TEXTS)
def test_a_departure_is_told_by_what_it_does(folder: Path, form: str) -> None:
    more = {"branches": [TEN_A], "fit": {"asked": 32, "names": [TEN_A]}}
    found = MadeUp(DIVERGING, kind=Kind.UNSOUND, cause=TEN_A, more=more)
    said = export(bucket_of(folder, found), form)
    words = in_words(said)
    assert f"ignores the condition of a `break if` ({TEN_A})." in words
    assert variants_of([TEN_A])[0].about in words
    assert "rule for 2025" not in words
