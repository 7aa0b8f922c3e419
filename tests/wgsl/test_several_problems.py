"""Several problems of one text: reading and binding go on behind what is wrong, and one wrong token is told once."""

from random import Random

import pytest

from tests.wgsl import mutants
from tests.wgsl.applications import applications
from tests.wgsl.texts import VALID
from wgsl_fuzz.wgsl import parser
from wgsl_fuzz.wgsl.lexer import RESERVED_WORDS
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.problems import MOST, Source, SyntaxProblem, WgslError
from wgsl_fuzz.wgsl.resolve import resolve

APPLICATIONS = applications()

TEXT = """enable nowhere, f16, neither;
var<private> x: = 3;
const good = 1;
struct S { a: u32, b u32, c: f32 }
fn main() {
  let a = ;
  for (var i = 0 i < 3; i++) { a b c; }
  if (a { } else if b { c }
  loop { x = 1 continuing { y = ; break if z } }
  b = ok;
  switch x { case 1 { q = + ; } default { } }
}
fn g( { }
fn h() -> u32 { return 1 }
fn i() { if (x) y = 1; } let wrong = ; }
override = 1;
"""


def problems(text: str) -> tuple[WgslError, ...]:
    """What is wrong with a text; nothing if it is a module."""
    try:
        resolve(parse(text))
    except WgslError as problem:
        return problem.all
    return ()


def places(text: str) -> list[tuple[int, int]]:
    return [Source(text).position(problem.start) for problem in problems(text)]


def one_token_wrong(seed: int, count: int) -> list[str]:
    """Texts that the grammar refuses for one token deleted, doubled, replaced or inserted."""
    random, found = Random(seed), list[str]()
    texts = [text for text in VALID if mutants.split(text)[0]]
    words = mutants._words()
    while len(found) < count:
        before, gaps = mutants.split(random.choice(texts))
        tokens, at = list(before), random.randrange(len(before))
        changed = ["", f"{tokens[at]} {tokens[at]}", random.choice(words), f"{random.choice(words)} {tokens[at]}"]
        tokens[at] = random.choice(changed)
        text = gaps[0] + "".join(word + gap for word, gap in zip(tokens, gaps[1:]))
        if isinstance(next(iter(problems(text)), None), SyntaxProblem):
            found.append(text)
    return found


# -------------------------------------------------------------------------------------------------------------- syntax


def test_statements_members_and_declarations_are_told() -> None:
    assert places(TEXT) == [
        (2, 17),
        (4, 22),
        (6, 11),
        (7, 18),
        (8, 9),
        (9, 16),
        (9, 33),
        (9, 46),
        (11, 27),
        (13, 7),
        (14, 26),
        (15, 17),
        (16, 10),
    ]


def test_where_braces_do_not_match_the_declaration_is_passed_over() -> None:
    text = "fn f() { if a b = ; } c = ; }\nfn g() { d = ; }"
    assert places(text) == [(1, 15), (2, 14)]


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_one_wrong_token_is_told_once(count: int) -> None:
    told = [len(problems(text)) for text in one_token_wrong(20_261_122, count)]
    assert max(told) <= 3
    assert 0 < len(told) - told.count(1) <= count // 100


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_first_problem_is_where_reading_stops_without_going_on(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    texts = list(mutants.mutants(20_261_122, count))
    going_on = [problems(text) for text in texts]
    monkeypatch.setattr(parser, "MOST", 1)
    for text, found in zip(texts, going_on, strict=True):
        if found and isinstance(found[0], SyntaxProblem):
            with pytest.raises(SyntaxProblem) as caught:
                parse(text)
            assert (caught.value.start, caught.value.message) == (found[0].start, found[0].message)


def test_no_more_than_some_are_told() -> None:
    assert len(problems("fn f() {" + "a = ;" * 100 + "}")) == MOST
    assert len(problems("var = 1;" * 100)) == MOST
    assert len(problems("".join(f"const __{i} = #;" for i in range(100)))) == 2
    assert len(problems(" ".join(sorted(RESERVED_WORDS)))) == MOST
    assert len(problems("fn f() {" + "".join(f"a{i} = 1;" for i in range(100)) + "}")) == MOST


def test_all_characters_and_words_that_are_no_tokens_are_told() -> None:
    assert places("const a = #;\nconst var_ = é$;\nconst async = 01 + 02;") == [(1, 11), (2, 15), (3, 7), (3, 15)]


# --------------------------------------------------------------------------------------------------------------- names


def told(text: str) -> list[tuple[int, str]]:
    return [(Source(text).position(p.start)[0], p.message) for p in problems(text)]


def test_unknown_names_are_told_once_each() -> None:
    text = """struct T { a: nope, b: array<nope, nix> }
fn f(a: u32) -> u32 {
  let b = a + c * d;
  return b + c + f(e);
}"""
    assert told(text) == [
        (1, "unresolved type 'nope'"),
        (1, "unresolved value 'nix'"),
        (3, "unresolved value 'c'"),
        (3, "unresolved value 'd'"),
        (4, "unresolved value 'e'"),
    ]


def test_what_is_declared_with_an_unknown_name_is_known() -> None:
    assert told("fn f() { let a = nix; let b: none = a; var c = b; c = a + b; }") == [
        (1, "unresolved value 'nix'"),
        (1, "unresolved type 'none'"),
    ]


def test_duplicates_jumps_and_calls_are_told() -> None:
    text = """fn f(a: u32, a: u32) { break; }
fn f() { continue; }
fn g() { f(1); return 1; @compute { } for (var i = 0; i < 3; i++) { let i = nix; let i = 1; } }"""
    assert told(text) == [
        (2, "'f' is declared twice in this scope"),
        (1, "'a' is declared twice in this scope"),
        (1, "'break' is for loops and switch statements"),
        (2, "'continue' is for loops"),
        (3, "too few arguments in call to 'f', expected 2, got 1"),
        (3, "'return' must have no value in this function"),
        (3, "'@compute' is not for statements"),
        (3, "unresolved value 'nix'"),
        (3, "'i' is declared twice in this scope"),
    ]


@pytest.mark.parametrize("seed", range(10))
def test_each_of_several_broken_statements_and_unknown_names_is_told(seed: int) -> None:
    random = Random(seed)
    lines = APPLICATIONS[random.choice(sorted(APPLICATIONS))].splitlines()
    candidates = [
        i for i, line in enumerate(lines) if line.startswith(" ") and line.count(" = ") == 1 and line.endswith(";")
    ]
    chosen = sorted(random.sample(candidates, min(7, len(candidates))))
    broken, unknown = [*lines], [*lines]
    for i in chosen:
        left, _, right = lines[i].partition(" = ")
        broken[i], unknown[i] = f"{left} = ;", f"{left} = vec2(nowhere_{i}, {right[:-1]});"
    assert [line for line, _ in places("\n".join(broken))] == [i + 1 for i in chosen]
    assert sorted(told("\n".join(unknown))) == [(i + 1, f"unresolved value 'nowhere_{i}'") for i in chosen]
