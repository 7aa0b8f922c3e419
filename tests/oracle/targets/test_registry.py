"""Specs, registration, and errors that name what is known."""

import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wgsl_fuzz.oracle.targets import (
    Family,
    State,
    Target,
    TargetError,
    TargetRequest,
    available,
    install,
    open_target,
    protocol,
    register,
)
from wgsl_fuzz.oracle.targets.children.python_child import child_environment
from wgsl_fuzz.oracle.targets.families.naga import open_naga
from wgsl_fuzz.oracle.verdict import Answer, Verdict

NAMES = st.text("abcdefghijklmnopqrstuvwxyz-", min_size=1)
RESTS = st.text(st.characters(codec="utf-8"), min_size=1)


class Agreeable:
    """The shortest target there can be."""

    name = origin = "agreeable"
    checks_uniformity = True

    def __init__(self) -> None:
        self.batches: list[Sequence[str]] = []

    def submit(self, texts: Sequence[str]) -> None:
        self.batches.append(texts)

    def collect(self) -> list[Answer]:
        return [Answer(Verdict.ACCEPTS) for _ in self.batches.pop(0)]

    def close(self) -> None:
        self.batches.clear()


@pytest.fixture
def adapters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "_families", dict(protocol._families))


@given(NAMES, RESTS)
def test_a_spec_is_split_at_its_first_separator(prefix: str, rest: str) -> None:
    version, path = protocol.parse(f"{prefix}@{rest}"), protocol.parse(f"{prefix}:{rest}")
    assert (version.prefix, version.version, version.path) == (prefix, rest, None)
    assert (path.prefix, path.version, path.path) == (prefix, None, rest)
    assert protocol.parse(prefix) == TargetRequest(prefix, prefix)


@pytest.mark.parametrize("spec", ["", "@1", ":x", "tint@", "tint:"])
def test_an_empty_part_is_no_target(spec: str) -> None:
    with pytest.raises(TargetError, match="not a target"):
        open_target(spec)


@pytest.mark.usefixtures("adapters")
def test_a_registered_factory_answers() -> None:
    requests: list[TargetRequest] = []

    def factory(request: TargetRequest) -> Target:
        requests.append(request)
        return Agreeable()

    register(Family("agreeable", factory))
    target = open_target("agreeable@7", timeout=3.0)
    target.submit(["a", "b"])
    assert target.collect() == [Answer(Verdict.ACCEPTS)] * 2
    assert (requests[0].version, requests[0].timeout) == ("7", 3.0)
    assert any(info.name == "agreeable" and info.state is State.INSTALLED for info in available())
    with pytest.raises(TargetError, match="not something to install"):
        install("agreeable")


@pytest.mark.usefixtures("adapters")
def test_entry_points_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "fine": EntryPoint("fine", "wgsl_fuzz.oracle.targets.families.naga:open_naga", protocol.ENTRY_POINTS),
        "broken": EntryPoint("broken", "no_such_module:thing", protocol.ENTRY_POINTS),
    }

    def listed(group: str, name: str | None = None) -> list[EntryPoint]:
        assert group == protocol.ENTRY_POINTS
        return [point for point in points.values() if name in (None, point.name)]

    monkeypatch.setattr(protocol, "entry_points", listed)
    assert protocol.family_of("fine").open is open_naga
    with pytest.raises(TargetError, match="cannot be loaded"):
        protocol.family_of("broken")
    states = {info.name: info.state for info in available()}
    assert (states["fine"], states["broken"]) == (State.INSTALLED, State.MISSING)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nonesuch", "known: .*naga, python, rules, tint"),
        ("tint@9.9", "known: 0.6.2, .*0.3.8.*embedded"),
        ("naga@1", "unknown Naga build"),
    ],
)
def test_errors_name_what_is_known(spec: str, says: str) -> None:
    with pytest.raises(TargetError, match=says) as caught:
        open_target(spec)
    assert "\n" not in str(caught.value)


def test_every_pinned_build_is_listed() -> None:
    names = [info.name for info in available()]
    assert [name for name in names if name.startswith("tint@")][:2] == ["tint@0.6.2", "tint@0.4.0"]
    assert {"naga", "rules:paper", "tint@0.3.8", "tint@embedded"} <= set(names)


def test_importing_the_package_imports_no_compiler() -> None:
    code = "import sys, wgsl_fuzz.oracle.targets\n"
    code += "print(*{'pydawn', 'wgpu', 'subprocess_tee', 'asyncio'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env=child_environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
