"""Whether somebody looks."""

import sys


def in_terminal() -> bool:
    """Whether standard output is a terminal: pages and pictures are nothing to read there."""
    return sys.stdout.isatty()
