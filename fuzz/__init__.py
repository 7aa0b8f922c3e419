"""The application: puts the language, the oracles and the generator together."""

from importlib.metadata import PackageNotFoundError, version


def project_version() -> str:
    """The installed version of wgsl-fuzz, or `unknown` when it is run from a bare checkout."""
    try:
        return version("wgsl-fuzz")
    except PackageNotFoundError:
        return "unknown"
