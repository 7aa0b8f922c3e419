"""`chromium` and `firefox`: browsers of this machine, without a screen, with WebGPU on the processor.

A browser runs in the scratch directory of its child process, which is its home, too: its profile, its caches and its
temporary files are deleted with it. The child (`main`) is a hub with one page, and the browser that opens it.

The child lives and dies with the page: a page that leaves or loses its device ends it, with the reason as its last
words. Whoever started it then starts another one. The browser belongs to the child's process group.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO, NoReturn

from wgsl_fuzz.oracle.targets.browsers.claims import BrowserClaim, dialect_of
from wgsl_fuzz.oracle.targets.browsers.hub import BrowserPage, Hub, Talk
from wgsl_fuzz.oracle.targets.browsers.page_server import PageServer
from wgsl_fuzz.oracle.targets.cache import digest
from wgsl_fuzz.oracle.targets.children.line_server import LineServer
from wgsl_fuzz.oracle.targets.children.python_child import die_with, private_output, say
from wgsl_fuzz.oracle.targets.probes import PROBES
from wgsl_fuzz.oracle.targets.protocol import Availability, Target, TargetError, TargetInfo, TargetRequest, normal_path

PROFILE = "profile"
_VERSION_SECONDS = 20.0
_VERSION = re.compile(r"\d+(?:\.\d+)+\w*")

_CHROMIUM_OPTIONS = (
    "--headless=new",
    "--enable-unsafe-webgpu",
    "--use-webgpu-adapter=swiftshader",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",  # containers have little of it
    "--disable-domain-blocking-for-3d-apis",
    "--disable-domain-reliability",
    "--disable-extensions",
    "--disable-sync",
    "--mute-audio",
    "--password-store=basic",
)

_FIREFOX_PREFERENCES: Mapping[str, object] = {
    "dom.webgpu.enabled": True,
    "dom.webgpu.allow-software": True,
    "gfx.webgpu.ignore-blocklist": True,
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "browser.aboutwelcome.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.tabs.remote.autostart": True,
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.update.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "services.settings.server": "data:,#none",
    "toolkit.startup.max_resumed_crashes": -1,
    "toolkit.telemetry.enabled": False,
}


@dataclass(frozen=True, slots=True)
class BrowserFamily:
    """A family of browsers."""

    name: str
    """As targets and claims have it."""
    commands: tuple[str, ...]
    """What it is called on PATH, the likeliest first."""
    hint: str
    command: Callable[[str, Path, str], list[str]]
    """From the binary, its folder and an address to what is run; may write files in the folder."""


def _chromium(binary: str, folder: Path, address: str) -> list[str]:
    # Its sandbox does not start for root.
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    return [binary, *_CHROMIUM_OPTIONS, *sandbox, f"--user-data-dir={folder / PROFILE}", address]


def _firefox(binary: str, folder: Path, address: str) -> list[str]:
    profile = folder / PROFILE
    profile.mkdir()
    lines = [f"user_pref({_js(name)}, {_js(value)});\n" for name, value in _FIREFOX_PREFERENCES.items()]
    (profile / "user.js").write_text("".join(lines), encoding="utf-8")
    return [binary, "--headless", "--no-remote", "--profile", str(profile), address]


def _js(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


KINDS = {
    kind.name: kind
    for kind in (
        BrowserFamily(
            "chromium",
            ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
            "on Debian: apt-get install chromium",
            _chromium,
        ),
        BrowserFamily(
            "firefox",
            ("firefox-esr", "firefox"),
            "on Debian: apt-get install firefox-esr mesa-vulkan-drivers",
            _firefox,
        ),
    )
}


def find(kind: BrowserFamily) -> str | None:
    """The browser on PATH; None if there is none."""
    return next((found for name in kind.commands if (found := shutil.which(name))), None)


@cache
def version_of(binary: str) -> str:
    """The version that a browser prints. Raises TargetError."""
    try:
        done = subprocess.run(
            [binary, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_VERSION_SECONDS,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TargetError(f"{binary} does not say its version: {error}") from error
    found = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    if done.returncode != 0 or found is None:
        raise TargetError(f"{binary} is no browser: it does not say its version")
    return found[0]


def environment(folder: Path) -> dict[str, str]:
    """This environment, with a home in the folder."""
    own = {name: str(folder) for name in ("HOME", "TMPDIR", "XDG_RUNTIME_DIR")}
    own |= {f"XDG_{name}_HOME": str(folder / name.lower()) for name in ("CACHE", "CONFIG", "DATA", "STATE")}
    return {**os.environ, **own, "MOZ_CRASHREPORTER_DISABLE": "1", "DBUS_SESSION_BUS_ADDRESS": "disabled:"}


_CHILD = "wgsl_fuzz.oracle.targets.browsers.local"


def open_browser(request: TargetRequest) -> Target:
    """`chromium`, `firefox`, each with `@VERSION` (of the one that is here) or `:PATH`. Raises TargetError."""
    if os.name != "posix":
        raise TargetError(f"{request.spec}: browsers need a POSIX system")
    kind = KINDS[request.prefix]
    binary = _binary(kind, request)
    version = version_of(binary)
    if request.version not in (None, version):
        raise TargetError(f"{request.spec}: {binary} is {kind.name}@{version}; name another one as {kind.name}:PATH")
    server = LineServer.of_python(request, [_CHILD, kind.name, binary], dialect_of(kind.name).refusal, probes=PROBES)
    adapter = server.banner["adapter"] or "no name"
    name = f"{kind.name}@{version}" if request.path is None else f"{kind.name}:{normal_path(request.path)}"
    return server.as_target(name, f"{binary} {version} (sha256 {digest([Path(binary)])}; WebGPU on {adapter})")


def browser_infos(name: str) -> Sequence[TargetInfo]:
    """Whether the browser is installed; that WebGPU works shows when it is opened."""
    kind = KINDS[name]
    if os.name != "posix":
        return [TargetInfo(name, "a browser", Availability.MISSING, reason="browsers need a POSIX system")]
    binary = find(kind)
    if binary is None:
        return [TargetInfo(name, "a browser", Availability.MISSING, reason=kind.hint)]
    try:
        return [TargetInfo(name, f"{binary} {version_of(binary)}", Availability.INSTALLED)]
    except TargetError as error:
        return [TargetInfo(name, binary, Availability.MISSING, reason=str(error))]


def _binary(kind: BrowserFamily, request: TargetRequest) -> str:
    """The file to run. Raises TargetError."""
    if request.path is None:
        found = find(kind)
        if found is None:
            raise TargetError(f"{request.spec}: there is no {kind.commands[0]}; {kind.hint}")
        return found
    path = shutil.which(str(Path(request.path).expanduser()))
    if path is None:
        raise TargetError(f"{request.spec}: there is no program {request.path}")
    return str(Path(path).absolute())


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
    threading.Thread(target=lambda: _end(f"the browser ended with status {browser.wait()}"), daemon=True).start()
    claim = _first_claim(hub, out)
    say(out, {"ready": asdict(claim)})
    talk = Talk(lambda texts: hub.ask(claim.name, texts), lambda value: say(out, value), lambda: None)
    speaking = talk.speak_aside(lambda why: _end(why) if why else None)
    talk.listen(sys.stdin.buffer)
    speaking.join()
    _end_group()


def _first_claim(hub: Hub, out: BinaryIO) -> BrowserClaim:
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


def _watch(what: str, _page: BrowserPage) -> None:
    if what in WORDS:
        _end(WORDS[what])


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
