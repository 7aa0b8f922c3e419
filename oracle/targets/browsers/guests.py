"""Connections that have not shown yet that they know the secret: there are only so many, and only for so long."""

import socket
from contextlib import suppress
from threading import Timer

GUESTS = 48
"""The most of them at once."""


class Guests:
    """Those connections. For one too many the oldest is cut: whoever knows the secret always comes in."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long each may stay, however little it sends at a time."""
        self._seconds = seconds
        self._timers: dict[socket.socket, Timer] = {}

    def enter(self, connection: socket.socket) -> None:
        """Counts a connection, until it leaves."""
        timer = self._timers[connection] = Timer(self._seconds, _cut, (connection,))
        timer.daemon = True
        timer.start()
        for oldest in list(self._timers)[:-GUESTS]:
            _cut(oldest)

    def leave(self, connection: socket.socket) -> None:
        """The connection has shown the secret, or has ended."""
        if (timer := self._timers.pop(connection, None)) is not None:
            timer.cancel()


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # of TLS, too, without a word
