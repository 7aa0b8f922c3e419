"""Text -> tokens (3 #textual-structure), each with its place; template lists are found already."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, compress, islice
from math import inf

from wgsl_fuzz.wgsl.problems import LINE_ENDS, SyntaxProblem, first_of


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _words(
    """
    alias break case const const_assert continue continuing default diagnostic discard else enable false fn for
    if let loop override requires return struct switch true var while
    """
)
"""Words of the grammar (WGSL, section 15.1.2)."""

RESERVED = _words(
    """
    abstract active alignas alignof as asm asm_fragment async attribute auto await become binding_array cast
    catch class co_await co_return co_yield coherent column_major common compile compile_fragment CompileShader
    ComputeShader concept const_cast consteval constexpr constinit crate debugger decltype delete demote
    demote_to_helper do DomainShader dynamic_cast enum explicit export extends extern external fallthrough
    filter final finally friend from fxgroup GeometryShader get goto groupshared handle highp Hullshader impl
    implements import inline inout instanceof interface layout lowp macro macro_rules match mediump meta mod
    module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent noncoherent
    noperspective NULL null nullptr of operator package packoffset partition pass patch pixelfragment precise
    precision premerge priv protected pub public readonly ref regardless register reinterpret_cast require
    resource restrict Self self set shared signed sizeof smooth snorm static static_assert static_cast std
    subroutine super target template this thread_local throw trait try type typedef typeid typename typeof union
    unless unorm unsafe unsized use using varying virtual volatile wgsl where with writeonly yield
    """
)
"""Reserved for future use (WGSL, Reserved Words): in the 2023 draft or today."""

# ------------------------------------------------------------------------------------------------------ template lists

OPEN, CLOSE = "template list <", "template list >"
"""What the text of a token `<` or `>` becomes that encloses a template list."""

_ENDING = frozenset("=;{:") | {"", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<="}
"""What no template list contains, the end of the text included."""
_LONGER = {(">", ">"): ">>", (">", "="): ">=", (">>", "="): ">>="}
"""Tokens that begin with `>`, put together from what `mark` leaves."""


def mark(texts: list[str], starts: Sequence[int], words: frozenset[str]) -> None:
    """Replaces the tokens that enclose template lists. `words` are the identifiers and keywords among the texts.

    Each `>` is a token of its own here; the last token is empty. The specification walks through the whole text.
    Where no list is open nothing before counts, so this begins anew at each `<` behind a word.
    """
    at = 0
    for _ in range(texts.count("<")):
        try:
            at = texts.index("<", at)
        except ValueError:
            return
        at = _mark_from(at, texts, starts, words) if texts[at - 1] in words else at + 1


def _mark_from(at: int, texts: list[str], starts: Sequence[int], words: frozenset[str]) -> int:
    """Goes from a `<` to where no list is open; returns the index behind that."""
    pending, depth = [(at, 0)], 0
    while pending:
        at += 1
        text = texts[at]
        if text == ">":
            if pending[-1][1] == depth:
                texts[pending.pop()[0]], texts[at] = OPEN, CLOSE
            elif texts[at + 1] == "=" and starts[at + 1] == starts[at] + 1:
                at += 1
        elif text == "<":
            if texts[at - 1] in words:
                pending.append((at, depth))
        elif text == "(" or text == "[":
            depth += 1
        elif text in _ENDING:
            break
        elif text == ")" or text == "]" or text == "&&" or text == "||":
            while pending and pending[-1][1] >= depth:
                pending.pop()
            depth -= text == ")" or text == "]"
    return at + 1


def join(texts: list[str], starts: list[int], ends: list[int]) -> tuple[list[str], list[int], list[int]]:
    """Puts `>>`, `>=` and `>>=` together, from the `>` that close no list."""
    kept = bytearray(b"\1") * len(texts)
    for at in [index for index, text in enumerate(texts) if text == ">"]:
        behind = at + 1
        while kept[at] and ends[at] == starts[behind] and (longer := _LONGER.get((texts[at], texts[behind]))):
            texts[at], ends[at], kept[behind] = longer, ends[behind], 0
            behind += 1
    if all(kept):
        return texts, starts, ends
    return list(compress(texts, kept)), list(compress(starts, kept)), list(compress(ends, kept))


# -------------------------------------------------------------------------------------------------------------- lexer


RESERVED_WORDS = RESERVED - {
    *("CompileShader", "ComputeShader", "DomainShader", "GeometryShader", "Hullshader"),
    *("binding_array", "handle", "inout", "signed"),
}
"""15.2 #reserved-words without those that only the draft of 2023 has."""

