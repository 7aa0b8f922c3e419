"""Which branches of the paper's rules decide a verdict, not merely are reached (docs/paper-notes.md, note 8).

A branch decides a shader if breaking it changes the shader's verdict: each variant of `oracle.rules.variants` is asked.
"""

from collections.abc import Collection

from wgsl_fuzz.oracle.rules.analysis import analyse
from wgsl_fuzz.oracle.rules.rule_set import Effect
from wgsl_fuzz.oracle.rules.variants import KILLABLE
from wgsl_fuzz.oracle.verdict import Verdict
from wgsl_fuzz.tinywgsl.ast import Shader

_UNABLE = {Verdict.REJECTS: Effect.STRICTER, Verdict.ACCEPTS: Effect.LAXER}
"""The variants that cannot differ from the paper if this is its verdict."""


def deciding(shader: Shader, verdict: Verdict | None = None, *, only: Collection[str] | None = None) -> list[str]:
    """The names of the variants whose verdict on `shader` is not the paper's, in the order of the paper's rules.

    `verdict` is the paper's, if it is known already; of the variants only those named in `only` are asked, if given.
    `shader` must be well-formed; its `main` may return.
    """
    verdict = analyse(shader).verdict if verdict is None else verdict
    asked = [m for m in KILLABLE if m.effect is not _UNABLE[verdict] and (only is None or m.name in only)]
    return [m.name for m in asked if analyse(shader, m.rules).verdict is not verdict]
