"""Verdicts compared: which are a finding, of what kind, and of which bucket."""
