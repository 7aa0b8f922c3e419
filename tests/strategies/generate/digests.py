"""What the first seeds draw, as digests: `python -m tests.strategies.generate.digests` notes them in `digests.json`.

It raises `GENERATOR_VERSION` if a seed gives another shader than it did under that version.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from wgsl_fuzz.strategies.choices.source import RandomSource
from wgsl_fuzz.strategies.edit.mutation import randomly_mutated
from wgsl_fuzz.strategies.edit.relations import related_shader
from wgsl_fuzz.strategies.generate import profile as profiles
from wgsl_fuzz.strategies.generate.motifs.modules import draw_module
from wgsl_fuzz.wgsl.printer import print_module
from wgsl_fuzz.wgsl.resolve import resolve
from wgsl_fuzz.wgsl.syntax import Module

FILE = Path(__file__).with_name("digests.json")
PROFILES = sorted(profiles.MODULE_PROFILES)
SOME = 200


@cache
def drawn(profile: str, count: int) -> tuple[Module, ...]:
    """The modules of the first seeds."""
    return tuple([draw_module(seed, profiles.MODULE_PROFILES[profile]) for seed in range(count)])


def digests() -> Mapping[str, str]:
    """Of the texts of the first seeds by profile, of their twins and their mutants."""
    texts = {name: "".join(map(print_module, drawn(name, SOME))) for name in PROFILES}
    resolved = [*enumerate(map(resolve, drawn("all", 60)))]
    twins = [related_shader(module, RandomSource(seed)) for seed, module in resolved]
    mutants = [randomly_mutated(module, RandomSource(seed)) for seed, module in resolved]
    texts["twins"] = "".join(print_module(twin.resolution.module) for twin in twins if twin is not None)
    texts["mutants"] = "".join(print_module(mutant.module) for mutant in mutants)
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items()}


def noted() -> tuple[int, Mapping[str, str]]:
    """The version of the generator, and what it draws."""
    version, found = json.loads(FILE.read_text(encoding="utf-8"))
    return version, found


def main() -> None:
    """Notes the digests, under a new version if they are others."""
    version, found = profiles.GENERATOR_VERSION, digests()
    if noted()[0] == version and noted()[1] != found:
        version += 1
        source = Path(profiles.__file__)
        text = source.read_text(encoding="utf-8")
        source.write_text(re.sub(r"(?<=^GENERATOR_VERSION = )\d+", str(version), text, flags=re.MULTILINE), "utf-8")
    FILE.write_text(json.dumps([version, found], indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
