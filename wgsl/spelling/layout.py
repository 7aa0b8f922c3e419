"""What leaves no trace in the tree: parentheses and commas that may be there or not, comments and white space."""

from functools import partial

from wgsl_fuzz.wgsl.printer import CORE, Choice, Layout
from wgsl_fuzz.wgsl.spelling.choices import Dice

_BLANKS = ("\n", "\t", "\r\n", "\x0b", "\x0c", "\u0085", "\u200e", "\u200f", "\u2028", "\u2029")
_FILLERS = (
    ("blanks", _BLANKS),
    ("block comment", ("/**/", "/* workgroupBarrier(); */", "/* } // */", "/* \u2028 é */", "/***/", "/*/ */")),
    ("nested comment", ("/* /* */ */", "/* a /* b /* c */ */ /**/ */")),
    ("line comment", ("// }\n", "// /*\n", "//\n", "// \\\n", "// \U0001f642\r\n")),
)
_TIGHT = ((" = ", "="), (") {", "){"), (", ", ","), ("; ", ";"), (": ", ":"), (";\n", ";"), ("{\n", "{"))


def drawn_layout(dice: Dice) -> Layout:
    """The layout of the core, with drawn departures."""
    rates = dice.rates
    dropped, more = rates["precedence"], rates["parentheses"]

    def choice(rate: int, form: str) -> Choice:
        return partial(dice.takes, rate, form) if rate else None

    return Layout(
        CORE.indent,
        choice(dropped, "dropped parentheses"),
        choice(dropped, "dropped parentheses of an argument"),
        choice(dropped, "dropped parentheses of an operand"),
        choice(more, "bare condition"),
        choice(more >> 1, "parentheses"),
        choice(rates["commas"], "trailing comma"),
        choice(rates["empties"] >> 2, "empty declaration"),
    )


def laid_out(dice: Dice, text: str) -> str:
    """A text of several lines with other blanks, and with comments, between its tokens."""
    if not dice.flip(dice.rates["layout"]):
        return text
    style = dice.integer(0, 3)
    if style == 1:
        dice.note("one line")
        text = " ".join(text.split())
    elif style == 2:
        dice.note("tight")
        for wide, narrow in _TIGHT:
            text = text.replace(wide, narrow)
    elif style == 3:
        dice.note("carriage returns")
        text = text.replace("\n", "\r\n")
    parts = text.split(" ")
    for _ in range(dice.integer(0, 6)):
        form, fillers = dice.pick(_FILLERS)
        dice.note(form)
        parts[dice.integer(0, len(parts) - 1)] += " " + dice.pick(fillers)
    return " ".join(parts)
