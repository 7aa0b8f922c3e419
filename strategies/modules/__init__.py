"""Drawing a module of the whole of WGSL from nothing."""
