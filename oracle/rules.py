"""Which revision of the rules: a rule set is a value, and each change of section 5 is one field of it."""

from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Rules:
    """A revision of the uniformity analysis. The defaults are the paper: all four changes of its section 5 are in."""

    break_if_edge: bool = True
    """Fig. 10a, gpuweb issue 5277: control flow after a `break if` depends on its condition. Unsound without it."""
    return_only_loop: bool = True
    """Fig. 10b, gpuweb issue 5100: a loop whose body's behaviour is {Return} has behaviour {Return}."""
    back_edge_if_iterates: bool = True
    """Fig. 10c, gpuweb issue 5364: the loop head depends on the loop's end only if the body can continue."""
    skip_unreachable_continuing: bool = True
    """Fig. 10d, gpuweb issue 5364: a `continuing` that cannot be reached is not analysed."""
    fig8_to_the_letter: bool = False
    """Fig. 8 as printed ("Break ∉ B1"), which leaves code after a loop that only a `break if` leaves unanalysed."""


PAPER = Rules()

REVERSIONS: dict[str, Rules] = {
    "10a": replace(PAPER, break_if_edge=False),
    "10b": replace(PAPER, return_only_loop=False),
    "10c": replace(PAPER, back_edge_if_iterates=False),
    "10d": replace(PAPER, skip_unreachable_continuing=False),
}
"""Each of the four changes alone taken back, by the paper's figure."""

SWITCHES: dict[str, str] = {
    "10a": "break_if_edge",
    "10b": "return_only_loop",
    "10c": "back_edge_if_iterates",
    "10d": "skip_unreachable_continuing",
}


def without(figures: tuple[str, ...]) -> Rules:
    """The paper's rules with the changes of the given figures ("10a", ...) taken back."""
    return replace(PAPER, **{SWITCHES[figure]: False for figure in figures})


def describe(rules: Rules) -> str:
    """The fields in which `rules` differ from the paper's, or `paper`."""
    names = [f.name for f in fields(rules) if getattr(rules, f.name) != getattr(PAPER, f.name)]
    return "paper" + "".join(f" with {name} reversed" for name in names)
