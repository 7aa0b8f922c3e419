"""The profile of TinyWGSL: each module has a well-formed core, in any surface form; what matters is drawn."""

from collections import Counter
from dataclasses import replace

import hypothesis
import pytest
from hypothesis import given
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes

from tests.quality.paper_mutants import KILLABLE, deciding
from tests.strategies.drawn import shaders
from tests.tinywgsl.wellformed import violations
from tests.wgsl.current_tint import refused_by_tint
from wgsl_fuzz.oracle.rules.uniformity.revisions import analyse_wgsl
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import RACE_FREE, SMALL_TINY, TINY, ModuleProfile, draw_shader
from wgsl_fuzz.strategies.choices.source import ChoiceSource, RandomSource, RecordingSource
from wgsl_fuzz.strategies.generate.motifs.modules import core_from, draw_module
from wgsl_fuzz.tinywgsl import ast
from wgsl_fuzz.wgsl import syntax as w
from wgsl_fuzz.wgsl.lower.raising import print_shader
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.walk import descendants

PROFILES = {"tiny": TINY, "small": SMALL_TINY, "race-free": RACE_FREE}
named = pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)


@named
def test_every_core_is_well_formed(profile: ModuleProfile) -> None:
    @given(shaders(profile))
    def check(shader: ast.Shader) -> None:
        assert violations(shader, main_may_return=True) == []

    check()


@named
def test_current_tint_finds_no_core_invalid(profile: ModuleProfile) -> None:
    cores = [core_from(_Zeros(), profile), *(draw_shader(seed, profile) for seed in range(300))]
    assert refused_by_tint([*map(print_shader, cores)])[:2] == []


@given(shaders(replace(TINY, returns=0)))
def test_a_main_that_may_not_return_honours_all_seven_restrictions(shader: ast.Shader) -> None:
    assert violations(shader) == []


@named
def test_all_zero_choices_give_a_small_shader(profile: ModuleProfile) -> None:
    shader = core_from(_Zeros(), profile)
    assert violations(shader, main_may_return=True) == []
    assert ast.count_statements(shader) <= 24


class _Zeros(ChoiceSource):
    def _integer(self, lo: int, hi: int) -> int:  # noqa: ARG002
        return lo


def test_shaders_differ_and_are_of_middling_size() -> None:
    drawn = [draw_shader(seed) for seed in range(500)]
    assert len({print_shader(shader) for shader in drawn}) == len(drawn)
    sizes = sorted(map(ast.count_statements, drawn))
    assert 15 <= sizes[250] <= 45


@given(shaders(SMALL_TINY) | shaders())
def test_every_function_is_called_and_some_barrier_is_there(shader: ast.Shader) -> None:
    statements = [s for f in shader.all_functions for s in ast.walk(f.body)]
    assert {s.function for s in statements if isinstance(s, ast.Call)} == {f.name for f in shader.functions}
    assert any(isinstance(s, ast.Barrier) for s in statements)


@pytest.mark.parametrize("seed", range(10))
def test_a_drawn_shader_replays_under_hypothesis(seed: int) -> None:
    source = RecordingSource(RandomSource(seed))
    shader = core_from(source, TINY)
    key, database = b"replay", InMemoryExampleDatabase()
    database.save(key + b".secondary", choices_to_bytes(tuple(source.choices)))
    seen: list[ast.Shader] = []

    def first(candidate: ast.Shader) -> bool:
        seen.append(candidate)
        return True

    settings = hypothesis.settings(database=database, max_examples=1, phases=[hypothesis.Phase.reuse])
    hypothesis.find(shaders(), first, settings=settings, database_key=key)
    assert seen[0] == shader


# -------------------------------------------------------------------------------------------------------- what is drawn


def test_what_stands_where() -> None:
    """Each construct in every place where it may stand turns up in 1,500 shaders, barriers also two calls deep."""
    seen: Counter[str] = Counter()
    for seed in range(1500):
        shader = draw_shader(seed)
        for f in shader.all_functions:
            _places(f.body, "main" if f is shader.main else "function", seen)
        with_barrier = {f.name for f in shader.functions if any(isinstance(s, ast.Barrier) for s in ast.walk(f.body))}
        calls = (s.function for f in shader.functions for s in ast.walk(f.body) if isinstance(s, ast.Call))
        seen["call of a barrier in a function"] += not with_barrier.isdisjoint(calls)
    assert seen["call of a barrier in a function"] > 30
    contexts = [f"{f} {place}" for f in ("main", "function") for place in ("top", "if", "loop", "continuing")]
    for context in contexts:
        for construct in ("Assign", "Barrier", "If", "Loop", "SharedAssign", "Call"):
            assert seen[f"{construct} in {context}"], f"{construct} in {context}"
    for context in ("loop", "if in loop", "loop in loop", "loop in continuing"):
        for jump in ("Break", "Continue", "Return"):
            if (jump, context) != ("Return", "loop in continuing"):
                assert seen[f"{jump} at {context}"], f"{jump} at {context}"
    for shape in ("break-if", "break-if after statements", "dead code", "if with else", "loop without continuing"):
        assert seen[shape], shape


