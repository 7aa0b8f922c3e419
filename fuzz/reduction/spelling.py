"""Reducing a finding that depends on how the text is spelled: the simplest spelling of the smallest shader.

If the plain text shows the finding, the result is plain. Otherwise the steps are: the fewest features; the smallest
shader for which some spelling with these features shows it; the spelling with the fewest forms; its text without each
`continue` that WGSL does not need.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from wgsl_fuzz.fuzz.cases.written import PLAIN, Written, names_of, spelling_of, text_of
from wgsl_fuzz.fuzz.reduction.search import Reduction, reduce
from wgsl_fuzz.tinywgsl.ast import Shader
from wgsl_fuzz.tinywgsl.printer import print_shader
from wgsl_fuzz.wgsl.reading import ParseError, parse
from wgsl_fuzz.wgsl.spelling import ALL, FORMS, NONE, Features, Spelling

Shows = Callable[[Shader, str], bool]
"""Whether a text, a spelling of the shader, shows what was found."""

TRIES = 8
"""Spellings drawn of one shader with one set of features before that set is given up."""
LAST_TRIES = 200
"""Spellings of the reduced shader, of which the simplest is kept."""
_CONTINUE = re.compile(r"[^\S\r\n]*\bcontinue\s*;(?:[^\S\r\n]*\r?\n)?")
"""With its whole line, if it has one."""


@dataclass(frozen=True, slots=True)
class SpellingReduction:
    """A reduced shader, the text that shows it, and how that is spelled: the forms that it uses, with their number.

    The text is what `written` draws, without some `continue`s.
    """

    shader: Shader
    written: Written
    text: str
    forms: dict[str, int]
    reduction: Reduction


def briefly(shader: Shader, serves: Callable[[str], bool]) -> str:
    """The plain print without the `continue`s that the end of a loop implies, if that serves; else with them."""
    full, brief = print_shader(shader), print_shader(shader, tacit=True)
    return brief if brief == full or serves(brief) else full


def without_continues(text: str, serves: Callable[[str], bool]) -> str:
    """A text without each `continue` that the parser adds again, where the text still serves without it."""
    shader = parse(text)
    for found in reversed(list(_CONTINUE.finditer(text))):
        candidate = text[: found.start()] + text[found.end() :]
        try:
            same = parse(candidate) == shader
        except ParseError:
            continue
        if same and serves(candidate):
            text = candidate
    return text


def only(names: list[str]) -> Features:
    """These features and no others."""
    return replace(NONE, **dict.fromkeys(names, True))


def reduce_spelled(
    shader: Shader,
    written: Written,
    shows: Shows,
    *,
    give_up: Callable[[], bool] = lambda: False,
    progress: Callable[[Shader, int], None] = lambda _shader, _asked: None,
) -> SpellingReduction:
    """The smallest shader and its simplest spelling for which `shows` holds, as it must for `shader` so `written`."""
    few = simplest(shader, shows, written, give_up=give_up)
    last = few

    def interesting(candidate: Shader) -> bool:
        nonlocal last
        for tried in _tries(last):
            if shows(candidate, text_of(candidate, tried)):
                last = tried
                return True
        return False

    reduction = reduce(shader, interesting, give_up=give_up, progress=progress)
    # What showed it last may have been another shader's spelling: a step was refused after it, or time was up.
    shown = next((tried for tried in _tries(last) if shows(reduction.shader, text_of(reduction.shader, tried))), None)
    if shown is None:
        reduction, shown = replace(reduction, shader=shader, nearest=None, differs=()), few
    shown = simplest(reduction.shader, shows, shown, give_up=give_up)
    shown = _least(reduction.shader, shows, shown, give_up)
    spelling = spelling_of(reduction.shader, shown)
    least = reduction.shader
    text = without_continues(spelling.text, lambda candidate: shows(least, candidate))
    return SpellingReduction(least, shown, text, spelling.forms, reduction)


def simplest(shader: Shader, shows: Shows, written: Written, *, give_up: Callable[[], bool] = lambda: False) -> Written:
    """The plain spelling if it shows the finding. Otherwise the first spelling found with a single feature, or with as
    few features as possible.
    """

    def shown(features: Features) -> Written | None:
        tries = [Written(features, written.seed), *(Written(features, seed) for seed in range(TRIES))]
        return next((t for t in tries if not give_up() and shows(shader, text_of(shader, t))), None)

    if shows(shader, text_of(shader, PLAIN)):
        return PLAIN
    forms = spelling_of(shader, written).forms
    used = [name for name in names_of(written.features) if any(FORMS[form] == name for form in forms)]
    if len(used) > 1:
        alone = (shown(only([name])) for name in used)
        single = next((found for found in alone if found is not None), None)
        if single is not None:
            return single
    kept = names_of(written.features)
    for attempt in (used, *_fewer(used)):
        if set(attempt) < set(kept) and (found := shown(only([name for name in kept if name in attempt]))) is not None:
            written, kept = found, names_of(found.features)
    return written


def _fewer(names: list[str]) -> Iterator[list[str]]:
    """All the names but one, or but a half; what was refused before stays in."""
    half = len(names) // 2
    if half > 1:
        yield names[:half]
        yield names[half:]
    for name in names:
        yield [other for other in names if other != name]


def _tries(first: Written) -> Iterator[Written]:
    yield first
    if first.features != NONE:
        yield from (Written(first.features, seed) for seed in range(TRIES) if seed != first.seed)


def _least(shader: Shader, shows: Shows, written: Written, give_up: Callable[[], bool]) -> Written:
    """Of some spellings with the same features, the one with the fewest forms and the shortest text that shows it."""
    if written.features == NONE:
        return written

    def measure(spelling: Spelling) -> tuple[int, int]:
        return sum(spelling.forms.values()), len(spelling.text)

    best = measure(spelling_of(shader, written))
    drawn = {seed: spelling_of(shader, Written(written.features, seed)) for seed in range(LAST_TRIES)}
    for seed in sorted(drawn, key=lambda seed: measure(drawn[seed])):
        if give_up() or measure(drawn[seed]) >= best:
            break
        if shows(shader, drawn[seed].text):
            return Written(written.features, seed)
    return written


def shown_in_some_spelling(
    shader: Shader, shows: Shows, *, tries: int = 200, give_up: Callable[[], bool] = lambda: False
) -> Written | None:
    """The plain print or the first drawn spelling that shows it; None if none does."""
    if shows(shader, text_of(shader, PLAIN)):
        return PLAIN
    drawn = (Written(ALL, seed) for seed in range(tries))
    return next((w for w in drawn if not give_up() and shows(shader, text_of(shader, w))), None)
