"""What cannot be run."""

from wgsl_fuzz.wgsl.syntax import Node


class CannotRun(Exception):
    """A construct that the semantics cannot run, in words, and its place in the text."""

    def __init__(self, what: str, at: Node | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.start = -1 if at is None else at.start
