"""The connection to the scheduler of a Dask cluster, and what one line says when there is none. Dask is imported here.

A client of Dask's that fails while it starts says its traceback when it is collected, 20 seconds later. So a bare
connection is tried first, and a client is made only if that holds.
"""

import asyncio
import logging
import ssl
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from wgsl_fuzz.fuzz.campaign.remote import code_identity

CONNECT_SECONDS = 10.0
"""How long a scheduler is waited for, at the start and when it was lost."""
CLOSE_SECONDS = 1.0
"""How long the end of a connection may take that is of no use."""
CERTIFICATES: Final = ("ca-file", "client.cert", "client.key")
"""What Dask's configuration has to name for `tls://`, under `distributed.comm.tls`."""
_SCHEME_OF_TLS = "tls://"


class SchedulerError(Exception):
    """The scheduler cannot be used. The message is one line."""


def connected(address: str) -> Any:
    """A client of the scheduler. Raises SchedulerError."""
    try:
        import distributed
        from distributed.versions import VersionMismatchWarning
    except ImportError as error:
        raise SchedulerError("a cluster needs Dask.distributed: pip install 'wgsl-fuzz[distributed]'") from error
    except Exception as error:  # it reads its files of configuration, whatever is in them
        raise SchedulerError(f"Dask.distributed cannot be used: {_words(error)}") from error
    for name in ("distributed", "tornado", "asyncio"):  # what they would log is told in one line, or is of no matter
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    if address.startswith(_SCHEME_OF_TLS):
        _check_certificates()
    try:
        asyncio.run(_tried(address))
        # What matters of the versions is compared by us.
        with warnings.catch_warnings(category=VersionMismatchWarning, action="ignore"):
            client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:
        raise SchedulerError(f"no scheduler answers at {address}: {_reason(address, error)}") from error
    _check_code(client, address)
    return client


def _check_code(client: Any, address: str) -> None:
    """Raises SchedulerError if the scheduler stands still or cannot import what workers call: it looks at each task."""

    async def asked() -> None:
        await client.run_on_scheduler(code_identity)

    try:
        client.sync(asked, callback_timeout=CONNECT_SECONDS)  # asked directly, Dask waits for ever
    except Exception as error:
        with suppress(Exception):
            client.close(timeout=CLOSE_SECONDS)
        if isinstance(error, TimeoutError):
            raise SchedulerError(f"the scheduler at {address} does not answer any more") from error
        missing = "has no wgsl-fuzz: install it there, too"
        what = missing if isinstance(error, ImportError | AttributeError) else "does not do what it is asked"
        raise SchedulerError(f"the scheduler at {address} {what} ({_words(error)})") from error


async def _tried(address: str) -> None:
    """Connects as a client does, and leaves."""
    from distributed.comm import connect
    from distributed.security import Security

    comm = await connect(address, timeout=CONNECT_SECONDS, **Security().get_connection_args("client"))
    await comm.close()


def _check_certificates() -> None:
    """Raises SchedulerError if Dask's configuration names no files for TLS, or files that cannot be read."""
    import dask.config

    for name in CERTIFICATES:
        key = f"distributed.comm.tls.{name}"
        file = dask.config.get(key, None)
        if file is None and name != "client.key":  # a key may stand in the certificate's file
            raise SchedulerError(f"Dask's configuration on this machine has no {key}, which {_SCHEME_OF_TLS} needs")
        if file is not None and "\n" not in file:  # else it is the certificate itself
            try:
                Path(file).open("rb").close()
            except OSError as error:
                raise SchedulerError(f"{key} of Dask's configuration, {file}: {error.strerror}") from error


def _reason(address: str, error: Exception) -> str:
    """Why there is no connection, with what to look at."""
    from distributed.comm import CommClosedError

    words, causes = _words(error), list(_causes(error))
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return f"its certificate is none of our ca-file: {_words(causes[-1])}"
    wrong = [isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER" for cause in causes]
    if any(wrong) or "cannot convert to SSL" in words:  # the second, if it spoke before we did
        return "it does not speak TLS; its address then begins with tcp://"
    if isinstance(error, CommClosedError):  # an alert, an end of file or a reset, whichever comes first
        if address.startswith(_SCHEME_OF_TLS):
            return f"it ended the connection, as one that does not trust our certificate does: {words}"
        return f"it ended the connection, as one with TLS does, whose address begins with {_SCHEME_OF_TLS}: {words}"
    return words


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _words(error: BaseException) -> str:
    """What an error says, or the first that says something of those that led to it, in one line."""
    said = (" ".join(str(cause).split()) for cause in _causes(error))
    return next(filter(None, said), type(error).__name__)
