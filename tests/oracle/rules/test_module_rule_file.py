"""Rule sets of users for the whole language: what a file may say, and which language it is about."""

from pathlib import Path

import pytest

from wgsl_fuzz.fuzz.cases.pairs import load
from wgsl_fuzz.oracle.rules.analyses import judgement_named, rules_named, whole_rules
from wgsl_fuzz.oracle.rules.rule_file import RuleFileError, load_rules
from wgsl_fuzz.oracle.rules.rule_set import Rules
from wgsl_fuzz.oracle.rules.uniformity.revisions import INTENT, all_variants, analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.resolve import resolve

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
        resolve(parse(text))
        for pair in load()[:250]
        if pair.refusal is Verdict.REJECTS
        for text in (pair.accepted, pair.rejected)
    ]


@pytest.mark.parametrize(
    "names",
    [["letter/exit-by-body"], ["tint/last-pointer-counts", "before-2025-10-14/10a"], sorted(all_variants())[:1]],
)
def test_named_variants_are_those_of_the_table(tmp_path: Path, names: list[str]) -> None:
    file = load_rules(path_of(tmp_path, f"VARIANTS = {names!r}\n"))
    assert file.whole
    assert file.rules == Rules(all_variants()[name] for name in names)


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
    mine = whole_rules(path)
    assert mine is not None
    partial = resolve(parse(PARTIAL))
    assert analyse_wgsl(partial).verdict is Verdict.REJECTS
    assert analyse_wgsl(partial, mine).verdict is Verdict.ACCEPTS


def test_a_file_that_changes_nothing_says_what_the_reference_says(tmp_path: Path) -> None:
    mine = whole_rules(path_of(tmp_path, ANALYSIS + "class Rules(ScopeAnalysis):\n    pass\n"))
    assert mine is not None
    assert mine != INTENT
    found = modules()
    assert [analyse_wgsl(m, mine).verdict for m in found] == [analyse_wgsl(m).verdict for m in found]


def test_own_rules_go_around_the_variants_that_are_named(tmp_path: Path) -> None:
    """The variant overrides the same method: it would count if it were the outer one."""
    name = "tint/joins-at-empty-continuing"
    method = next(m for m in vars(all_variants()[name].replacements[0]) if not m.startswith("_"))
    text = f"""{ANALYSIS}
VARIANTS = ["{name}"]
class Rules(ScopeAnalysis):
    {method} = ScopeAnalysis.{method}
"""
    mine = whole_rules(path_of(tmp_path, text))
    assert mine is not None
    found = modules()
    assert [analyse_wgsl(m, mine).verdict for m in found] == [analyse_wgsl(m).verdict for m in found]


def test_a_file_is_about_one_language(tmp_path: Path) -> None:
    path = path_of(tmp_path, ANALYSIS + "class Rules(ScopeAnalysis):\n    pass\n")
    with pytest.raises(RuleFileError, match="has rules of the whole language, not of TinyWGSL"):
        rules_named(path)
    with pytest.raises(RuleFileError):
        judgement_named(path)
    load_rules.cache_clear()
    path = path_of(tmp_path, TINY + "class Rules(UniformityAnalysis):\n    pass\n")
    assert whole_rules(path) is None
    assert rules_named(path) is not None
    load_rules.cache_clear()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('VARIANTS = ["letter/exit-by-bodi"]', r": there is no variant 'letter/exit-by-bodi'"),
        ('VARIANTS = ["10a", "letter/exit-by-body"]', r"'letter/exit-by-body' among those of TinyWGSL"),
        (ANALYSIS + 'VARIANTS = ["10a"]\nclass Rules(ScopeAnalysis): ...', r"'10a' among those of the whole language"),
        (
            ANALYSIS + 'VARIANTS = ["letter/exit-by-bodi"]\nclass Rules(ScopeAnalysis): ...',
            r"did you mean letter/exit-by-body\?",
        ),
        (ANALYSIS + "class Rules(ScopeAnalysis):\n def keept(self, e): ...", r"did you mean kept\?"),
        (ANALYSIS + "class Rules(ScopeAnalysis):\n def kept(self): ...", r"takes \(self\), not \(self, e\)"),
        (
            BEHAVIOURS + TINY + "class Rules(UniformityAnalysis): ...\nclass Behaviours(BehaviourAnalysis): ...",
            r": Rules is no class derived from ScopeAnalysis",
        ),
    ],
)
def test_what_is_no_rule_set_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = path_of(tmp_path, text)
    load_rules.cache_clear()
    with pytest.raises(RuleFileError, match=told) as error:
        load_rules(path)
    assert str(error.value).startswith(path)
    assert "\n" not in str(error.value)


def test_a_rule_that_fails_is_told_with_its_line(tmp_path: Path) -> None:
    load_rules.cache_clear()
    mine = whole_rules(
        path_of(tmp_path, ANALYSIS + "class Rules(ScopeAnalysis):\n def kept(self, e):\n  return 1 // 0")
    )
    assert mine is not None
    with pytest.raises(RuleFileError, match=r"mine\.py:4: ZeroDivisionError: "):
        analyse_wgsl(resolve(parse(PARTIAL)), mine)
