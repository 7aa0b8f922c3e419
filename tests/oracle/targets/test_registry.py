"""Specs, registration, and errors that name what is known."""

import os
import subprocess
import sys
from collections.abc import Collection, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.fuzz.cases.case import read_case
from wgsl_fuzz.oracle import targets
from wgsl_fuzz.oracle.targets import protocol as p
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.families.naga import open_naga
from wgsl_fuzz.oracle.targets.features import PROBES, used, with_features
from wgsl_fuzz.oracle.targets.probes import BROKEN, NON_UNIFORM, VALID
from wgsl_fuzz.oracle.verdict import Answer, Verdict
from wgsl_fuzz.wgsl.builtins import EXTENSIONS, FUNCTIONS, LANGUAGE_FEATURES, PROPOSED_FEATURES

NAMES = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1)
RESTS = st.text(st.characters(codec="utf-8"), min_size=1)


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(targets.protocol, "_families", dict(p._families))


@given(NAMES, RESTS)
def test_a_spec_is_split_at_its_first_separator(prefix: str, rest: str) -> None:
    version, path = p.parse(f"{prefix}@{rest}"), p.parse(f"{prefix}:{rest}")
    assert (version.prefix, version.version, version.path) == (prefix, rest, None)
    assert (path.prefix, path.version, path.path) == (prefix, None, rest)
    assert p.parse(prefix) == p.TargetRequest(prefix, prefix)


@pytest.mark.parametrize("spec", ["", "@1", ":x", "tint@", "tint:"])
def test_an_empty_part_is_no_target(spec: str) -> None:
    with pytest.raises(p.TargetError, match="not a target"):
        targets.open_target(spec)


@pytest.mark.usefixtures("adapters")
def test_a_registered_factory_answers() -> None:
    requests: list[p.TargetRequest] = []

    def factory(request: p.TargetRequest) -> p.Target:
        requests.append(request)
        return p.InProcess("agreeable", "agreeable", lambda _: Answer(Verdict.ACCEPTS))

    p.register(p.TargetFamily("agreeable", factory))
    target = targets.open_target("agreeable@7", timeout=3.0)
    target.submit(["a", "b"])
    assert target.collect() == [Answer(Verdict.ACCEPTS)] * 2
    assert (requests[0].version, requests[0].timeout) == ("7", 3.0)
    assert any(info.name == "agreeable" and info.state is p.Availability.INSTALLED for info in p.available())
    with pytest.raises(p.TargetError, match="not something to install"):
        targets.install("agreeable")


@pytest.mark.usefixtures("adapters")
def test_entry_points_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "fine": EntryPoint("fine", "wgsl_fuzz.oracle.targets.families.naga:open_naga", p.ENTRY_POINTS),
        "broken": EntryPoint("broken", "no_such_module:thing", p.ENTRY_POINTS),
    }

    def listed(group: str, name: str | None = None) -> list[EntryPoint]:
        assert group == p.ENTRY_POINTS
        return [point for point in points.values() if name in (None, point.name)]

    monkeypatch.setattr(targets.protocol, "entry_points", listed)
    assert p.family_of("fine").open is open_naga
    with pytest.raises(p.TargetError, match="cannot be loaded"):
        p.family_of("broken")
    states = {info.name: info.state for info in p.available()}
    assert (states["fine"], states["broken"]) == (p.Availability.INSTALLED, p.Availability.MISSING)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nonesuch", "known: .*naga, python, rules, saved, tint"),
        ("tint@9.9", "known: 0.6.2, .*0.3.8.*embedded"),
        ("naga@1.2", r"unknown Naga build '1\.2'; known: \d.*installed wgpu"),
    ],
)
def test_errors_name_what_is_known(spec: str, says: str) -> None:
    with pytest.raises(p.TargetError, match=says) as caught:
        targets.open_target(spec)
    assert "\n" not in str(caught.value)


def test_importing_the_package_imports_no_compiler() -> None:
    code = "import sys, wgsl_fuzz.oracle.targets\n"
    code += "print(*{'pydawn', 'wgpu', 'subprocess_tee', 'asyncio'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


UNIFORM = "@compute @workgroup_size(2) fn main() { workgroupBarrier(); }"
USERS_NAMES = st.text("abcdefgh019.-_", min_size=1, max_size=8)


@given(USERS_NAMES, st.sampled_from(["tint:out/tint", "naga:/a=b/naga", "rules:mine.py", "tint:x@y=z"]))
def test_a_name_comes_off_as_it_went_on(name: str, spec: str) -> None:
    family = spec.partition(":")[0]
    assert p.split_name(f"{family}@{name}={spec}") == (f"{family}@{name}", spec)
    assert p.split_name(spec) == (None, spec)


def test_a_named_target_answers_as_the_target_does() -> None:
    target = targets.open_target("rules@mine=rules:without-10a")
    target.submit([UNIFORM])
    assert [answer.verdict for answer in target.collect()] == [Verdict.ACCEPTS]
    assert (target.name, target.checks_uniformity) == ("rules@mine", True)
    assert p.spec_of(target) == "rules@mine=rules:without-10a"
    assert p.own_names([target]) == {"rules@mine": p.spec_of(target)}
    target.close()


