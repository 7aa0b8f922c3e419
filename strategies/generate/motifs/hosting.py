"""Where motifs stand: in blocks of any kind and depth, beside others, in a function, and with other kinds of variables.

A motif is a list of statements. A step of hosting takes some that follow each other, at any depth, and puts a block
around them; or it moves a statement into a block before it, so that what decides stands directly behind what it decides
about; or it makes a function of the last ones. What is drawn stays valid: names stay in scope, and jumps have a target.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.motifs.drawing import TYPES_OF_F16, Link, MotifDrawer
from wgsl_fuzz.wgsl.builtins import INPUTS

Block = list["Statement"]
Statement = list["str | Block"]
"""Its text up to the brace of a block, the block, the text behind it, and so on."""

_DECLARED = re.compile(r"(?:var|let|const) (\w+)")
_ELSE = re.compile(r"\s*else\b")
_MARK = re.compile(r"[(){};]")
_WORD = re.compile(r"\w+")
_HEAD = re.compile(r"\b(?:loop|while|for|switch|continuing)\b")
_JUMP = re.compile(r"break if|break|continue|return")
_ENDS_IN = {
    "loop": {"break", "continue"},
    "while": {"break", "continue"},
    "for": {"break", "continue"},
    "switch": {"break"},
    "continuing": {"break if"},
}
"""The jumps that do not leave a statement, by its head."""
_CALM, _LOOP, _SWITCH, _CONTINUING = "calm", "loop", "switch", "continuing"
"""What a block does to the jumps in it: nothing; it is a target; or it forbids them."""

_BLOCKS = Odds(
    [
        ((_CALM, "if T { @; }"), 3),
        ((_CALM, "if T { @; } else { P }"), 1),
        ((_CALM, "if F { P } else { @; }"), 3),
        ((_CALM, "if F { P } else if T { @; }"), 1),
        ((_CALM, "{ @; }"), 4),
        ((_SWITCH, "switch ONE { case 1u { @; } default { P } }"), 3),
        ((_SWITCH, "switch U { default { P } case 2u, 5u { @; } case 4u { P } }"), 1),
        ((_SWITCH, "switch U { case 1u, 3u { P } default { @; } }"), 2),
        ((_SWITCH, "switch U { default { @; } case 2u { P } }"), 1),
        ((_SWITCH, "switch U { case 2u { P } case 0u, default { @; } }"), 1),
        ((_LOOP, "loop { @; if T { break; } }"), 1),
        ((_LOOP, "loop { if F { break; } @; if T { break; } }"), 1),
        ((_LOOP, "loop { @; break; }"), 1),
        ((_LOOP, "loop { @; continuing { P break if T; } }"), 2),
        ((_LOOP, "while G { @; }"), 2),
        ((_LOOP, "while T { @; if T { break; } }"), 2),
        ((_LOOP, "for (; G; state += 1u) { @; }"), 1),
        ((_LOOP, "for (; T; ) { @; if T { break; } }"), 1),
        ((_LOOP, "for (var NAME = 0u; NAME < 2u; NAME++) { @; }"), 2),
        ((_CONTINUING, "loop { P if G { break; } continuing { @; } }"), 2),
        ((_CONTINUING, "loop { P continuing { @; break if T; } }"), 2),
    ]
)
"""Each kind of block about as often as the others."""
_JUMPS: Mapping[str, Sequence[str]] = {
    _CALM: ("return;",),
    _SWITCH: ("break;", "break;", "return;"),
    _LOOP: ("continue;", "break;", "continue;", "return;"),
}
_HOLE = re.compile(r"\b(?:[GTFUP]|ONE)\b|NAME")


def statements(text: str) -> Block:
    """The statements of a text."""
    found, statement = list[Statement](), Statement()
    around = []
    parentheses = start = 0
    for mark in _MARK.finditer(text):
        match mark[0]:
            case "(" | ")":
                parentheses += 1 if mark[0] == "(" else -1
            case "{":
                statement.append(text[start : mark.end()].strip())
                around.append((found, statement))
                found, statement, start = [], [], mark.end()
            case "}":
                block = found
                found, statement = around.pop()
                statement.append(block)
                start = mark.start()
                if not _ELSE.match(text, mark.end()):
                    found.append([*statement, "}"])
                    statement, start = [], mark.end()
            case _ if not parentheses:
                found.append([text[start : mark.end()].strip()])
                start = mark.end()
    return found


def text_of(block: Block) -> str:
    """The text of some statements."""
    return " ".join(
        ["".join([part if isinstance(part, str) else text_of(part) for part in statement]) for statement in block]
    )


def _blocks(statement: Statement) -> Iterator[tuple[str, Block]]:
    """The blocks of a statement, each with the word that says what they are, if there is one."""
    for i in range(1, len(statement), 2):
        before, block = statement[i - 1], statement[i]
        if isinstance(before, str) and not isinstance(block, str):
            yield _head(before), block


@lru_cache(1 << 14)
def _head(text: str) -> str:
    head = _HEAD.search(text)
    return head[0] if head else ""


@lru_cache(1 << 14)
def _jump(text: str) -> str:
    """The jump that a statement is, if it is one."""
    jump = _JUMP.match(text)
    return jump[0] if jump else ""


def free_jumps(block: Block) -> set[str]:
    """The jumps in some statements that leave them; a `return` always does."""
    found = set()
    for statement in block:
        if len(statement) == 1:
            if jump := _jump(str(statement[0])):
                found.add(jump)
        else:
            for head, inner in _blocks(statement):
                found |= free_jumps(inner) - _ENDS_IN.get(head, _NONE)
    return found


_NONE: frozenset[str] = frozenset()


def inner_blocks(block: Block) -> list[Block]:
    """The blocks in some statements, at any depth; not those that have a `continuing`, or are one."""
    found = []
    for statement in block:
        if len(statement) > 1:
            for head, inner in _blocks(statement):
                if head != "continuing":
                    found += inner_blocks(inner)
                    goes_on = head == "loop" and any([h == "continuing" for s in inner for h, _ in _blocks(s)])
                    if head != "switch" and not goes_on:
                        found.append(inner)
    return found


def _declared(block: Block) -> set[str]:
    """The names that the statements themselves declare."""
    return {found[1] for s in block if isinstance(s[0], str) and (found := _DECLARED.match(s[0]))}


def _uses(block: Block, names: set[str]) -> bool:
    return bool(names) and not names.isdisjoint(_WORD.findall(text_of(block)))


def hosted(d: MotifDrawer, text: str) -> str:
    """The statements at other places: some steps of hosting."""
    steps = d.source.weighted(_STEPS) if d.chance(90) else 0
    if not steps:
        return text
    block = statements(text)
    for _ in range(steps):
        if d.core or not d.chance(15):
            _change_somewhere(d, block)
        else:
            _outline(d, block)
    return text_of(block)


_STEPS = Odds([(3, 3), (4, 4), (5, 3)])
"""How many steps a motif is hosted in, if it is."""


def _change_somewhere(d: MotifDrawer, block: Block) -> None:
    """Some statements, or some of a block in them, stand elsewhere from now on."""
    inside = inner_blocks(block)
    if inside and d.chance(45):
        block = d.source.pick(inside)
    if block:
        _change(d, block)


def _change(d: MotifDrawer, own: Block) -> None:
    """Some of the statements stand in a block from now on."""
    if len(own) > 1 and d.chance(35):
        _sink(d, own)
        return
    first = 0 if d.chance(30) else d.source.integer(0, len(own) - 1)
    last = len(own) if d.chance(50) else d.source.integer(first + 1, len(own))
    if _uses(own[last:], _declared(own[first:last])):
        last = len(own)
    within = _wrapped(d, own[first:last])
    own[first:last] = _wrapped(d, within) if d.chance(40) else within


def _wrapped(d: MotifDrawer, block: Block) -> Block:
    """A block around some statements."""
    jumps = free_jumps(block)
    kind, template = d.source.weighted(_BLOCKS)
    head = _FOR_HEAD.match(str(block[0][0]))
    if not jumps - {"return"} and head and d.chance(15):
        return [[f"for ({head[0]} {d.guess()}; ) {{", block[1:], "}"]]
    if (kind == _CONTINUING and jumps) or (kind != _CALM and jumps - {"return"}) or (d.core and kind == _SWITCH):
        kind, template = _CALM, "if T { @; }"
    if kind != _CONTINUING and d.chance(25):
        jump = statements(f"if {d.likely(False)} {{ {d.padding()} {d.source.pick(_JUMPS[kind])} }}")
        block = jump + block if d.chance(50) else block + jump
    name = d.name("i") if "NAME" in template else ""
    drawn: dict[str, Callable[[], str]] = {
        "G": d.guess,
        "T": lambda: d.likely(True),
        "F": lambda: d.likely(False),
        "U": d.uniform,
        "ONE": lambda: d.pick("1u", d.uniform()),
        "P": d.padding,
        "NAME": lambda: name,
    }
    return _with_content(statements(_HOLE.sub(lambda hole: drawn[hole[0]](), template)), block)


_FOR_HEAD = re.compile(r"var \w+(?:: \w+)? = [^;]*;")


def _with_content(block: Block, content: Block) -> Block:
    """Some statements with others in the place of `@;`."""
    found: Block = []
    for statement in block:
        parts = [part if isinstance(part, str) else _with_content(part, content) for part in statement]
        found += content if parts == ["@;"] else [parts]
    return found


_CONSTANT = re.compile(r"\b(?:let|const) (\w+)")
_CHANGED = re.compile(r"&(\w+)|\b(\w+)(?:\[[^\]]*\]|\.\w+)* *(?:[-+*/%&|^]|<<|>>)?=(?!=)|\b(\w+)(?:\+\+|--)")
"""The names of variables that a statement writes to, or takes the address of."""


def _sink(d: MotifDrawer, own: Block) -> None:
    """One of some statements moves into the one before it: to the end of a block, or behind a statement there."""
    places = {i: inside for i, s in enumerate(own[:-1]) if (inside := inner_blocks([s]))}
    if not places:
        return
    i = d.source.pick(list(places))
    moved = own[i + 1]
    if free_jumps([moved]) or _uses(own[i + 2 :], _declared([moved])):
        return
    changed = {name for names in _CHANGED.findall(text_of([moved])) for name in names}
    if not changed.isdisjoint(_CONSTANT.findall(text_of([own[i]]))):
        return  # what has the same name there is no variable
    inner = d.source.pick(places[i])
    inner.insert(len(inner) if d.chance(60) else d.source.integer(0, len(inner)), moved)
    del own[i + 1]


# ----------------------------------------------------------------------------------------------------------- functions


def _outline(d: MotifDrawer, own: Block) -> None:
    """The last statements become a function, which is handed what they use: pointers to variables, and values."""
    first = d.source.integer(0, len(own) - 1) if own else 0
    body = text_of(own[first:])
    parameters = _handed(d, own[:first], body)
    if parameters is None or not body:
        return
    for name, (type_, _) in parameters.items():
        if type_.startswith("ptr"):
            body = re.sub(rf"&{name}\b(?![.[])", "@@", body)
            body = re.sub(rf"\b{name}\b", f"(*{name})", body).replace("@@", name)
    for _ in range(d.source.integer(0, 3)):
        parameters[d.name("unused")] = ("u32", d.pick(d.number(), d.uniform()))
    names = sorted(parameters, key=lambda _: d.source.integer(0, 9))
    f = d.name("host")
    d.declare(f"fn {f}({', '.join(f'{name}: {parameters[name][0]}' for name in names)}) {{ {body} }}")
    own[first:] = [[f"{f}({', '.join(parameters[name][1] for name in names)});"]]


_TYPES = {row.name: row.type for row in INPUTS.values()} | {"varied": "f32"}


def _handed(d: MotifDrawer, before: Block, body: str) -> dict[str, tuple[str, str]] | None:
    """What a function with this body is handed: types and arguments by name. None if it cannot be a function."""
    found = {}
    texts = [text_of([statement]) for statement in before]
    for name in dict.fromkeys(re.findall(r"\b[A-Za-z]\w*\b", body)):
        declared = next((text for text in texts if re.match(rf"(?:var|let|const) {name}\b", text)), None)
        if name in d.taken or any(p.startswith(f"{name}:") for p in d.parameters):
            return None
        if declared is not None:
            type_ = d.types.get(name)
            if type_ is None or declared.startswith("const") or re.search(rf"(?:var|let|const) {name}\b", body):
                return None
            found[name] = (f"ptr<function, {type_}>", f"&{name}") if declared.startswith("var") else (type_, name)
        elif name in _TYPES and re.search(rf"(?<![.\w]){name}\b", body):
            found[name] = _TYPES[name], name
    return found


# ----------------------------------------------------------------------------------------------------------- variables


class Carrier(NamedTuple):
    """How a u32 is kept: its declaration, its type, and how it is named."""

    declaration: str
    type: str
    place: str
    stored: str = ""
    """Of another type of scalars: what a value is converted to."""


_CARRIERS = Odds(
    [
        (Carrier("", "u32", ""), 8),
        (Carrier("var NAME: u32; NAME = E;", "u32", "NAME"), 3),
        (Carrier("var NAME = array<u32, 2>(E, 1u);", "array<u32, 2>", "NAME[0]"), 2),
        (Carrier("var NAME: array<u32, 3>; NAME[1] = E;", "array<u32, 3>", "NAME[1]"), 2),
        (Carrier("var NAME = Pair(E, 2u);", "Pair", "NAME.a"), 2),
        (Carrier("var NAME: Pair; NAME.b = E;", "Pair", "NAME.b"), 1),
        (Carrier("var NAME: Nest; NAME.p.b = E;", "Nest", "NAME.p.b"), 1),
        (Carrier("var NAME = vec2u(1u, E);", "vec2u", "NAME.y"), 2),
        (Carrier("var NAME = vec3u(E);", "vec3u", "NAME[2]"), 1),
        (Carrier("var NAME: vec4u; NAME.x = E;", "vec4u", "NAME.x"), 1),
        (Carrier("var NAMEs = E; let NAME = &NAMEs;", "", "(*NAME)"), 2),
        (Carrier("var NAMEs = array<u32, 2>(1u, E); let NAME = &NAMEs[1];", "", "(*NAME)"), 1),
        (Carrier("var NAMEs = Pair(1u, E); let NAME = &NAMEs;", "", "NAME.b"), 1),
        (Carrier("var NAME = bool(E);", "bool", "u32(NAME)", "bool"), 3),
        (Carrier("var NAME: bool; NAME = bool(E);", "bool", "u32(NAME)", "bool"), 2),
        (Carrier("var NAME = i32(E);", "i32", "u32(NAME)", "i32"), 1),
        (Carrier("var NAME: f32; NAME = f32(E);", "f32", "u32(NAME)", "f32"), 1),
    ]
)
_CARRIERS_F16 = Odds(
    [
        (Carrier("var NAME = f16(E);", "f16", "u32(NAME)", "f16"), 1),
        (Carrier("var NAME: f16; NAME = f16(E);", "f16", "u32(NAME)", "f16"), 1),
    ]
)
_WHOLE = Odds(
    [(c, 1) for c in _CARRIERS.slots if c.place in ("", "NAME", "u32(NAME)", "(*NAME)") and "array" not in c[0]]
)
"""Those of which an assignment replaces all."""
_LINKS = Odds([(Carrier("var NAME = E;", "u32", "NAME"), 4), *((c, 1) for c in _CARRIERS.slots if c.declaration)])
_LINKS_IN_CORE = Odds([(c, 1) for c in _LINKS.slots if c.type in ("u32", "bool", "i32")])


def new_link(d: MotifDrawer) -> Link:
    """A variable of any kind, by which a motif can hand on."""
    carrier = d.either(_LINKS_IN_CORE if d.core else _LINKS, _CARRIERS_F16, TYPES_OF_F16)
    name = d.name("link")
    declaration, place = (text.replace("NAME", name) for text in (carrier.declaration, carrier.place))
    first, end, _ = declaration.partition("; ")
    declared = first + end if end and "=" not in first else re.sub(r"\bE\b", d.pick("0u", d.uniform()), declaration)
    if carrier.type:
        d.types[name] = carrier.type
    return Link(name, declared, f"{name} = {carrier.stored}(E);" if carrier.stored else f"{place} = E;", place)


_VARIABLE = re.compile(r"(?<!\()\bvar ([a-z]) = [UVWXYSAN];")


def carried_letters(text: str) -> list[str]:
    """The variables of a row that hold a u32, by their letters."""
    return list(dict.fromkeys(_VARIABLE.findall(text)))


def carried(d: MotifDrawer, text: str, name: str, *, whole: bool) -> str:
    """A text in which a variable that holds a u32 is of another kind; with `whole`, of one that is replaced as such."""
    carrier = d.either(_WHOLE if whole else _CARRIERS, _CARRIERS_F16, TYPES_OF_F16)
    other = rf"(?:let|const) {name}\b|\(var {name}\b|\b{name}[:.[]"
    if carrier.type.startswith("vec"):
        other += rf"|&{name}\b"
    if carrier.stored:
        other += rf"|&{name}\b|\b{name}\s*(?:\+\+|--|[-+*/%&|^]= )"
    if not carrier.declaration or re.search(other, text):
        d.types[name] = "u32"
        return text
    changed = text
    if carrier.stored:
        changed = re.sub(rf"(?<!var )\b{name} = ([^;{{}}]*);", rf"@@ = {carrier.stored}(\1);", text)
        if re.search(rf"(?<!var )\b{name} = ", changed):
            return text
    declaration = carrier.declaration.replace("NAME", "@@")
    changed = re.sub(rf"\bvar {name} = ([^;]*);", lambda found: declaration.replace("E", found[1]), changed)
    changed = re.sub(rf"\b{name}\b", carrier.place.replace("NAME", "@@"), changed)
    if carrier.type:
        d.types[name] = carrier.type
    return changed.replace("@@", name)
