"""The command `serve`: a page that makes any browser that opens it a target."""

import io
import os
import socket
import threading
from queue import Empty, SimpleQueue

import click

from wgsl_fuzz.fuzz.cli.runs.signals import StopSignal
from wgsl_fuzz.fuzz.judging.kinds import Kind
from wgsl_fuzz.fuzz.output import echo, in_terminal, notice
from wgsl_fuzz.fuzz.problems import Problem
from wgsl_fuzz.fuzz.regression.corpus import STATIC, load_cases
from wgsl_fuzz.oracle.targets import open_target
from wgsl_fuzz.oracle.targets.browsers.hub import BrowserPage, Hub
from wgsl_fuzz.oracle.targets.browsers.page_server import EXTRA, PageServer, self_signed
from wgsl_fuzz.oracle.targets.browsers.served import PREFIX, Exchange
from wgsl_fuzz.oracle.targets.protocol import TargetError, answers_of, engine_of

_LOOK_SECONDS = 0.5
_PATIENCE = 600.0
"""Seconds that a page which sleeps or is closed is waited for."""
CONFIRMED, NOT_SEEN, UNANSWERED = "predicted, confirmed", "predicted, not seen", "predicted, not answered"
"""What an answer does to a prediction; the last if it refuses the shader for another reason, or is silent."""
_ELSEWHERE = "192.0.2.1"
"""An address for documentation: nothing is sent there."""


@click.command()
@click.option("--lan", is_flag=True, help="For browsers in the local network, too, by https; not only of this machine.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the page.  [default: a free one]")
def serve(lan: bool, port: int) -> None:
    """Serve a page that judges in any browser: Safari, a phone.

    It runs until Ctrl-C, and shows which browsers come and go. Each is a target for other commands meanwhile:

    \b
        wgsl-fuzz --target browser --minutes 10
        wgsl-fuzz check shader.wgsl --oracle browser@safari-26.1

    Exit status: 0 it was stopped, 2 the request or the set-up is at fault.
    """
    if os.name != "posix":
        raise Problem("serve needs a POSIX system")
    happened: SimpleQueue[tuple[str, BrowserPage]] = SimpleQueue()
    hub = Hub(lambda what, page: happened.put((what, page)))
    host = _own_address() if lan else "localhost"
    try:
        tls, fingerprint = self_signed(host) if lan else (None, "")
        pages = PageServer(hub, "0.0.0.0" if lan else "127.0.0.1", port, hosts=[host], tls=tls)
    except OSError as error:
        raise Problem(f"--port {port}: {error.strerror or error}") from error
    except TargetError as error:
        raise Problem(f"--lan: {error}") from error
    exchange = Exchange(hub, pages.port, _PATIENCE)
    with StopSignal(lambda _: None, "serving") as stop:
        try:
            _introduce(pages.address_for(host), fingerprint, pages.port)
            while not stop.requested:
                try:
                    what, page = happened.get(timeout=_LOOK_SECONDS)
                except Empty:
                    continue
                notice(_line(what, page))
                if what == "came" and not page.claim.fault:
                    threading.Thread(target=ask_predicted, args=(hub, page.claim.name), daemon=True).start()
        finally:
            exchange.close()
            pages.close()


def ask_predicted(hub: Hub, name: str) -> None:
    """Asks a browser about the faults that the model of its engine has; shows what it says, here and on its page.

    They are the cases of the corpus on which the model is recorded as wrong.
    """
    spec = f"{PREFIX}@{name}"
    engine = engine_of(spec)  # as its model is called, too
    cases = [] if engine is None else load_cases()
    faults = [(one, said, said.kind) for one in cases if (said := one.verdicts.get(engine or "")) and said.kind]
    faults.sort(key=lambda fault: list(Kind).index(fault[2]))
    if not faults:
        return
    try:
        target = open_target(spec)
        try:
            answers = answers_of(target, [case.text for case, _, _ in faults])
        finally:
            target.close()
    except TargetError as error:
        notice(f"{name}: cannot be asked about what is predicted: {error}")
        return
    rows = []
    for (case, model, kind), answer in zip(faults, answers, strict=True):
        seen = CONFIRMED if answer.verdict is model.verdict else NOT_SEEN if answer.verdict in STATIC else UNANSWERED
        rows.append((kind.value, case.name, seen))
    confirmed = sum(seen == CONFIRMED for _, _, seen in rows)
    title = f"{name}: {confirmed} of {len(rows)} predicted faults confirmed"
    for line in (title, *(f"  {kind:<11}  {case}: {seen}" for kind, case, seen in rows)):
        notice(line)
    hub.show(name, title, rows)


def _introduce(address: str, fingerprint: str, port: int) -> None:
    """Says what to open, and what to type then."""
    echo(address)
    if in_terminal() and (code := _drawn(address)):
        echo(code)
    if fingerprint:
        notice("The browser warns of the certificate, which nobody signed. It is the right one if its SHA-256 is")
        notice(fingerprint)
    notice("Open this address in a browser. It is secret: whoever has it can answer.")
    notice(f"Then, in another terminal: wgsl-fuzz --target browser:{port} --minutes 10")


def _drawn(address: str) -> str:
    """The address as a QR code of block characters; empty without the package that draws it."""
    try:
        import segno
    except ImportError:
        notice(f"{EXTRA} shows it as a QR code, too")
        return ""
    out = io.StringIO()
    segno.make(address, micro=False).terminal(out, border=2, compact=True)
    return out.getvalue()


def _own_address() -> str:
    """This machine's address in the network. Raises Problem."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((_ELSEWHERE, 9))
        except OSError as error:
            raise Problem(f"--lan: this machine is in no network ({error.strerror})") from error
        return str(probe.getsockname()[0])


def _line(what: str, page: BrowserPage) -> str:
    """What happened, in words. The page's own words are claims."""
    name = page.claim.name
    if page.claim.fault:
        return f"{name}: cannot judge: {page.claim.fault}"
    return {
        "came": f"{name}: is here as --target browser@{name} (it claims: {page.claim.words})",
        "back": f"{name}: is back",
        "left": f"{name}: is gone after {page.judged} texts{' (it said so)' if page.away else ''}; it is waited for",
        "lost": f"{name}: did not come back; what it was asked is asked again",
        "device": f"{name}: its GPU device was lost; what it was asked is asked again",
    }[what]
