"""The commands of a page: each works wherever the page is opened, or names its run by an absolute path."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from wgsl_fuzz.fuzz.findings.directory import oracle_options
from wgsl_fuzz.fuzz.findings.finding import Finding
from wgsl_fuzz.fuzz.findings.records import RELATED
from wgsl_fuzz.fuzz.triage.verdicts import labels

_END = "WGSL"


@dataclass(frozen=True, slots=True)
class Command:
    """What to type, and what for; `text` goes to its standard input."""

    label: str
    words: tuple[str, ...]
    text: str = ""

    @property
    def parts(self) -> list[str]:
        """The words quoted, an option with its values: between parts a line may be broken."""
        parts: list[str] = []
        for word in self.words:
            if parts and parts[-1].startswith("-") and parts[-1] != "-" and not word.startswith("-"):
                parts[-1] += f" {shlex.quote(word)}"
            else:
                parts.append(shlex.quote(word))
        return parts

    @property
    def html(self) -> Markup:
        """The command, each part in an element of its own; a text stands behind it as a here-document."""
        line = Markup(" ").join(Markup("<span>{}</span>").format(part) for part in self.parts)
        if not self.text:
            return line
        end = _END
        while end in self.text.splitlines():
            end += "_"
        text = self.text if self.text.endswith("\n") else f"{self.text}\n"
        return line + Markup(" <span>&lt;&lt;'{}'</span>\n<span>{}</span>").format(end, text + end)


def commands_of(found: Finding, texts: Sequence[str]) -> Iterable[Command]:
    """Shows every verdict on each of a finding's texts again, and draws the shader again."""
    names = labels(found) if len(texts) > 1 else ("",)
    for name, text in zip(names, texts, strict=False):
        label = f"Show every verdict again{f': {name}' if name else ''}"
        yield Command(label, ("wgsl-fuzz", "check", "-", *oracle_options(found.record, {})), text)
    try:
        words = shlex.split(found.record.draw_again)
    except ValueError:  # someone's edit
        words = []
    if "--run" in words[:-1]:
        words[words.index("--run") + 1] = str(found.folder.parent.parent.resolve())
    if words:
        yield Command("Draw the original shader again", tuple(words))


def texts_of(found: Finding) -> list[str]:
    """The texts that a finding is about: one or two."""
    related = found.file(RELATED)
    return [found.text] if related is None else [found.text, related]
