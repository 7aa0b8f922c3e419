"""Finds the WGSL shaders on which uniformity analyses are wrong.

Installed, everything is inside this package: `wgsl_fuzz.oracle`, `wgsl_fuzz.strategies`, ... In the repository the five
folders stand at the top, and links in this folder lead to them.
"""
