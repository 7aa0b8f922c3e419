"""Real execution: shaders run by a graphics adapter, and what they leave in memory held against the semantics."""
