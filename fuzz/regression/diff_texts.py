"""Shaders on which analyses may differ: what ships with the project, edits of that, and small shaders of TinyWGSL."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random

from wgsl_fuzz.fuzz.cases.pairs import Pair, load, load_applications, load_combinations
from wgsl_fuzz.fuzz.cases.plan import shader_seed
from wgsl_fuzz.fuzz.shipped import corpus_folder
from wgsl_fuzz.oracle.core import from_core
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.strategies import draw_shader
from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.enumerate.families import shaders_of_size
from wgsl_fuzz.wgsl.parser import parse
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolution import Resolution
from wgsl_fuzz.wgsl.spelling import spell
from wgsl_fuzz.wgsl.syntax import Block, Function, Module, Statement
from wgsl_fuzz.wgsl.walk import descendants

Text = tuple[str, str]
"""Where a text comes from, and the text."""
Candidate = Text | tuple[str, Resolution]
"""The same, or the shader itself."""


def known_texts() -> Iterator[Text]:
    """Every text that ships, those first that are known to differ by rule set; none twice."""
    seen: set[str] = set()
    for origin, text in _shipped():
        if text not in seen:
            seen.add(text)
            yield origin, text


def _shipped() -> Iterator[Text]:
    pairs = sorted(_valid_pairs(), key=lambda pair: not (pair.letter or pair.before or pair.tint or pair.change))
    yield from ((f"pair {pair.name}", text) for pair in pairs for text in (pair.rejected, pair.accepted))
    yield from corpus_texts()
    yield from ((one.name, one.text) for one in load_combinations())
    yield from load_applications().items()


def corpus_texts() -> Iterator[Text]:
    """The shaders of the corpus."""
    for path in sorted(corpus_folder().glob("*/shader.wgsl")):
        yield f"corpus/{path.parent.name}", path.read_text(encoding="utf-8")


@cache
def _valid_pairs() -> tuple[Pair, ...]:
    """Those that are about uniformity on both sides."""
    return tuple(pair for pair in load() if pair.refusal is Verdict.REJECTS)


def enumerated(statements: int) -> Iterator[Candidate]:
    """Every shader of the family `main` with so many statements."""
    for shader in shaders_of_size(statements):
        yield f"all shaders of {statements} statements", from_core(shader)


def drawn_cores(count: int, seed: int) -> Iterator[Candidate]:
    """Drawn shaders of TinyWGSL."""
    for index in range(count):
        yield f"random, seed {seed}, shader {index}", from_core(draw_shader(shader_seed(seed, index)))


def drawn(count: int, seed: int) -> Iterator[Candidate]:
    """Drawn by turns: a shader of TinyWGSL as printed, one in other surface forms, two texts that edit pairs."""
    for index in range(count):
        if index % 4 < 2:
            shader = draw_shader(shader_seed(seed, index))
            origin = f"random, seed {seed}, shader {index}"
            yield (origin, spell(shader, RandomSource(index))) if index % 4 else (origin, from_core(shader))
        else:
            yield edited_text(Random(f"{seed} {index}"))


def edited_text(random: Random) -> Text:
    """A text made of one pair or two: with a statement less, of both sides, or one behind the other."""
    pair, other = random.choice(_valid_pairs()), random.choice(_valid_pairs())
    one, two = random.sample((pair.accepted, pair.rejected), 2)
    way = random.randrange(3)
    if way == 0:
        module, names = _without_statement(parse(one), random), pair.name
    elif way == 1:
        module, names = _of_both_sides(parse(one), parse(two), random), pair.name
    else:
        module, names = _behind(parse(one), parse(other.rejected)), f"{pair.name} and {other.name}"
    return f"an edit of {names}", print_module(module)


def _without_statement(module: Module, random: Random) -> Module:
    blocks = [n for n in descendants(module) if isinstance(n, Block) and n.statements]
    if not blocks:
        return module
    block = random.choice(blocks)
    i = random.randrange(len(block.statements))
    # The tree is ours alone: in place is as good as a copy.
    object.__setattr__(block, "statements", (*block.statements[:i], *block.statements[i + 1 :]))
    return module


def _of_both_sides(one: Module, two: Module, random: Random) -> Module:
    mine, theirs = _main(one).body.statements, _main(two).body.statements
    if not mine or not theirs:
        return one
    i, j = random.randrange(len(mine)), random.randrange(len(theirs))
    return _with_main(one, (*mine[:i], theirs[j], *mine[i + 1 :]))


def _behind(one: Module, two: Module) -> Module:
    """The statements of one entry point in a block, then those of the other; with what both declare."""
    mine, theirs = _main(one), _main(two)
    known = set(one.declarations)
    more = tuple(d for d in two.declarations if d not in known and d is not theirs)
    directives = (*one.directives, *(d for d in two.directives if d not in one.directives))
    body: tuple[Statement, ...] = (Block(mine.body.statements), *theirs.body.statements)
    joined = _with_main(one, body)
    return replace(joined, directives=directives, declarations=(*joined.declarations, *more))


def _main(module: Module) -> Function:
    """The entry point, or what is last."""
    functions = [d for d in module.declarations if isinstance(d, Function)]
    return next((f for f in functions if f.name == "main"), functions[-1])


def _with_main(module: Module, statements: tuple[Statement, ...]) -> Module:
    main = _main(module)
    changed = replace(main, body=replace(main.body, statements=statements))
    return replace(module, declarations=tuple(changed if d is main else d for d in module.declarations))
