"""Uniformity analysis of the whole of WGSL, section 15.2 of the specification, arm by arm."""
