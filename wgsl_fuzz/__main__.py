"""`python -m wgsl_fuzz`: the command line without its script."""

from wgsl_fuzz.fuzz.cli.main import main

main()
