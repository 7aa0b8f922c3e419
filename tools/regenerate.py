"""Writes all data that is derived from code, each after what it needs: `python -m tools.regenerate [--only NAME]`.

It takes an hour or more; `--only` takes one of the steps, as often as you like. Look at what changed before you commit
it. `digests` raises `GENERATOR_VERSION` if a seed gives another shader.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
STEPS = {
    "pairs": "-m tools.new_pairs",
    "digests": "-m tests.strategies.generate.digests",
    "witnesses": "-m tests.quality.module_mutants",
    "core": "-m tools.conformance.build core",
    "wgsl": "-m tools.conformance.build wgsl",
    "proposals": "-m tools.conformance.build proposals",
    "contexts": "-m tests.quality.contexts",
    "catalogue": "tools/catalogue.py",
    "imports": "tools/imports.py",
}
"""By name what Python is called with, in the order in which one needs another."""


def main() -> None:
    """Runs the steps; the first that fails is the last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=[*STEPS], metavar="NAME", help=", ".join(STEPS))
    only = parser.parse_args().only
    for name, step in STEPS.items():
        if only and name not in only:
            continue
        print(f"{name}: python {step}", flush=True)
        begun = time.monotonic()
        if status := subprocess.run([sys.executable, *step.split()], cwd=ROOT, check=False).returncode:
            sys.exit(f"{name}: exit status {status}")
        print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