def _places(ss: ast.Block, function: str, seen: Counter[str], place: str = "top", path: tuple[str, ...] = ()) -> None:
    for i, s in enumerate(ss):
        seen[f"{type(s).__name__} in {function} {place}"] += 1
        if isinstance(s, (ast.Break, ast.Continue, ast.Return)):
            seen[f"{type(s).__name__} at {' in '.join(reversed(path[-2:]))}"] += 1
            seen[f"{type(s).__name__} at {path[-1] if path else 'top'}"] += 1
            seen["dead code"] += i + 1 < len(ss)
        if isinstance(s, ast.If):
            seen["if with else"] += bool(s.orelse)
            _places(s.then, function, seen, "if", (*path, "if"))
            _places(s.orelse, function, seen, "if", (*path, "if"))
        if isinstance(s, ast.Loop):
            last = s.continuing[-1] if s.continuing else None
            breaks = last is not None and ast.is_break_if(last)
            seen["break-if"] += breaks
            seen["break-if after statements"] += breaks and len(s.continuing) > 1
            seen["loop without continuing"] += not s.continuing
            _places(s.body, function, seen, "loop", (*path, "loop"))
            rest = s.continuing[:-1] if breaks else s.continuing
            _places(rest, function, seen, "continuing", (*path, "continuing"))


FORMS = ("Alias", "BreakIf", "Const", "ConstAssert", "Empty", "For", "Increment", "Let", "Phony", "While")


def test_every_surface_form_is_common() -> None:
    """One module in fifty has it at least."""
    counts = Counter(form for seed in range(500) for form in _forms(draw_module(seed, TINY)))
    assert {form: counts[form] for form in (*FORMS, *MORE_FORMS) if counts[form] < 10} == {}


MORE_FORMS = ("compound", "else if", "block", "call in an expression", "no result", "scalar", "zeroed in a loop", "id")


def _forms(module: w.Module) -> set[str]:
    nodes = list(descendants(module))
    found = {type(node).__name__ for node in nodes}
    for node in nodes:
        match node:
            case w.Assign(operator=operator) if operator != "=":
                found.add("compound")
            case w.If(orelse=w.If()):
                found.add("else if")
            case w.Block(statements=statements) if any(isinstance(s, w.Block) for s in statements):
                found.add("block")
            case w.Binary(left=w.Call()) | w.Binary(right=w.Call()):
                found.add("call in an expression")
            case w.Function(result=None, attributes=()):
                found.add("no result")
            case w.Variable(type=w.Identifier(template=()), template=(w.Identifier("workgroup"),)):
                found.add("scalar")
            case w.Loop(body=body) | w.For(body=body) | w.While(body=body):
                if any(isinstance(s, w.Variable) and s.value is None for s in body.statements):
                    found.add("zeroed in a loop")
            case w.Identifier("local_invocation_id"):
                found.add("id")
    return found


# ----------------------------------------------------------------------------------------------------------- data races


@given(shaders(RACE_FREE))
def test_the_race_free_profile_has_no_data_races(shader: ast.Shader) -> None:
    """By construction: what is written is each thread's own cell, and nothing else touches that array."""
    own = (ast.Lid(), ast.Local("local_invocation_index", ast.Type.U32))
    written = {s.array for f in shader.all_functions for s in ast.walk(f.body) if isinstance(s, ast.SharedAssign)}
    for f in shader.all_functions:
        for s in ast.walk(f.body):
            assert not isinstance(s, ast.SharedAssign) or s.index in own
        for e in ast.expressions_in(f.body):
            assert not (isinstance(e, ast.SharedRead) and e.array in written) or e.index in own
    assert all(a.size >= shader.workgroup_size for a in shader.arrays if a.name in written)


def test_the_race_free_profile_shares_memory() -> None:
    functions = [draw_shader(seed, RACE_FREE).all_functions for seed in range(200)]
    kinds = [{type(n) for f in fs for n in (*ast.walk(f.body), *ast.expressions_in(f.body))} for fs in functions]
    assert sum(ast.SharedAssign in some for some in kinds) > 40
    assert sum(ast.SharedRead in some for some in kinds) > 50


# --------------------------------------------------------------------------------------------------------------- motifs


def test_motifs_decide_nearly_every_branch_of_the_papers_rules() -> None:
    alive = {m.name for m in KILLABLE}
    for seed in range(600):
        alive -= {*deciding(draw_shader(seed), only=alive)}
    assert len(alive) <= len(KILLABLE) // 10, alive


def test_most_calm_modules_are_accepted() -> None:
    profile = replace(TINY, calm=100)
    verdicts = Counter(analyse_wgsl(resolve(draw_module(seed, profile))).verdict for seed in range(100))
    assert verdicts[Verdict.ACCEPTS] > 80
