"""The child of `browser`: carries lines between its parent and a running `wgsl-fuzz serve`.

python -m wgsl_fuzz.oracle.targets.browsers.served_child PORT-OF-THE-PAGE NAME
"""

import os
import socket
import sys
import threading

from wgsl_fuzz.oracle.targets.browsers.exchange import connected, posts
from wgsl_fuzz.oracle.targets.children.python_child import die_with, private_output, say

_PIECE = 1 << 16


def main(page_port: str, name: str) -> None:
    """Carries until either side ends."""
    threading.Thread(target=die_with, args=(os.getppid(),), daemon=True).start()
    out = private_output()
    found = [post for post in posts() if post.page_port == int(page_port)]
    try:
        connection = connected(found[0], name)
    except (IndexError, OSError):
        say(out, {"error": f"wgsl-fuzz serve has ended: the one at port {page_port}"})
        return
    threading.Thread(target=_carry_in, args=(connection,), daemon=True).start()
    while piece := connection.recv(_PIECE):
        data = memoryview(piece)
        while data:
            data = data[out.write(data) or 0 :]
    sys.stderr.write("the page is gone\n")


def _carry_in(connection: socket.socket) -> None:
    while piece := os.read(0, _PIECE):
        connection.sendall(piece)
    connection.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main(*sys.argv[1:])
