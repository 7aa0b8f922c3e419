"""Drawing by bricks: an environment of drawn parts, put together into many different shaders."""
