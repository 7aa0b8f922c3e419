"""Whether output goes to a terminal."""

import sys


def in_terminal() -> bool:
    """Whether standard output is a terminal. Pages and pictures are not written there: nobody could read them."""
    return sys.stdout.isatty()
