"""The whole of WGSL as people write it: tokens, tree, printer, names, built-in functions (docs/language.md)."""
