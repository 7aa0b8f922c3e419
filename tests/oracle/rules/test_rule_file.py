"""Rule sets of users: what a file may say, and that whatever else it says is told in one line."""

import inspect
from pathlib import Path

import pytest

from wgsl_fuzz.oracle.rules.analyses import judgement_named
from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis, analyse
from wgsl_fuzz.oracle.rules.revisions import departing
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError, load_rules
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, draw_shader
from wgsl_fuzz.tinywgsl.behaviour import BehaviourAnalysis
from wgsl_fuzz.wgsl.reading import parse

ANALYSIS = "from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis\n"
BEHAVIOURS = "from wgsl_fuzz.tinywgsl.behaviour import BehaviourAnalysis\n"
CORPUS = Path(__file__).parents[3] / "corpus"
FIGURES = [parse((CORPUS / f"fig-10{x}" / "shader.wgsl").read_text(encoding="utf-8")) for x in "abcd"]
SHADERS = [*FIGURES, *(draw_shader(seed, profile) for profile in (DEFAULT, SMALL) for seed in range(150))]
IF = parse("@compute @workgroup_size(1) fn main() { var x: u32; if (x == 0u) { workgroupBarrier(); } }")


def rules(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("names", [["10a"], ["10b", "joins-at-exit"], ["if/line-8/never"], []])
def test_named_variants_are_those_of_the_table(tmp_path: Path, names: list[str]) -> None:
    mine, same = load_rules(rules(tmp_path, f"VARIANTS = {names!r}\n")).rules, departing(names)
    assert [analyse(s, mine).verdict for s in SHADERS] == [analyse(s, same).verdict for s in SHADERS]


def test_a_file_may_override_rules_of_either_figure(tmp_path: Path) -> None:
    text = f"""{ANALYSIS}{BEHAVIOURS}
class Rules(UniformityAnalysis):
    def has_back_edge(self, b1):
        return self._always()

    def _always(self):
        return True

class Behaviours(BehaviourAnalysis):
    def only_returns(self, b1):
        return False
"""
    mine, same = load_rules(rules(tmp_path, text)).rules, departing(["10b", "10c"])
    verdicts = [analyse(s, mine).verdict for s in SHADERS]
    assert verdicts == [analyse(s, same).verdict for s in SHADERS]
    assert [v is analyse(s).verdict for s, v in zip(FIGURES, verdicts)] == [True, False, False, True]


def test_own_rules_go_around_the_variants_that_are_named(tmp_path: Path) -> None:
    text = f"""{ANALYSIS}
VARIANTS = ["barrier/edge/dropped"]
class Rules(UniformityAnalysis):
    def stmt(self, M, M_b, M_c, cf, s):
        if type(s).__name__ == "Barrier":
            self.graph.demand(cf, s)
        return super().stmt(M, M_b, M_c, cf, s)
"""
    mine = load_rules(rules(tmp_path, text)).rules
    assert [analyse(s, mine).verdict for s in SHADERS] == [analyse(s).verdict for s in SHADERS]


def test_a_file_is_run_once_and_nothing_is_written_beside_it(tmp_path: Path) -> None:
    path = rules(tmp_path, 'VARIANTS = ["10a"]')
    assert load_rules(path) is load_rules(path)
    assert load_rules(path).rules != departing(["10a"])
    assert [*tmp_path.iterdir()] == [Path(path)]


def test_a_dataclass_in_a_file_is_one(tmp_path: Path) -> None:
    text = "from dataclasses import dataclass\n@dataclass\nclass _Own:\n    x: 'int' = 0\nVARIANTS = ['10a']\n"
    path = rules(tmp_path, text)
    assert load_rules(path).rules.names == sorted(["10a", path])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\ndef f(:\n", r":2: invalid syntax"),
        ("x = 1\n", r": no rule set: it defines none of VARIANTS, Rules, Behaviours"),
        ('VARIANTS = ["10e"]', r": there is no variant '10e'; did you mean 10\w\?"),
        ('VARIANTS = ["if/line-8/alway"]', r"did you mean if/line-8/always\?"),
        ('VARIANTS = "10a"', r": VARIANTS is no list of names"),
        ("VARIANTS = [1]", r": VARIANTS is no list of names"),
        ("VARIANTS = 1", r": VARIANTS is no list of names"),
        ("import nothing_of_this_name", r":1: ModuleNotFoundError: No module"),
        ("x = 1\nopen('/none/of/this/name')", r":2: FileNotFoundError: "),
        ("x = 1\nraise SystemExit(3)", r":2: SystemExit: 3"),
        ("class Rules: pass", r": Rules is no class derived from UniformityAnalysis"),
        ("Behaviours = 1", r": Behaviours is no class derived from BehaviourAnalysis"),
        (ANALYSIS + "class Rules(UniformityAnalysis):\n def contining(self): ...", r"did you mean continuing\?"),
        (ANALYSIS + "class Rules(UniformityAnalysis):\n def call(self, s): ...", r"takes \(self, s\), not \(self, M,"),
    ],
)
def test_what_is_no_rule_set_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = rules(tmp_path, text)
    with pytest.raises(RuleFileError, match=told) as error:
        load_rules(path)
    assert str(error.value).startswith(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("body", "told"), [("return 1 // 0", ":4: ZeroDivisionError"), ("return None", ": TypeError"), ("x", ":4: NameErr")]
)
def test_a_rule_that_fails_is_told_with_its_line(tmp_path: Path, body: str, told: str) -> None:
    text = f"{ANALYSIS}class Rules(UniformityAnalysis):\n def conditional(self, M, M_b, M_c, cf, s):\n  {body}\n"
    path = rules(tmp_path, text)
    judge = judgement_named(path)
    with pytest.raises(RuleFileError, match=told) as error:
        judge(IF)
    assert str(error.value).startswith(path)


def test_what_is_no_file_and_no_name_is_told(tmp_path: Path) -> None:
    for name, told in ((str(tmp_path / "none.py"), "cannot read .*none.py: No such file"), ("none", "known: paper")):
        with pytest.raises(RuleFileError, match=told):
            judgement_named(name)


@pytest.mark.parametrize("base", [UniformityAnalysis, BehaviourAnalysis])
def test_every_rule_that_can_be_overridden_says_what_it_is(base: type) -> None:
    for name, function in inspect.getmembers(base, inspect.isfunction):
        assert function.__doc__ or name.startswith("__"), name


def test_the_paper_is_not_changed_by_what_was_loaded(tmp_path: Path) -> None:
    before = [analyse(s).verdict for s in SHADERS[:50]]
    text = f"{ANALYSIS}class Rules(UniformityAnalysis):\n def condition(self, M, cf, s):\n  return 1\n"
    assert judgement_named(rules(tmp_path, text))(IF) is Verdict.REJECTS
    assert [analyse(s).verdict for s in SHADERS[:50]] == before
