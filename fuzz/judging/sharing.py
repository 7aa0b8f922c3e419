"""Which targets share a finding: a fault that several compilers have in common is read as one."""

from collections.abc import Mapping, Set

from wgsl_fuzz.oracle.verdict import Verdict

Words = tuple[str | None, ...]
"""An oracle's verdicts on the texts of a finding: most have one text."""


def sharing(target: str, said: Mapping[str, Words], without_uniformity: Set[str] = frozenset()) -> tuple[str, ...]:
    """The other targets that say of a finding's texts what its own `target` says, by name.

    A target without a uniformity analysis accepts whatever is well-formed. So its *accepts* is shared with nobody.
    """
    own = said.get(target)
    silent = without_uniformity if own is not None and Verdict.ACCEPTS.value in own else frozenset[str]()
    if own is None or target in silent:
        return ()
    return tuple(sorted(name for name in said.keys() - {target} - silent if said[name] == own))
