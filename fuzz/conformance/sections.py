"""Headings of the sections of the specification that rows of the conformance table name."""

TITLES = {
    "9.7": "Statements Behavior Analysis",
    "15.2": "Uniformity Analysis",
    "15.2.2": "Uniformity analysis overview",
    "15.2.3": "Analyzing the uniformity requirements of a function",
    "15.2.4": "Pointer desugaring",
    "15.2.5": "Function-scope variable value analysis",
    "15.2.6": "Uniformity rules for statements",
    "15.2.7": "Uniformity rules for function calls",
    "15.2.8": "Uniformity rules for expressions",
    "2.3": "Diagnostics",
    "17": "Built-in functions",
    "12": "Attributes",
    "13.3.1.1": "Built-in inputs and outputs",
}
"""Headings of sections of WGSL, by number."""


def title_of(section: str) -> str:
    """`15.2.6 Uniformity rules for statements`, of `15.2.6 #uniformity-statements`."""
    number, _, anchor = section.partition(" #")
    if not anchor and number.startswith("#"):
        number, anchor = "", number[1:]
    heading = TITLES.get(number) or anchor.replace("-", " ").capitalize()
    return f"{number} {heading}".strip()
