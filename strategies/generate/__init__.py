"""How modules are drawn, as trees of `wgsl/`: one row a construct.

`modules.draw_module(seed, profile)` is the generator. Three interfaces are open to other files: rows of expressions, of
statements and of motifs (`profile`), what is in scope (`environment`), and the drawer that rows draw with (`drawer`).
`modules.ROWS` has all rows. A row draws fresh nodes, declares what it brings into scope in the order of the text, and
notes what it reads and writes through `read_of` and `target`.
"""
