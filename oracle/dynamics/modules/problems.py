"""What cannot be run."""

from wgsl_fuzz.wgsl.syntax import Node


class Assumption(Exception):
    """Lowering has to begin again, knowing something about the module."""


class Discards(Assumption):
    """The shader discards, and so whether a write happens is open."""


class FilteredResult(Assumption):
    """What a call under a diagnostic filter gives matters, and so it has to be synchronised all the same."""


class OverrideInSize(Assumption):
    """The size of an array or of the workgroup is an override without a default."""


class CannotRun(Exception):
    """A construct that the semantics cannot run, in words, and its place in the text."""

    def __init__(self, what: str, at: Node | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.start = -1 if at is None else at.start
