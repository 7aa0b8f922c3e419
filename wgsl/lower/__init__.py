"""Tree of WGSL whose names are resolved -> TinyWGSL, for all that TinyWGSL can express (`module`)."""
