"""What pages count, as the code counts it: `python -m tools.counts` writes the numbers into the pages."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.quality.paper_mutants import DOUBLE, KILLABLE
from wgsl_fuzz.fuzz.conformance.rows import Level, load
from wgsl_fuzz.oracle.rules.uniformity.coverage import arms

DOCS = Path(__file__).parents[1] / "docs"


def counts() -> Iterator[tuple[str, str, *tuple[int, ...]]]:
    """A page, part of a sentence that stands once in it, and the numbers for the braces in it."""
    tiny, whole, proposed = map(load, Level)
    of_paper, of_text = len(KILLABLE), {arm.name for arm in arms()}
    with_row = sum(row.name in of_text for row in whole.rows)
    page = "docs/conformance.md"
    yield page, "{} branches of the paper's rules to be wrong, and {} of", of_paper, len(of_text)
    yield page, "so have {} ways to join variables", len(tiny.rows) - of_paper
    yield page, "{} of them have one; the other {} make valid", with_row, len(of_text) - with_row
    yield page, "{} row more", len(whole.rows) - with_row
    yield page, "of the {} for TinyWGSL and of the {} for all of", len(tiny.rows), len(whole.rows)
    yield page, "`--level proposals` the {} of", len(proposed.rows)
    page = "docs/for-researchers.md"
    yield page, "each of the {} branches of the rules of section 15.2", len(of_text)
    mutants = "Of {} mutants of the paper's analysis ({} branches broken, and {} mended"
    yield page, mutants, of_paper + len(DOUBLE), of_paper, len(DOUBLE)
    yield page, "of the {} of section 15.2", len(of_text)


def main() -> None:
    """Writes the pages."""
    for name, sentence, *numbers in counts():
        page = DOCS.parent / name
        text = page.read_text(encoding="utf-8")
        parts = [r"\s+".join(map(re.escape, part.split(" "))) for part in sentence.split("{}")]
        found = [*re.finditer(r"(\d+)".join(parts), text)]
        if len(found) != 1:
            raise SystemExit(f"{name} has {len(found)} sentences like {sentence!r}")
        for i, number in reversed([*enumerate(numbers, 1)]):
            start, end = found[0].span(i)
            text = f"{text[:start]}{number}{text[end:]}"
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
