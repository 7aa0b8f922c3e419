"""Variants of the rules for the whole of WGSL: by its letter, as they were, and broken."""
