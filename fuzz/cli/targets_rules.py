"""`targets rules`: the rule sets, and the single variants of the rules, that `rules:NAME` can name."""

from collections import Counter
from collections.abc import Iterator

import click
import orjson

from wgsl_fuzz.fuzz.cli.options import format_option
from wgsl_fuzz.fuzz.output import echo
from wgsl_fuzz.fuzz.present.plurals import count
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.oracle.rules.analyses import ANALYSES
from wgsl_fuzz.oracle.rules.in_words import branch_in_words
from wgsl_fuzz.oracle.rules.uniformity.revisions import ALIASES, WGSL_RULE_SETS, all_variants
from wgsl_fuzz.oracle.rules.uniformity.variants.history import FIGURES

TINY, WHOLE = "TinyWGSL", "all WGSL"


@click.command("rules")
@click.argument("part", default="")
@format_option("text", "json")
def list_rules(part: str, form: str) -> None:
    """List rule sets and broken variants whose names have PART.

    Each is a target by `rules:NAME`. A variant is the reference with one branch of its rules done otherwise; without
    PART, only the beginnings of their names are listed, and how many there are. Exit status: 0, or 2 if none has PART.
    """
    sets = [(name, language) for name, language in _sets() if part in name]
    known = all_variants()
    variants = [name for name in known if part in name]
    variants += [alias for alias, name in ALIASES.items() if part and part in alias and name not in variants]
    if not sets and not variants:
        raise Problem(f"no rule set and no variant has {part!r} in its name; `wgsl-fuzz targets rules` lists them")
    if form == "json":
        for name, language in sets:
            echo(orjson.dumps({"name": name, "language": language}))
        for name in variants:
            echo(orjson.dumps({"name": name, "language": WHOLE, "does": branch_in_words(ALIASES.get(name, name))}))
        return
    rows = [(name, language, "") for name, language in sets]
    rows += [(name, WHOLE, branch_in_words(ALIASES.get(name, name))) for name in variants] if part else [*_groups()]
    widths = [max(len(row[i]) for row in rows) for i in range(2)]
    for name, language, does in rows:
        echo(f"{name:{widths[0]}}  {language:{widths[1]}}  {does}".rstrip())


def _sets() -> Iterator[tuple[str, str]]:
    for names, language in ((ANALYSES, TINY), (WGSL_RULE_SETS, WHOLE)):
        yield from ((name, language) for name in names)


def _groups() -> Iterator[tuple[str, str, str]]:
    """How variants' names begin, and which of them have the paper's names as well."""
    begins = Counter(name.partition("/")[0] for name in all_variants())
    yield from ((f"{begin}/...", WHOLE, count(n, "variant")) for begin, n in begins.items())
    yield from ((alias, WHOLE, branch_in_words(name)) for alias, name in FIGURES.items())
