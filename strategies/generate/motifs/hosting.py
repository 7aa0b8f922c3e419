"""Where motifs stand: in blocks of any kind and depth, beside others, in a function, and with other kinds of variables.

A motif is a list of statements. A step of hosting takes some that follow each other, at any depth, and puts a block
around them; or it moves a statement into a block before it, so that what decides stands directly behind what it decides
about; or it makes a function of the last ones. What is drawn stays valid: names stay in scope, and jumps have a target.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from wgsl_fuzz.strategies.choices.source import Odds
from wgsl_fuzz.strategies.generate.motifs.drawing import MotifDrawer
from wgsl_fuzz.wgsl.builtins import INPUTS, words

_DECLARED = re.compile(r"(?:var|let|const) (\w+)")
_ELSE = re.compile(r"\s*else\b")
_TOKEN = re.compile(r"\b(?:loop|while|for|switch|continuing|break if|break|continue|return)\b|[{}();]")
_HEADS = words("loop while for switch continuing")
_CALM, _LOOP, _SWITCH, _CONTINUING = "calm", "loop", "switch", "continuing"
"""What a block does to the jumps in it: nothing; it is a target; or it forbids them."""

_BLOCKS = Odds(
    [
        ((_CALM, "if G { @ }"), 3),
        ((_CALM, "if G { @ } else { P }"), 1),
        ((_CALM, "if G { P } else { @ }"), 3),
        ((_CALM, "if G { P } else if G { @ }"), 1),
        ((_CALM, "{ @ }"), 4),
        ((_SWITCH, "switch U { case 1u { @ } default { P } }"), 3),
        ((_SWITCH, "switch U { default { P } case 2u, 5u { @ } case 4u { P } }"), 1),
        ((_SWITCH, "switch U { case 1u, 3u { P } default { @ } }"), 2),
        ((_SWITCH, "switch U { default { @ } case 2u { P } }"), 1),
        ((_SWITCH, "switch U { case 2u { P } case 0u, default { @ } }"), 1),
        ((_LOOP, "loop { @ if G { break; } }"), 1),
        ((_LOOP, "loop { if G { break; } @ }"), 1),
        ((_LOOP, "loop { @ break; }"), 1),
        ((_LOOP, "loop { @ continuing { P break if G; } }"), 2),
        ((_LOOP, "while G { @ }"), 4),
        ((_LOOP, "for (; G; ) { @ }"), 1),
        ((_LOOP, "for (var NAME = 0u; NAME < 2u; NAME++) { @ }"), 2),
        ((_LOOP, "for (; G; state += 1u) { @ }"), 1),
        ((_CONTINUING, "loop { P if G { break; } continuing { @ } }"), 2),
        ((_CONTINUING, "loop { P continuing { @ break if G; } }"), 2),
    ]
)
"""Each kind of block about as often as the others."""
_JUMPS: Mapping[str, Sequence[str]] = {
    _CALM: ("return;",),
    _SWITCH: ("break;", "break;", "return;"),
    _LOOP: ("continue;", "break;", "continue;", "return;"),
}
_HOLE = re.compile(r"\b[GUP]\b|NAME")


def statements(text: str) -> list[str]:
    """The statements of a text, each with all that is in it."""
    found, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        if letter in "({[":
            depth += 1
        elif letter in ")}]":
            depth -= 1
        if not depth and (letter == ";" or (letter == "}" and not _ELSE.match(text, i + 1))):
            found.append(text[start : i + 1].strip())
            start = i + 1
    return [*found, *filter(None, [text[start:].strip()])]


def _scan(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """The braces and jumps of a text, with their places and the words of the blocks around them."""
    around: list[str] = []
    head, parentheses = "", 0
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "(" | ")":
                parentheses += 1 if token[0] == "(" else -1
            case ";":
                head = head if parentheses else ""
            case "{":
                around.append(head)
                yield "{", token.start(), around
                head = ""
            case "}":
                yield "}", token.start(), around
                around.pop()
            case word if word in _HEADS:
                head = word
            case word:
                yield word, token.start(), around


def free_jumps(text: str) -> set[str]:
    """The jumps in a text that leave it; a `return` always does."""
    found = set()
    for word, _, around in _scan(text):
        if word == "return" or (word == "continue" and not {"loop", "while", "for"} & {*around}):
            found.add(word)
        if word == "break" and not {"loop", "while", "for", "switch"} & {*around}:
            found.add(word)
        if word == "break if" and "continuing" not in around:
            found.add(word)
    return found


def blocks(text: str) -> list[tuple[int, int]]:
    """Where the blocks of a statement begin and end, without braces; not those that have a `continuing`, or are one."""
    found, starts = [], list[int]()
    for word, place, around in _scan(text):
        if word == "{":
            starts.append(place + 1)
        elif word == "}":
            start = starts.pop()
            if (
                not {"continuing"} & {*around}
                and around[-1] != "switch"
                and "continuing" not in _own(text[start:place])
            ):
                found.append((start, place))
    return found


def _own(text: str) -> str:
    """The text of a block without the blocks in it."""
    kept, depth = [], 0
    for part in re.split(r"([{}])", text):
        depth += {"{": 1, "}": -1}.get(part, 0)
        kept.append("" if depth else part)
    return "".join(kept)


def _names(text: str) -> set[str]:
    """The names that the statements themselves declare."""
    return {found[1] for s in statements(text) if (found := _DECLARED.match(s))}


def _uses(text: str, names: set[str]) -> bool:
    return any(re.search(rf"\b{name}\b", text) for name in names)


def hosted(d: MotifDrawer, text: str) -> str:
    """The statements at other places: some steps of hosting."""
    for _ in range(d.source.weighted(_STEPS) if d.chance(90) else 0):
        text = _changed_somewhere(d, text) if d.core or not d.chance(15) else outlined(d, text)
    return text


_STEPS = Odds([(2, 3), (3, 4), (4, 3)])
"""How many steps a motif is hosted in, if it is."""


def _changed_somewhere(d: MotifDrawer, text: str) -> str:
    """A text in which some statements of it, or of a block in it, stand elsewhere."""
    inside = blocks(text)
    if inside and d.chance(45):
        start, end = d.source.pick(inside)
        content = text[start:end]
        return f"{text[:start]} {_changed(d, content)} {text[end:]}" if content.strip() else text
    return _changed(d, text)


def _changed(d: MotifDrawer, text: str) -> str:
    """A text in which some of its own statements stand in a block."""
    own = statements(text)
    if not own:
        return text
    if len(own) > 1 and d.chance(35):
        return " ".join(_sunk(d, own))
    first = 0 if d.chance(30) else d.source.integer(0, len(own) - 1)
    last = len(own) if d.chance(50) else d.source.integer(first + 1, len(own))
    within, behind = " ".join(own[first:last]), " ".join(own[last:])
    if _uses(behind, _names(within)):
        within, behind = f"{within} {behind}", ""
    within = _wrapped(d, within)
    return " ".join([*own[:first], _wrapped(d, within) if d.chance(40) else within, behind])


def _wrapped(d: MotifDrawer, text: str) -> str:
    """A block around a text."""
    jumps = free_jumps(text)
    kind, block = d.source.weighted(_BLOCKS)
    head = re.match(r"var \w+(?:: \w+)? = [^;]*;", text)
    if not jumps - {"return"} and head and d.chance(15):
        return f"for ({head[0]} {d.guess()}; ) {{ {text[head.end() :]} }}"
    if (kind == _CONTINUING and jumps) or (kind != _CALM and jumps - {"return"}) or (d.core and kind == _SWITCH):
        kind, block = _CALM, "if G { @ }"
    if kind != _CONTINUING and d.chance(25):
        jump = f"if {d.guess()} {{ {d.padding()} {d.source.pick(_JUMPS[kind])} }}"
        text = f"{jump} {text}" if d.chance(50) else f"{text} {jump}"
    name = d.name("i") if "NAME" in block else ""
    drawn: dict[str, Callable[[], str]] = {"G": d.guess, "U": d.uniform, "P": d.padding, "NAME": lambda: name}
    return _HOLE.sub(lambda hole: drawn[hole[0]](), block).replace("@", text)


def _sunk(d: MotifDrawer, own: list[str]) -> list[str]:
    """One of some statements moves into the one before it: to the end of a block, or behind a statement there."""
    places = [i for i in range(len(own) - 1) if blocks(own[i])]
    if not places:
        return own
    i = d.source.pick(places)
    moved = own[i + 1]
    if free_jumps(moved) or _uses(" ".join(own[i + 2 :]), _names(moved)):
        return own
    start, end = d.source.pick(blocks(own[i]))
    inner = statements(own[i][start:end])
    inner.insert(len(inner) if d.chance(60) else d.source.integer(0, len(inner)), moved)
    return [*own[:i], f"{own[i][:start]} {' '.join(inner)} {own[i][end:]}", *own[i + 2 :]]


# ----------------------------------------------------------------------------------------------------------- functions


def outlined(d: MotifDrawer, text: str) -> str:
    """The last statements as a function, which is handed what they use: pointers to variables, and values."""
    own = statements(text)
    first = d.source.integer(0, len(own) - 1) if own else 0
    before, body = own[:first], " ".join(own[first:])
    parameters = _handed(d, before, body)
    if parameters is None or not body:
        return text
    for name, (type_, _) in parameters.items():
        if type_.startswith("ptr"):
            body = re.sub(rf"&{name}\b(?![.[])", "@@", body)
            body = re.sub(rf"\b{name}\b", f"(*{name})", body).replace("@@", name)
    for _ in range(d.source.integer(0, 3)):
        parameters[d.name("unused")] = ("u32", d.pick(d.number(), d.uniform()))
    names = sorted(parameters, key=lambda _: d.source.integer(0, 9))
    f = d.name("host")
    d.declare(f"fn {f}({', '.join(f'{name}: {parameters[name][0]}' for name in names)}) {{ {body} }}")
    return " ".join([*before, f"{f}({', '.join(parameters[name][1] for name in names)});"])


_TYPES = {row.name: row.type for row in INPUTS.values()} | {"varied": "f32"}


def _handed(d: MotifDrawer, before: Sequence[str], body: str) -> dict[str, tuple[str, str]] | None:
    """What a function with this body is handed: types and arguments by name. None if it cannot be a function."""
    found = {}
    for name in dict.fromkeys(re.findall(r"\b[A-Za-z]\w*\b", body)):
        declared = next((s for s in before if re.match(rf"(?:var|let|const) {name}\b", s)), None)
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
_WHOLE = Odds(
    [(c, 1) for c in _CARRIERS.slots if c.place in ("", "NAME", "u32(NAME)", "(*NAME)") and "array" not in c[0]]
)
"""Those of which an assignment replaces all."""
_VARIABLE = re.compile(r"(?<!\()\bvar ([a-z]) = [UVWXYSAN];")


def carried_letters(text: str) -> list[str]:
    """The variables of a row that hold a u32, by their letters."""
    return list(dict.fromkeys(_VARIABLE.findall(text)))


def carried(d: MotifDrawer, text: str, name: str, *, whole: bool) -> str:
    """A text in which a variable that holds a u32 is of another kind; with `whole`, of one that is replaced as such."""
    carrier = d.source.weighted(_WHOLE if whole else _CARRIERS)
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
