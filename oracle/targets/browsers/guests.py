"""Connections that have not shown yet that they know the secret: there are only so many, and only for so long."""

import socket
from contextlib import suppress
from threading import Timer

GUESTS = 48


class Guests:
    """Those connections. For one too many the oldest is cut: whoever knows the secret always comes in."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timers: dict[socket.socket, Timer] = {}

    def enter(self, connection: socket.socket) -> None:
        """Lets a connection stay for the seconds, however little it sends at a time, unless it leaves before."""
        timer = self._timers[connection] = Timer(self._seconds, _cut, (connection,))
        timer.daemon = True
        timer.start()
        for oldest in list(self._timers)[:-GUESTS]:
            _cut(oldest)

    def leave(self, connection: socket.socket) -> None:
        """The connection has shown the secret, or has ended."""
        if connection in self._timers:
            self._timers.pop(connection).cancel()


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)  # of TLS, too, without a word
