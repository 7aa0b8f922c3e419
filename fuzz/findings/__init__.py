"""Findings and runs on disk: written, read back, checked."""
