"""How modules are drawn, as trees of `wgsl/`: `motifs.modules.draw_module(seed, profile)`.

All languages are drawn as motifs (`motifs`): short texts that hold what may decide, hosted in blocks and functions.
"""
