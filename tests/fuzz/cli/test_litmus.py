"""The command `litmus`."""

from functools import partial

import orjson
import pytest

from tests.fuzz.command import wgsl_fuzz
from wgsl_fuzz.oracle.simt_step import litmus as tests_of_the_paper
from wgsl_fuzz.oracle.simt_step.rules import MODELS, SSO

litmus = partial(wgsl_fuzz, "litmus")


def test_what_is_not_as_in_the_paper_has_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tests_of_the_paper, "MODELS", {**MODELS, "SM": SSO})
    result = litmus("sm-wr", "--model", "SM")
    assert result.exit_code == 1
    assert "the paper: synchronous" in result.stdout


def test_json_has_a_line_for_each_test_and_model() -> None:
    result = litmus("sm-rw", "fig-1", "--format", "json")
    lines = [orjson.loads(line) for line in result.stdout.splitlines()]
    assert [(line["test"], line["model"]) for line in lines] == [(t, m) for t in ("sm-rw", "fig-1") for m in MODELS]
    assert {line["behaviour"] for line in lines} == {"synchronous", "relaxed"}
    assert all(bool(line["witness"]) == (line["behaviour"] == "relaxed") for line in lines)
