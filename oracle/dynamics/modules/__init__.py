"""Modules of the whole of WGSL in the semantics of TinyWGSL: `lowering` keeps what they do, `execution` runs them."""
