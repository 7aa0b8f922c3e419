"""Everything that can say whether a shader is uniform. Uses `tinywgsl` only."""
