"""What pages have in common: their templates, WGSL as HTML with a class for each kind of token, sentences as HTML."""

import importlib
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup, escape

from wgsl_fuzz.fuzz.output import printable
from wgsl_fuzz.fuzz.present.wording import count
from wgsl_fuzz.wgsl.builtins import BARRIERS

COLOURED = 200_000
"""Characters of the longest text with colours."""
_CLASSES = (("Comment", "c"), ("Literal.Number", "n"), ("Keyword", "k"), ("Name.Decorator", "d"), ("Name.Builtin", "b"))
"""Of a lexer's token types, by how their names start, the classes of the style sheet."""


def rendered(template: str, filters: Mapping[str, Callable[..., object]] | None = None, **values: object) -> str:
    """A page or a picture. All that comes from a shader, a compiler or a record is escaped and printable."""
    environment = templates(autoescape=True)
    environment.filters |= {"quoted": quoted, "count": count, **(filters or {})}
    return printable(environment.get_template(template).render(**values))


def templates(*, autoescape: bool) -> jinja2.Environment:
    """The templates of pages, or of code: there is nothing to be escaped as HTML in that."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("wgsl_fuzz.fuzz.present"),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def highlighted(text: str) -> list[Markup]:
    """Each line of `text.splitlines()` as HTML, escaped, with classes for tokens unless it is longer than COLOURED."""
    plain = text.splitlines()
    if len(text) > COLOURED:
        return [escape(line) for line in plain]
    lines: list[list[str]] = [[]]
    tokens = [("", ""), *_lexer().get_tokens("\n".join(plain)), ("", "")]
    for (_, before), (token, value), (_, after) in zip(tokens, tokens[1:], tokens[2:]):
        style = "bar" if value in BARRIERS else _style(token)
        if before == "." or (after == ":" and style == "b"):  # a member, or a name that is declared
            style = ""
        for i, part in enumerate(value.split("\n")):
            if i:
                lines.append([])
            if part:
                lines[-1].append(f'<span class="{style}">{escape(part)}</span>' if style else escape(part))
    return [Markup("".join(parts)) for parts in lines[: len(plain)] + [[]] * (len(plain) - len(lines))]


@cache
def _style(token: object) -> str:
    return next((style for name, style in _CLASSES if str(token).startswith(f"Token.{name}")), "")


def quoted(sentence: str, lines: str = "") -> Markup:
    """A sentence as HTML: what stands between backticks is code.

    `on line 9`, and `line 9` at its start, lead to the element LINES9, if `lines` is given.
    """
    code = re.sub(r"`(.*?)`", r"<code>\1</code>", str(escape(sentence)))
    return Markup(re.sub(r"(\bon |^)line (\d+)", rf'\1<a href="#{lines}\2">line \2</a>', code) if lines else code)


def depths(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Each line without its indentation, and how deep it was indented."""
    return [((len(line) - len(line.lstrip())) // 2, line.strip()) for line in lines]


@cache
def _lexer() -> Any:
    lexers: Any = importlib.import_module("pygments.lexers")  # here and by name: it is untyped, and slow to load
    return lexers.get_lexer_by_name("wgsl", stripnl=False)