@pytest.mark.skipif(os.name != "posix", reason="compiler commands need POSIX")
def test_spellings_of_a_command_are_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "own-compiler"
    compiler.write_text('#!/bin/sh\nfor last; do :; done\n! grep -q "let x: i32;\\|let ;\\|^@@" "$last"\n')
    compiler.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("wgsl_fuzz.oracle.targets.command._settled", lambda *_: "")
    names = set()
    for spec in ("tint:./own-compiler", "tint:own-compiler", f"tint:{compiler}"):
        target = targets.open_target(spec)
        names.add(target.name)
        target.close()
    assert names == {"tint:./own-compiler"}


def test_spellings_of_a_rule_file_are_one_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spelled.py").write_text('VARIANTS = ["10a"]\n')
    monkeypatch.chdir(tmp_path)
    specs = ("rules:spelled.py", "rules:./spelled.py", f"rules:{tmp_path / 'spelled.py'}")
    assert {targets.open_target(spec).name for spec in specs} == {"rules:spelled.py"}


ENGINES = {
    "tint": ("tint@0.6.2", "tint@main", "tint:out/tint", "chromium@156.0.8078.79", "chromium:out/chrome"),
    "naga": ("naga@29.0.1.1", "firefox@153.7.0esr"),
    "webkit": ("webkit:out/wgslc",),
    None: ("browser@ladybird-1.0", "rules:wgsl-tint-0.6.2", "tinted:out/tint", "tint", ""),
}
"""By compiler; `test_pages.py` has pages of browsers."""


@pytest.mark.parametrize(("target", "engine"), [(name, of) for of, names in ENGINES.items() for name in names])
def test_the_compiler_in_a_target(target: str, engine: str | None) -> None:
    assert p.engine_of(target) == engine


@pytest.mark.parametrize("browser", p.BROWSERS)
def test_a_page_is_named_as_the_browser_that_it_is_in(browser: str) -> None:
    assert p.as_local(f"browser@{browser}-156.0.1") == f"{browser}@156.0.1"
    assert p.as_local(f"{browser}@156.0.1") == f"{browser}@156.0.1"


# --------------- Language features: a probe for each, and what is written with one that a compiler lacks is unsupported


DIRECTIVES = ("enable f16;", "requires buffer_view;")
FEATURES = (*PROBES, *DIRECTIVES)
REPEATED = "var<workgroup> a: u32; var<workgroup> a: u32;\n" + VALID
"""Refused by every compiler."""


class Older(p.InProcess):
    """A compiler that lacks some features; it also refuses what it knows, if that has a comment `// no`."""

    def __init__(self, lacked: Collection[str]) -> None:
        super().__init__("older@1", "a fake", self._said)
        self.asked: list[str] = []
        self._lacked = lacked

    def submit(self, texts: Sequence[str]) -> None:
        self.asked += texts
        super().submit(texts)

    def _said(self, text: str) -> Answer:
        if used(text) & {*self._lacked} or text in (BROKEN, REPEATED) or "// no" in text:
            return Answer(Verdict.INVALID, "error: unknown")
        return Answer(read_case(text).verdict)


def with_feature(name: str) -> str:
    return PROBES.get(name, name + "\n") + VALID


@pytest.mark.parametrize("name", FEATURES)
def test_the_reference_accepts_a_probe_that_needs_the_feature(name: str) -> None:
    part = "subgroup_matrix" if "matrix" in name else getattr(FUNCTIONS.get(name), "extension", name)
    assert part in LANGUAGE_FEATURES | PROPOSED_FEATURES | EXTENSIONS | {"subgroup_matrix", *DIRECTIVES}
    case = read_case(with_feature(name))
    assert (case.problem, case.verdict) == ("", Verdict.ACCEPTS)
    assert name in used(with_feature(name))
    assert {one for one in used(with_feature(name)) if not one.startswith("enable ")} <= {name, part}
    assert used(VALID) == used(NON_UNIFORM) == used(BROKEN) == frozenset()


@given(st.sets(st.sampled_from(FEATURES)), st.lists(st.lists(st.sampled_from(FEATURES), max_size=3), max_size=4))
def test_only_what_needs_a_lacked_feature_is_unsupported(lacked: set[str], batches: list[list[str]]) -> None:
    older = Older(lacked)
    target = with_features(older)
    texts = [[VALID, BROKEN, REPEATED, *map(with_feature, names)] for names in batches]
    for batch in texts:  # all are in flight when the first is answered
        target.submit(batch)
    for names in batches:
        verdicts = [answer.verdict for answer in target.collect()]
        assert verdicts[:3] == [Verdict.ACCEPTS, Verdict.INVALID, Verdict.INVALID]
        for name, verdict in zip(names, verdicts[3:], strict=True):
            lacks = bool(used(with_feature(name)) & lacked)
            assert verdict is (Verdict.UNSUPPORTED if lacks else Verdict.ACCEPTS)
    probes = older.asked[sum(map(len, texts)) :]
    assert len(probes) == len({*probes})  # one each


def test_another_fault_in_what_is_known_stays_invalid_and_a_refusal_names_what_is_lacked() -> None:
    target = with_features(Older({"swizzle_assignment"}))
    target.submit([with_feature("linear_indexing") + "// no", with_feature("swizzle_assignment")])
    known, lacked = target.collect()
    assert known == Answer(Verdict.INVALID, "error: unknown")
    assert lacked == Answer(Verdict.UNSUPPORTED, "it lacks swizzle_assignment: error: unknown")
    assert (target.name, p.own_names([target])) == ("older@1", {})
