"""What leaves no trace in the tree: parentheses and commas that may be there or not, comments and white space."""

from functools import partial

from wgsl_fuzz.strategies.choices.source import ChoiceSource
from wgsl_fuzz.wgsl.printer import Choice, Layout, module_text
from wgsl_fuzz.wgsl.syntax import Module

_BLANKS = ("\n", "\t", "\r\n", "\x0b", "\x0c", "\u0085", "\u200e", "\u200f", "\u2028", "\u2029")
_COMMENTS = ("/**/", "/* workgroupBarrier(); */", "/* } // */", "/* \u2028 é */", "/***/", "/*/ */")
_NESTED = ("/* /* */ */", "/* a /* b /* c */ */ /**/ */")
_LINES = ("// }\n", "// /*\n", "//\n", "// \\\n", "// \U0001f642\r\n")
_TIGHT = ((" = ", "="), (") {", "){"), (", ", ","), ("; ", ";"), (": ", ":"), (";\n", ";"), ("{\n", "{"))
_RATES = (0, 0, 25, 50, 75, 100)


def draw_layout(source: ChoiceSource, module: Module) -> str:
    """A text of a module in a drawn layout: parsing it gives the module again."""
    return _laid_out(source, module_text(module, _layout(source)))


def _layout(source: ChoiceSource) -> Layout:
    """A layout, each of whose choices is made anew at each place."""

    def choice() -> Choice:
        rate = source.pick(_RATES)
        return partial(source.percent, rate) if rate else None

    more = source.pick((0, 0, 10, 30))
    return Layout(
        "  ",
        choice(),
        choice(),
        choice(),
        choice(),
        partial(source.percent, more) if more else None,
        choice(),
        choice() if source.percent(25) else None,
    )


def _laid_out(source: ChoiceSource, text: str) -> str:
    """A text of several lines with other blanks, and with comments, between its tokens."""
    match source.integer(0, 6):
        case 1:
            text = " ".join(text.split())
        case 2:
            for wide, narrow in _TIGHT:
                text = text.replace(wide, narrow)
        case 3:
            text = text.replace("\n", "\r\n")
    parts = text.split(" ")
    for _ in range(source.integer(0, 6)):
        filler = source.pick(source.pick((_BLANKS, _COMMENTS, _NESTED, _LINES)))
        parts[source.integer(0, len(parts) - 1)] += " " + filler
    return " ".join(parts)
