"""How modules of the whole of WGSL are drawn, as trees of `wgsl/`: one row a construct.

Three interfaces are open to other files: rows of expressions and of statements (`rows`), what is in scope
(`environment`), and the drawer that rows draw with (`drawer`). `modules` has the table of all rows.
"""
