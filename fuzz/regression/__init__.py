"""The corpus as a regression test, and rule sets held against each other."""
