"""The child of `chromium` and `firefox`: a hub with one page, and the browser that opens it.

    python -m wgsl_fuzz.oracle.targets.browsers.browser_child KIND BINARY

The child lives and dies with the page: a page that leaves or loses its device ends it, with the reason as its last
words. Whoever started it then starts another one. The browser belongs to the child's process group.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO, NoReturn

from wgsl_fuzz.oracle.targets.browsers.claims import Claim, as_record
from wgsl_fuzz.oracle.targets.browsers.hub import Hub, Page, Talk
from wgsl_fuzz.oracle.targets.browsers.local import KINDS, environment
from wgsl_fuzz.oracle.targets.browsers.page_server import PageServer
from wgsl_fuzz.oracle.targets.children.python_child import die_with, private_output, say

_START_SECONDS = 45.0
_LAST_SECONDS = 1.0
"""How long the words of a browser that has lost its page are waited for: it may be dying."""
WORDS = {"left": "the page is gone: its process crashed", "device": "the device is lost: the GPU process crashed"}


def main(kind: str, binary: str) -> None:
    """Serves texts from standard input until it ends."""
    threading.Thread(target=die_with, args=(os.getppid(), _end_group), daemon=True).start()
    out = private_output()
    hub = Hub(_watch, grace=0.0)
    folder = Path.cwd()
    command = KINDS[kind].command(binary, folder, PageServer(hub).address_for())
    browser = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=2, env=environment(folder))
    threading.Thread(target=_die_with_browser, args=(browser,), daemon=True).start()
    claim = _first_claim(hub, out)
    say(out, {"ready": dict(as_record(claim))})
    talk = Talk(lambda texts: hub.ask(claim.name, texts), lambda value: say(out, value), lambda: None)
    speaking = talk.speak_aside(lambda why: _end(why) if why else None)
    talk.listen(sys.stdin.buffer)
    speaking.join()
    _end_group()


def _first_claim(hub: Hub, out: BinaryIO) -> Claim:
    """What the page says of the browser, once it is there."""
    deadline = time.monotonic() + _START_SECONDS
    claim = None
    while claim is None:
        if time.monotonic() > deadline:
            _end(f"the browser did not open the page within {_START_SECONDS:g} s")
        if fault := hub.fault():
            say(out, {"error": fault})
            _end_group()
        say(out, {"waiting": "the browser to open the page"})
        hub.wait_for_change(1.0)
        claim = next((hub.claim(name) for name in hub.names()), None)
    return claim


def _watch(what: str, _page: Page) -> None:
    if what in WORDS:
        _end(WORDS[what])


def _die_with_browser(browser: "subprocess.Popen[bytes]") -> None:
    status = browser.wait()
    _end(f"the browser ended with status {status}")


def _end(why: str) -> NoReturn:
    """Says why it ends, last, and ends; whoever started it ends the rest of the group."""
    time.sleep(_LAST_SECONDS / 10)
    sys.stderr.write(f"\n{why}\n")
    sys.stderr.flush()
    os._exit(1)


def _end_group() -> NoReturn:
    """Ends the browser and this process."""
    os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
