"""Compares verdicts: which answers are findings, of which kind and in which bucket."""
