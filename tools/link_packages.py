"""Links the packages into `wgsl_fuzz/`, for mypy and editors, which do not follow `__path__`. Git ignores the links.

    python tools/link_packages.py

Needed once in a checkout, and only for these: Python itself finds the packages without links.
"""

import os
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Makes the links that are not there yet: symbolic ones, on Windows junctions, which need no privilege."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        sources: dict[str, str] = tomllib.load(file)["tool"]["hatch"]["build"]["targets"]["wheel"]["sources"]
    for name, installed in sources.items():
        link = ROOT / installed
        if link.exists() or not (ROOT / name / "__init__.py").exists():
            continue  # it is there, or holds no code
        if sys.platform == "win32":
            import _winapi

            _winapi.CreateJunction(str(ROOT / name), str(link))
        else:
            link.symlink_to(os.path.relpath(ROOT / name, link.parent), target_is_directory=True)


if __name__ == "__main__":
    main()
