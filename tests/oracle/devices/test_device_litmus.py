"""Litmus tests on devices: one that does what a model allows, and ones that do worse."""

import random
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

import orjson
import pytest
from click.testing import Result

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.fuzz.cli.rules import litmus as command
from wgsl_fuzz.oracle.devices.device import Lost, Memory
from wgsl_fuzz.oracle.devices.litmus import PART, allowance, histogram, misfit
from wgsl_fuzz.oracle.devices.memory import Dispatch
from wgsl_fuzz.oracle.simt_step.litmus import BASE, FIGURES, LITMUS, Litmus, buffers_of, print_litmus
from wgsl_fuzz.oracle.simt_step.rules import MODELS, Bounds, transitions
from wgsl_fuzz.oracle.simt_step.shader import Address, If, Load, Loop, Store
from wgsl_fuzz.oracle.verdict import Verdict

SMALL = [test for test in BASE if test.name != "cm"]
SPIN = replace(
    LITMUS["sm-ww"],
    name="spin",
    body=(If("lane", (Store(Address("g", 0), 1),), (Loop((Load("read", Address("g", 0)),), (), "read"),)),),
)
"""One thread waits for the other: an unfair execution does not end."""


class Simulated:
    """A device whose subgroups do what a model allows, one execution after another."""

    adapter, has_subgroups = "simulated\x1b[2J", True

    def __init__(self, model: str, tests: Sequence[Litmus], arrangement: Memory | None = None) -> None:
        self._tests = {print_litmus(test): test for test in tests}
        self._model, self._random, self._arrangement = model, random.Random(1), arrangement
        self.asked: list[int] = []

    def repeat(self, dispatch: Dispatch, times: int) -> list[tuple[Memory, int]] | Lost:
        test = self._tests.get(dispatch.code)
        if test is None:
            return [(self._arrangement or {0: _bytes(0, 1), 1: _bytes(3, 3)}, 1)]
        assert dispatch.workgroups == test.subgroups
        assert {i: len(data) for i, data in dispatch.buffers.items()} == {
            i: 4 * n for i, n in enumerate(buffers_of(test).values())
        }
        self.asked.append(times)
        return [(self._execution(test), 1) for _ in range(times)]

    def _execution(self, test: Litmus) -> Memory:
        P = test.machine(self._model)
        S = P.initial()
        while steps := list(transitions(P, S)):
            S = self._random.choice(steps)[1]
        arrays = [P.array(S, name) for name in test.arrays]
        registers = [tuple(P.eval(r, σ.R) for σ in S.Σ) for r in test.synchronous if r not in test.arrays]
        return {i: _bytes(*values) for i, values in enumerate((*arrays, *registers))}

    def close(self) -> None:
        pass


class Hung(Simulated):
    def repeat(self, dispatch: Dispatch, times: int) -> list[tuple[Memory, int]] | Lost:
        if dispatch.code in self._tests:
            self.asked.append(times)
            return Lost("timed-out", Verdict.TIMED_OUT)
        return super().repeat(dispatch, times)


def _bytes(*words: int) -> bytes:
    return b"".join((word & 0xFFFFFFFF).to_bytes(4, "little") for word in words)


@pytest.mark.parametrize("model", MODELS)
def test_what_a_model_does_is_what_it_allows(model: str) -> None:
    tests = [*BASE, *FIGURES]
    device = Simulated(model, tests)
    for test in tests:
        seen = histogram(device, test, 5)
        assert sum(seen.outcomes.values()) == 5
        assert seen.outcomes.keys() <= allowance(test, model).outcomes, test.name


@pytest.mark.parametrize("test", SMALL, ids=lambda test: test.name)
def test_a_relaxed_outcome_is_outside_the_models_that_verify_the_test(test: Litmus) -> None:
    allowed = {model: allowance(test, model).outcomes for model in MODELS}
    assert allowed["CM"] <= allowed["SM"] <= allowed["SCF"] <= allowed["SSO"]
    for model in MODELS:
        assert (allowed[model] > allowed["CM"]) == (model in test.relaxed)


