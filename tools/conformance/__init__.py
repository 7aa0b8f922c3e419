"""Makes corpus/conformance: the rows of the conformance table, and which branches decide each row."""
