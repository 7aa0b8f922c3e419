"""Spelling: what comes back from the parser, what every oracle says about it, and whether every form occurs."""

import gc
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import pytest
from hypothesis import given

from tests.tinywgsl.normal_form import normal_form
from tests.tinywgsl.wellformed import violations
from tests.wgsl.reading import parse
from wgsl_fuzz.oracle.rules.analysis import Summary, analyse
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.protocol import Target, TargetError
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import DEFAULT, SMALL, Profile, draw_shader
from wgsl_fuzz.strategies.choices.source import DrawnBy, RandomSource, Source
from wgsl_fuzz.strategies.generate.shaders import draw
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.wgsl.lower.module import lower
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.parser import parse as parse_tree
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.spelling import (
    ALL,
    FEATURES,
    FORMS,
    INEXACT,
    NONE,
    Features,
    Spelling,
    as_module,
    draw_spelling,
    spell,
)
from wgsl_fuzz.wgsl.walk import descendants

COUNT = 500

EVERYDAY = """
var<workgroup> A: array<u32, 4>;
fn twice(x: u32) -> u32 { return x * 2u; }
fn wait(n: u32) { var left = n; while (left > 0u) { workgroupBarrier(); left--; } }
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lid: u32) {
  for (var i = 0u; i < 4u; i++) { A[i] += lid; for (var j = 0u; j < i; j++) { A[j] ^= 3u; } }
  loop { var seen: u32; seen = twice(seen); if (seen > 1u) { break; } }
  var d = 4u;
  while (d != 0u) { if (twice(d) == 4u) { continue; } d -= 1u; }
  let e = twice(d) + 1u;
  A[0] *= e;
  wait(e);
  workgroupBarrier();
}
"""
"""Shapes that people write and the generator hardly ever draws."""


class Plainest:
    """Always the smallest choice."""

    def integer(self, lo: int, _hi: int) -> int:
        return lo


def only(feature: str) -> Features:
    return replace(NONE, **{feature: True})