_EXPONENT = r"[eE][+-]?[0-9]+"
_POWER = r"[pP][+-]?[0-9]+[fh]?"
_NUMBER = (
    rf"0[xX](?:[0-9a-fA-F]*\.[0-9a-fA-F]+(?:{_POWER})?|[0-9a-fA-F]+\.(?:{_POWER})?"
    rf"|[0-9a-fA-F]+{_POWER}|[0-9a-fA-F]+[iu]?)"
    rf"|\.[0-9]+(?:{_EXPONENT})?[fh]?"
    rf"|[0-9]+(?:\.[0-9]*(?:{_EXPONENT})?[fh]?|{_EXPONENT}[fh]?|[fhiu])?"
)
_LEADING_ZERO = re.compile("0[0-9]+[iu]?")
"""Tint reads `01f`, so we do, though 3.5.2 has no such literal."""
_NAME = "[A-Za-z_{0}][0-9A-Za-z_{0}]*".format("\x80-\x84\x86-\u200d\u2010-\u2027\u202a-\U0010ffff")
"""Any character beyond ASCII that is no blank: each name is checked once."""
_BLANK = r" \t-\r\x85\u200e\u200f\u2028\u2029"
_PUNCTUATION = rf"->|\+\+|--(?=[{_BLANK}]*[;)])|&&|\|\||<<=|<<|[-+*/%&|^<!=]="
"""Of two characters or more. `--` is one token only where a statement ends: `a--b` is `a - -b`.

The tokens that begin with `>` are put together later.
"""
_LIMITS = {"i": 2**31, "u": 2**32, "": 2**63, "f": 2.0**128, "h": 2.0**16}
"""The literals with a suffix are below; for one without, that is of the integers."""
_SINGLE = frozenset("()[]{}<>;,:.=+-*/%&|^~!@")

_LOOKED_AT = 1000
"""Of so many wrong tokens at most it is said what is wrong with them."""

_TOKEN = re.compile(f"({_NAME}|{_NUMBER}|{_PUNCTUATION}|[^{_BLANK}])")
_COMMENT = re.compile(f"//[^{LINE_ENDS}]*|/[*]")
_BLOCK_COMMENT_MARK = re.compile("/[*]|[*]/")


@dataclass(slots=True)
class Tokens:
    """The tokens of a text, in columns. The last one is empty: the end of the text."""

    texts: list[str]
    starts: list[int]
    ends: list[int]
    names: frozenset[str]
    """The texts that are identifiers."""
    literals: frozenset[str]
    """The texts that are numbers, `true` or `false`."""


def tokens(text: str) -> Tokens:
    """Splits a text. Raises SyntaxProblem at the first character or word that can be no token."""
    if (null := text.find("\0")) >= 0:
        raise SyntaxProblem("null character", null)
    texts, starts, ends = _split(text)
    distinct = frozenset(texts)
    names, literals = _sorted_out(distinct, texts, starts)
    if "<" in distinct:
        mark(texts, starts, names | (distinct & KEYWORDS))
    if ">" in texts:
        texts, starts, ends = join(texts, starts, ends)
    return Tokens(texts, starts, ends, names, literals)


def pieces(text: str) -> list[str]:
    """The texts of the tokens, whether they can be any or not. Raises SyntaxProblem for a comment that does not end."""
    return join(*_split(text))[0][:-1]


def pieces_and_blanks(text: str) -> list[tuple[str, str]]:
    """The texts of the tokens, each with the blanks and comments behind it."""
    texts, starts, ends = join(*_split(text))
    return [(piece, text[end:following]) for piece, end, following in zip(texts, ends, starts[1:])]


def token_at(text: str, start: int) -> str:
    """The text of the token that begins at an offset; empty where none does."""
    found = _TOKEN.match(text, start)
    return "" if found is None else found[0]


def _split(text: str) -> tuple[list[str], list[int], list[int]]:
    """The columns of the tokens; each `>` is a token of its own, and the last token is empty."""
    parts = _TOKEN.split(without_comments(text))
    texts = parts[1::2]
    edges = list(accumulate(map(len, parts)))
    starts, ends = edges[0::2], edges[1::2]
    texts.append("")
    ends.append(starts[-1])
    return texts, starts, ends


def without_comments(text: str) -> str:
    """The text with blanks for its comments, so that all places stay the same."""
    if "//" not in text and "/*" not in text:
        return text
    parts, at = [], 0
    while comment := _COMMENT.search(text, at):
        end = comment.end() if comment[0] != "/*" else _end_of_block_comment(text, comment.start())
        parts += [text[at : comment.start()], " " * (end - comment.start())]
        at = end
    return "".join((*parts, text[at:]))


def _end_of_block_comment(text: str, start: int) -> int:
    depth = 0
    for mark in _BLOCK_COMMENT_MARK.finditer(text, start):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return mark.end()
    raise SyntaxProblem("the block comment does not end", start)


def _sorted_out(distinct: frozenset[str], texts: list[str], starts: list[int]) -> tuple[frozenset[str], frozenset[str]]:
    """The names and the literals among the tokens. Raises for those that are no tokens."""
    names, literals, wrong = [], [], set()
    for text in distinct:
        kind = _kind(text)
        if kind == _NAME_KIND:
            names.append(text)
        elif kind == _LITERAL_KIND:
            literals.append(text)
        elif kind == _WRONG_KIND:
            wrong.add(text)
    if wrong:
        found = (_problem(text, starts[where]) for where, text in enumerate(texts) if text in wrong)
        told: dict[str, SyntaxProblem] = {}
        for problem in islice(found, _LOOKED_AT):
            told.setdefault(problem.message, problem)
        raise first_of(list(told.values()))
    return frozenset(names), frozenset(literals)


