"""`python -m fuzz`: the command line without its script."""

from fuzz.cli.main import main

main()
