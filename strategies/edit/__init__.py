"""Drawing a shader from another one: mutation, grafting, relations that keep the meaning."""