@cache
def some_shaders() -> list[Shader]:
    """As many drawn ones as the counts are about, and an everyday one for every twenty."""
    drawn = [draw_shader(seed) for seed in range(COUNT)]
    return drawn + [parse(EVERYDAY)] * (COUNT // 20)


def spelled(profile: Profile) -> DrawnBy[tuple[Shader, Spelling]]:
    """A shader and a spelling of it, both drawn."""

    def draw_both(source: Source) -> tuple[Shader, Spelling]:
        shader = draw(source, profile)
        return shader, draw_spelling(shader, source)

    return DrawnBy(draw_both)


@dataclass(frozen=True)
class Meaning:
    """What spellings of one shader share."""

    normal: Shader
    verdict: Verdict
    said: tuple[Verdict, list[Summary]]
    """The verdict on the normal form, and the summaries of the functions it reaches in its order."""


@lru_cache(1_000)
def meaning(shader: Shader) -> Meaning:
    normal = normal_form(shader)
    analysis = analyse(normal)
    said = analysis.verdict, [result.summary for result in analysis.functions]
    return Meaning(normal, analyse(shader).verdict, said)


@lru_cache(1_000)
def meaning_of(text: str) -> Meaning:
    """That of a well-formed text."""
    back = meaning.__wrapped__(parse(text))
    # The normal form, because `violations` wants names in ASCII.
    assert violations(back.normal, main_may_return=True) == []
    return back


def assert_same(shader: Shader, spelling: Spelling) -> None:
    """The same core, and a well-formed one; or the same verdict and summaries where that is all there can be."""
    back, drawn = meaning_of(spelling.text), meaning(shader)
    assert back.said == drawn.said
    assert back.verdict is drawn.verdict
    if not spelling.forms.keys() & INEXACT:
        assert back.normal == drawn.normal


# ------------------------------------------------------------------------------------------------- what comes back


@given(spelled(SMALL))
def test_a_small_shader_comes_back(pair: tuple[Shader, Spelling]) -> None:
    assert_same(*pair)


@given(spelled(DEFAULT))
def test_a_shader_comes_back(pair: tuple[Shader, Spelling]) -> None:
    assert_same(*pair)


def test_shaders_of_seeds_come_back() -> None:
    for seed, shader in enumerate(some_shaders()):
        assert_same(shader, draw_spelling(shader, RandomSource(seed)))


def test_the_plainest_choices_give_the_canonical_print() -> None:
    for shader in some_shaders():
        assert draw_spelling(shader, Plainest()) == Spelling(print_shader(shader), {})


def test_the_tree_is_that_of_its_text_and_lowers_to_the_shader_as_the_text_does() -> None:
    for seed, shader in enumerate(some_shaders()[::2]):
        module = as_module(shader, RandomSource(seed))
        nodes = list(descendants(module))
        assert len({id(node) for node in nodes}) == len(nodes)
        assert parse_tree(spell(shader, RandomSource(seed))) == module == parse_tree(print_module(module))
        assert lower(resolve(module)).shader == parse(print_module(module))


def test_without_features_nothing_is_chosen() -> None:
    class NoChoice:
        def integer(self, lo: int, hi: int) -> int:
            raise AssertionError((lo, hi))

    for shader in some_shaders():
        assert spell(shader, NoChoice(), NONE) == print_shader(shader)


def test_spelling_leaves_the_shader_alone_and_is_a_function_of_the_choices() -> None:
    for seed, shader in enumerate(some_shaders()[::10]):
        before = print_shader(shader)
        assert spell(shader, RandomSource(seed)) == spell(shader, RandomSource(seed))
        assert print_shader(shader) == before


TRICKY = {
    "a local that looks like the copy of a parameter": "var c: u32; c = f(lid); A[0u] = c;",
    "a template list": "var x: u32; var b: bool; b = lid < (x >> 1u); A[u32(b)] = x;",
    "two minuses": "var i: i32; i = 1i; i = -(-i); A[0u] = u32(i);",
    "a negated negation": "loop { if (!(!(lid == 1u))) { break; } }",
    "an outer variable read last": "var x: u32; var y: u32; y = 2u; if (lid == 0u) { x = 1u; A[0u] = x; A[1u] = y; }",
    "an outer variable read first": "var x: u32; var y: u32; y = 2u; if (lid == 0u) { x = y; A[0u] = x; }",
    "a break past the next assignment": """
        var x: u32; x = 0u;
        loop { x = f(lid); if (x == 1u) { break; } x = 0u; }
        if (x == 1u) { workgroupBarrier(); }""",
    "a result that lives on in the other branch": """
        var x: u32; x = f(lid); if (lid == 0u) { A[0u] = 1u; } else { A[1u] = x; } x = f(2u); A[0u] = x;""",
    "two calls in one expression": "var x: u32; var y: u32; x = f(1u); y = f(2u); A[x] = y + A[0u];",
    "two calls in the other order": "var x: u32; var y: u32; x = f(1u); y = f(2u); A[y] = x;",
    "a result that is updated": "var x: u32; x = f(lid); x = x + 1u; if (x == 1u) { workgroupBarrier(); }",
    "a dead continue": "loop { if (lid == 0u) { break; } continue; continue; continuing { A[0u] = 1u; } }",
    "a dead result, but for a break": """
        var x: u32; var u: u32; loop { x = f(lid); if (u == 0u) { break; } x = 0u; }
        if (x == 1u) { workgroupBarrier(); }""",
    "a variable of the header needed behind": """
        var i: u32; i = 0u; loop { if (i > 2u) { break; } i = i + 1u; } A[0u] = i;""",
    "a variable of two loops": """
        var i: u32; i = 0u; loop { if (i > 2u) { break; } continuing { i = i + 1u; } }
        loop { if (i > 3u) { break; } continuing { i = i + 1u; } }""",
}
AROUND = """var<storage, read_write> A: array<u32, 2>;
fn f(p: u32) -> u32 {{ var c: u32; c = (p); c = c + 1u; return c; }}
@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {{ {} }}
"""


@pytest.mark.parametrize("count", [150, pytest.param(600, marks=pytest.mark.full)])
@pytest.mark.parametrize("body", TRICKY.values(), ids=TRICKY)
def test_a_tricky_shader_comes_back(body: str, count: int) -> None:
    shader = parse("@group(0) @binding(0) " + AROUND.format(body))
    texts = set()
    for seed in range(count):
        spelling = draw_spelling(shader, RandomSource(seed))
        assert_same(shader, spelling)
        texts.add(spelling.text)
    assert len(texts) > count / 2


def test_the_normal_form_tells_shaders_apart_and_is_its_own() -> None:
    normal = [normal_form(shader) for shader in some_shaders()[:COUNT]]
    assert len({print_shader(shader) for shader in normal}) == COUNT
    assert all(normal_form(shader) == shader for shader in normal)
    assert all(analyse(n).verdict is analyse(s).verdict for n, s in zip(normal, some_shaders()))


# ---------------------------------------------------------------------------------------------------------- forms


def forms_of(features: Features) -> Counter[str]:
    forms: Counter[str] = Counter()
    for seed, shader in enumerate(some_shaders()):
        forms.update(draw_spelling(shader, RandomSource(seed), features).forms)
    return forms


def test_every_form_occurs() -> None:
    forms = forms_of(ALL)
    assert forms.keys() == FORMS.keys()


IN_COMPANY = {"fused var in a for", "implicit return", "shadowed variable", "constant without a suffix"}
"""Forms that need a second feature."""


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_alone_shows_all_its_forms_and_no_others(feature: str) -> None:
    forms = forms_of(only(feature))
    assert forms.keys() | IN_COMPANY == {form for form, owner in FORMS.items() if owner == feature} | IN_COMPANY


@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_alone_comes_back(feature: str) -> None:
    for seed, shader in enumerate(some_shaders()[::5]):
        assert_same(shader, draw_spelling(shader, RandomSource(seed), only(feature)))


def spellings_of(body: str, features: Features, prelude: str = "") -> set[str]:
    """The bodies of `main`, without blanks, that a few hundred spellings of a `main` have."""
    head = prelude + "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32) {"
    shader = parse(f"{head} {body} }}")
    texts = {spell(shader, RandomSource(seed), features) for seed in range(400)}
    return {"".join(text[text.index("fn main") :].split("{", 1)[1].split())[:-1] for text in texts}


def test_the_shapes_of_a_loop() -> None:
    body = "var i: u32; i = 0u; loop { if (i == 2u) { break; } i = 1u; continue; }"
    found = spellings_of(body, Features(**{name: name in ("loops", "jumps", "declarations") for name in FEATURES}))
    assert found >= {
        "vari:u32;i=0u;loop{if(i==2u){break;}i=1u;continue;}",
        "vari:u32;i=0u;while(!(i==2u)){i=1u;}",
        "for(vari:u32=0u;!(i==2u);){i=1u;}",
        "vari:u32;for(i=0u;;){if(i==2u){break;}i=1u;continue;}",
        "vari:u32=0u;loop{if(i==2u){break;}i=1u;}",
    }


def test_a_call_does_not_pass_a_shared_read() -> None:
    prelude = "var<workgroup> A: array<u32, 2>; fn f(p: u32) -> u32 { return p; }"
    before = spellings_of("var t = f(1u); var x = t + A[0u]; A[1u] = x;", only("calls"), prelude)
    assert any("x=f(1u)+A[0u];" in text for text in before)
    after = spellings_of("var t = f(1u); var x = A[0u] + t; A[1u] = x;", only("calls"), prelude)
    assert len(after) == 1
    right = spellings_of("var t = f(1u); var x = lid == 0u || t == 1u; A[0u] = u32(x);", only("calls"), prelude)
    assert len(right) == 1


def test_a_result_that_is_read_again_stays() -> None:
    prelude = "fn f(p: u32) -> u32 { return p; }"
    body = "var t = f(1u); var x = t; loop { x = f(t); if (x == 1u) { break; } t = 1u; }"
    found = spellings_of(body, Features(**{name: name in ("calls", "discards") for name in FEATURES}), prelude)
    assert all("t=f(1u);x=t;" in text for text in found)
    assert any("if(f(t)==1u)" in text for text in found)


def test_a_declaration_that_a_continue_bypasses_is_not_used_in_the_continuing() -> None:
    head = "var x: u32; loop { if (lid == 0u) { continue; } x = 1u; "
    declares = only("declarations")
    used = spellings_of(head + "continuing { x = x + 1u; break if x > 2u; } }", declares)
    assert all(text.startswith("varx:u32;") for text in used)
    unused = spellings_of(head + "continuing { break if lid > 2u; } }", declares)
    assert any("varx:u32=1u;" in text for text in unused)


# -------------------------------------------------------------------------------------------------------- compilers


@pytest.fixture(scope="module")
def tints() -> Iterator[dict[str, Target]]:
    targets: dict[str, Target] = {}
    for name in ("tint@0.6.2", "tint@0.3.8"):
        try:
            target = open_target(name, timeout=30)
        except TargetError as error:
            pytest.skip(str(error))
        targets[name] = target
        if target.name != name:
            pytest.skip(f"{name} is not here; {target.name} is")
    yield targets
    for target in targets.values():
        target.close()


def disagreements(target: Target, seeds: range, features: Features) -> list[tuple[int, Verdict, Verdict, str]]:
    """The seeds whose canonical print and one spelling of it get different verdicts, and what the compiler says."""
    found = []
    for start in range(seeds.start, seeds.stop, 100):
        batch = range(start, min(start + 100, seeds.stop))
        shaders = [draw_shader(seed) for seed in batch]
        target.submit([print_shader(shader) for shader in shaders])
        target.submit([spell(s, RandomSource(seed), features) for s, seed in zip(shaders, batch)])
        for seed, plain, other in zip(batch, target.collect(), target.collect()):
            if plain.verdict is not other.verdict:
                found.append((seed, plain.verdict, other.verdict, other.message))
    return found


COUNTS = [pytest.param(300, id="300"), pytest.param(20_000, id="20,000", marks=pytest.mark.slow)]


@pytest.mark.parametrize("count", COUNTS)
def test_current_tint_says_the_same_of_every_spelling(tints: dict[str, Target], count: int) -> None:
    assert disagreements(tints["tint@0.6.2"], range(1_000_000, 1_000_000 + count), ALL) == []


@pytest.mark.parametrize("count", COUNTS)
def test_the_old_tint_has_two_known_bugs_and_no_others(tints: dict[str, Target], count: int) -> None:
    """An empty statement before a `break if`, and a `for` without a condition, whose body's breaks it forgets."""
    seeds = range(2_000_000, 2_000_000 + count)
    harmless = replace(ALL, empties=False, loops=False)
    assert disagreements(tints["tint@0.3.8"], seeds, harmless) == []
    found = disagreements(tints["tint@0.3.8"], seeds, replace(harmless, empties=True))
    assert {verdict for _, _, verdict, _ in found} == {Verdict.INVALID}
    assert all("for break statement" in message for *_, message in found)
    forgotten = disagreements(tints["tint@0.3.8"], seeds, replace(harmless, loops=True))
    assert {(plain, other) for _, plain, other, _ in forgotten} <= {(Verdict.REJECTS, Verdict.ACCEPTS)}


def test_the_old_tint_forgets_the_breaks_of_a_for_without_a_condition(tints: dict[str, Target]) -> None:
    entry = "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) lid: u32)"
    body = "{ workgroupBarrier(); if (lid == 0u) { break; } }"
    texts = [f"{entry} {{ {head} {body} }}" for head in ("for (;;)", "for (; true;)", "loop")]
    assert [analyse(parse(text)).verdict for text in texts] == [Verdict.REJECTS] * 3
    verdicts = {}
    for name, target in tints.items():
        target.submit(texts)
        verdicts[name] = [answer.verdict for answer in target.collect()]
    assert verdicts["tint@0.6.2"] == [Verdict.REJECTS] * 3
    assert verdicts["tint@0.3.8"] == [Verdict.ACCEPTS, Verdict.REJECTS, Verdict.REJECTS]


def test_leaves_no_circles_behind() -> None:
    """A campaign searches for them seldom, and what they hold is searched as well."""
    drawn = [draw_shader(seed) for seed in range(24)]
    spell(drawn[0], RandomSource(0))
    gc.collect()
    gc.disable()
    gc.freeze()  # what other tests have left there would be searched as well
    try:
        for seed, shader in enumerate(drawn):
            spell(shader, RandomSource(seed))
        assert gc.collect() == 0
    finally:
        gc.enable()
