"""Repair: the smallest edits of a shader's text with which the reference accepts it."""
