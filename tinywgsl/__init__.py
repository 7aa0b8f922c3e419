"""TinyWGSL: the core of the WebGPU shading language that matters for uniformity (paper, section 3)."""