def test_iterations_are_run_in_parts() -> None:
    device = Simulated("CM", SMALL)
    assert sum(histogram(device, SMALL[0], 2 * PART + 7).outcomes.values()) == 2 * PART + 7
    assert device.asked == [PART, PART, 7]
    hung = Hung("CM", SMALL)
    assert histogram(hung, SMALL[0], 500).unended
    assert hung.asked == [PART], "what hangs once is not run again"


def test_only_threads_of_one_subgroup_are_one() -> None:
    assert misfit(Simulated("CM", []), SMALL[0]) == ""
    for lanes, members in (((1, 0), (3, 3)), ((0, 0), (1, 1)), ((0, 1), (1, 3))):
        apart = {0: _bytes(*lanes), 1: _bytes(*members)}
        assert "not one subgroup" in misfit(Simulated("CM", [], apart), SMALL[0])
    none = Simulated("CM", [])
    none.has_subgroups = False
    assert misfit(none, LITMUS["sm-ww"]) == ""
    assert "no subgroup operations" in misfit(none, LITMUS["sso-ww"])


# --------------------------------------------------------------------------------------------------------- the command


def executed(monkeypatch: pytest.MonkeyPatch, device: Simulated, *arguments: str, times: int = 1000) -> Result:
    monkeypatch.setattr(command, "Device", lambda: device)
    return wgsl_fuzz("litmus", "--execute", times, *arguments)


def test_a_device_as_weak_as_the_weakest_model_is_outside_the_strongest(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("sm-ww", "sm-wr")
    device = Simulated("SSO", SMALL)
    fine = executed(monkeypatch, device, *names, times=60)
    assert fine.exit_code == 0, fine.output
    assert "SCF, SSO  " in fine.stdout
    assert fine.stdout.endswith("2 tests run, 0 with what no model allows\n")
    assert "\x1b" not in fine.stdout
    wrong = executed(monkeypatch, device, *names, "--model", "CM", "--model", "SM", times=60)
    assert wrong.exit_code == 1
    assert wrong.stdout.count("NO MODEL") >= 2
    assert print_litmus(LITMUS["sm-ww"]) in wrong.stdout


def test_json_has_a_histogram_for_each_test(monkeypatch: pytest.MonkeyPatch) -> None:
    given = ("sm-ww", "scf-rw", "--format", "json", "--model", "SM")
    result = executed(monkeypatch, Simulated("SSO", SMALL), *given, times=40)
    lines = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert [line["test"] for line in lines] == ["sm-ww", "scf-rw"]
    assert result.exit_code == 1
    for line in lines:
        assert sum(outcome["count"] for outcome in line["outcomes"]) == 40
        assert line["outside"] == any(not outcome["models"] for outcome in line["outcomes"])
        assert (line["wgsl"] is not None) == line["outside"]
        assert "g" in line["outcomes"][0]["memory"]


def test_what_may_not_end_is_run_by_name_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "BASE", (SPIN,))
    monkeypatch.setattr(command, "LITMUS", MappingProxyType({"spin": SPIN}))
    monkeypatch.setattr(command, "Bounds", lambda: Bounds(100))
    assert not allowance(SPIN, "SSO", Bounds(100)).ends
    device = Hung("SSO", [SPIN])
    left = executed(monkeypatch, device)
    assert (left.exit_code, device.asked) == (0, [])
    assert "not run: CM does not say that it ends" in left.stdout
    named = executed(monkeypatch, device, "spin")
    assert device.asked == [PART]
    assert (named.exit_code, "did not end" in named.stdout, "SSO?" in named.stdout) == (0, True, True)


def test_to_hang_is_outside_a_model_in_which_the_test_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    result = executed(monkeypatch, Hung("CM", SMALL), "sso-ww")
    assert result.exit_code == 1
    assert "NO MODEL           did not end" in result.stdout


def test_what_a_device_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Simulated, "repeat", lambda *_: Lost("no\nsuch operation"))
    result = executed(monkeypatch, Simulated("CM", SMALL), "sm-ww")
    assert result.exit_code == 0
    assert "not run: no such operation" in result.stdout
    assert "0 tests run, 1 not run" in result.stdout
