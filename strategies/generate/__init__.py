"""Drawing a shader from nothing."""
