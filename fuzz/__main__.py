"""`python -m fuzz`: the command line without its script."""

from fuzz.cli import main

main()
