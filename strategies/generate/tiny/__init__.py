"""The drawer of TinyWGSL: modules of a given size, with a core, drawn row by row."""
