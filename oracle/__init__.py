"""Everything that can say whether a shader is uniform. Uses `wgsl` and `tinywgsl` only."""