def number_of(text: str) -> tuple[int | float, str]:
    """The value of a literal that is a number, and its suffix. Raises OverflowError if its type has no such value."""
    small = text.lower()
    is_hex = small.startswith("0x")
    is_real = "." in text or ("p" in small if is_hex else "e" in small or small[-1] in "fh")
    is_digit = is_hex and "p" not in small and small[-1] == "f"  # the last letter of `0x1.f`, but not of `0x1p3f`
    suffix = text[-1] if text[-1] in "iufh" and not is_digit else ""
    digits = text.removesuffix(suffix)
    if is_real:
        value: int | float = float.fromhex(digits) if is_hex else float(digits)
    else:  # Python refuses to convert thousands of decimal digits, and no type has such a number
        value = int(digits, 16) if is_hex else int(digits[:40])
    if value >= (_LIMITS[suffix] if suffix or not is_real else inf):
        raise OverflowError
    return value, suffix


_NAME_KIND, _LITERAL_KIND, _OTHER_KIND, _WRONG_KIND = range(4)
"""Of a token: a keyword or punctuation is another; what is wrong is no token."""


@lru_cache(maxsize=4096)
def _kind(text: str) -> int:
    if text in ("true", "false"):
        return _LITERAL_KIND
    if text in KEYWORDS or text in ("_", ""):
        return _OTHER_KIND
    first = text[0]
    if first.isalpha() or first == "_" or first > "\x7f":
        usable = text.isidentifier() and not text.startswith("__") and text not in RESERVED_WORDS
        return _NAME_KIND if usable else _WRONG_KIND
    if first.isdigit() or (first == "." and len(text) > 1):
        with suppress(OverflowError):
            number_of(text)
            return _WRONG_KIND if _LEADING_ZERO.fullmatch(text) else _LITERAL_KIND
        return _WRONG_KIND
    return _OTHER_KIND if len(text) > 1 or text in _SINGLE else _WRONG_KIND


def _problem(text: str, start: int) -> SyntaxProblem:
    """Why a text is no token, and where."""
    if _LEADING_ZERO.fullmatch(text):
        return SyntaxProblem("an integer must not have leading zeros", start)
    if text[0] in ".0123456789":
        return SyntaxProblem("no type has a number as large as this literal", start)
    if text.startswith("__") and text.isidentifier():
        return SyntaxProblem("an identifier must not start with two underscores", start)
    if text in RESERVED_WORDS:
        return SyntaxProblem(f"{text!r} is a reserved word", start)
    if text[0] == "\ufeff":
        return SyntaxProblem("a text of WGSL has no byte order mark (U+FEFF)", start)
    offset = next(i for i, character in enumerate(text) if not f"{'_' if i else ''}{character}".isidentifier())
    return SyntaxProblem(f"invalid character {text[offset]!r}", start + offset)


# ------------------------------------------------------------------------------------------------- behind a problem


ONLY_OUTSIDE = frozenset({"fn", "struct", "alias", "override"})
"""The words that begin a declaration and nothing else: wherever they stand, reading may begin anew."""


def next_declaration(texts: Sequence[str], at: int) -> int:
    """The first token from `at` on that begins a declaration wherever it stands; the last token if there is none."""
    end = len(texts) - 1
    return next((i for i in range(at, end) if texts[i] in ONLY_OUTSIDE), end)


def braces_match(texts: Sequence[str], first: int) -> bool:
    """Whether braces match in what begins at a token, up to the next declaration."""
    depth = 0
    for i in range(first, next_declaration(texts, first + 1)):
        if texts[i] == "{":
            depth += 1
        elif texts[i] == "}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def behind_statement(texts: Sequence[str], first: int, at: int) -> int | None:
    """Where the next statement begins, or the block ends, if that which begins at `first` is wrong at `at`.

    None: a declaration begins before.
    """
    depth, semicolons = 0, "for" in texts[first : at + 1]
    for i in range(first, next_declaration(texts, at)):
        text = texts[i]
        if depth == 0 and i >= at:
            if text in ("}", "continuing"):
                return i
            if text == ";" and not semicolons:
                return i + 1
        depth += (text == "{") - (text == "}")
        if text == "}" and depth == 0 and i >= at and texts[i + 1] != "else":
            return i + 1
    return None


def behind_declaration(texts: Sequence[str], first: int, at: int, *, is_one: bool) -> int:
    """Where to look for the next declaration if that which begins at `first` is wrong at `at`.

    `is_one`: it begins with the keyword of a declaration or directive.
    """
    end = next_declaration(texts, max(at, first + 1))
    if is_one and braces_match(texts, first):
        depth = 0
        for i in range(first, end):
            depth += (texts[i] == "{") - (texts[i] == "}")
            if depth == 0 and i >= at and texts[i] in (";", "}"):
                return i + 1
    return end
