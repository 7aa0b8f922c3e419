"""Rule sets of users: what a file may say, and that whatever else it says is told in one line."""

from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.rules.analyses import rules_named
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError, load_rules
from wgsl_fuzz.oracle.rules.rule_set import UNCHANGED, Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, all_variants, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import read

ANALYSIS = "from wgsl_fuzz.oracle.rules.uniformity.analysis import ScopeAnalysis\n"
BEHAVIOURS = "from wgsl_fuzz.wgsl.behaviours import BehaviourAnalysis\n"
TINY = "from wgsl_fuzz.oracle.rules.analysis import UniformityAnalysis\n"
PARTIAL = """@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {
  var a: array<u32, 2>; a[0] = lid; a[1] = 0; if a[0] == 0 { workgroupBarrier(); }
}"""


def path_of(folder: Path, text: str) -> str:
    path = folder / "mine.py"
    path.write_text(text, encoding="utf-8")
    return str(path)


def modules() -> list[Resolution]:
    return [
        read(text)
        for pair in load()[:250]
        if pair.refusal is Verdict.REJECTS
        for text in (pair.accepted, pair.rejected)
    ]


@pytest.mark.parametrize(
    "names", [["letter/exit-by-body"], ["tint/last-pointer-counts", "10a"], sorted(all_variants())[:1], []]
)
def test_named_variants_are_those_of_the_table(tmp_path: Path, names: list[str]) -> None:
    mine = load_rules(path_of(tmp_path, f"VARIANTS = {names!r}\n"))
    assert mine == Rules(all_variants()[ALIASES.get(name, name)] for name in names)


def test_a_file_may_override_rules_and_behaviours(tmp_path: Path) -> None:
    text = f"""{ANALYSIS}{BEHAVIOURS}
class Rules(ScopeAnalysis):
    def kept(self, e):
        return self._nothing()

    def _nothing(self):
        return []

class Behaviours(BehaviourAnalysis):
    pass
"""
    path = path_of(tmp_path, text)
    mine = rules_named(path)
    assert mine is not None
    partial = read(PARTIAL)
    assert analyse_wgsl(partial).verdict is Verdict.REJECTS
    assert analyse_wgsl(partial, mine).verdict is Verdict.ACCEPTS


NAME = "tint/joins-at-empty-continuing"
METHOD = next(m for m in vars(all_variants()[NAME].replacements[0]) if not m.startswith("_"))
AROUND = f'VARIANTS = ["{NAME}"]\nclass Rules(ScopeAnalysis):\n    {METHOD} = ScopeAnalysis.{METHOD}\n'
"""The variant overrides the same method: it would count if it were the outer one."""


@pytest.mark.parametrize("text", ["class Rules(ScopeAnalysis):\n    pass\n", AROUND])
def test_a_file_that_changes_nothing_says_what_the_reference_says(tmp_path: Path, text: str) -> None:
    mine = rules_named(path_of(tmp_path, ANALYSIS + text))
    assert mine is not None
    assert mine != UNCHANGED
    found = modules()
    assert [analyse_wgsl(m, mine).verdict for m in found] == [analyse_wgsl(m).verdict for m in found]


def test_a_file_is_run_once_and_nothing_is_written_beside_it(tmp_path: Path) -> None:
    path = path_of(tmp_path, ANALYSIS + "class Rules(ScopeAnalysis):\n    pass\n")
    assert load_rules(path) is load_rules(path)
    assert load_rules(path).names == [path]
    assert [*tmp_path.iterdir()] == [Path(path)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('VARIANTS = ["letter/exit-by-bodi"]', r": there is no variant 'letter/exit-by-bodi'"),
        ("x = 1\ndef f(:\n", r":2: invalid syntax"),
        ("x = 1\n", r": no rule set: it defines none of VARIANTS, Rules, Behaviours"),
        ('VARIANTS = "10a"', r": VARIANTS is no list of names"),
        ("import nothing_of_this_name", r":1: ModuleNotFoundError: No module"),
        ("x = 1\nopen('/none/of/this/name')", r":2: FileNotFoundError: "),
        ("x = 1\nraise SystemExit(3)", r":2: SystemExit: 3"),
        ("class Rules: pass", r": Rules is no class derived from ScopeAnalysis of"),
        ("Behaviours = 1", r": Behaviours is no class derived from BehaviourAnalysis of"),
        (ANALYSIS + "class Rules(ScopeAnalysis):\n def keept(self, e): ...", r"did you mean kept\?"),
        (ANALYSIS + "class Rules(ScopeAnalysis):\n def kept(self): ...", r"takes \(self\), not \(self, e\)"),
        (TINY + "class Rules(UniformityAnalysis): ...", r": Rules is no class derived from ScopeAnalysis of"),
    ],
)
def test_what_is_no_rule_set_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = path_of(tmp_path, text)
    load_rules.cache_clear()
    with pytest.raises(RuleFileError, match=told) as error:
        load_rules(path)
    assert str(error.value).startswith(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("fails", "says"), [("return 1 // 0", "ZeroDivisionError: "), ("exit(0)", "SystemExit: 0")])
def test_a_rule_that_fails_is_told_with_its_line(tmp_path: Path, fails: str, says: str) -> None:
    load_rules.cache_clear()
    mine = rules_named(path_of(tmp_path, ANALYSIS + f"class Rules(ScopeAnalysis):\n def kept(self, e):\n  {fails}"))
    assert mine is not None
    with pytest.raises(RuleFileError, match=rf"mine\.py:4: {says}"):
        analyse_wgsl(read(PARTIAL), mine)


def test_what_is_no_file_and_no_name_is_told(tmp_path: Path) -> None:
    for name, told in ((str(tmp_path / "none.py"), "cannot read .*none.py: No such file"), ("none", "known: paper")):
        with pytest.raises(RuleFileError, match=told):
            rules_named(name)


@pytest.mark.parametrize("alias", ALIASES)
def test_the_papers_names_are_those_of_variants(alias: str) -> None:
    assert rules_named(alias) == rules_named(ALIASES[alias]) == all_variants()[ALIASES[alias]].rules
