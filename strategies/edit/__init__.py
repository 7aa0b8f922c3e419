"""Drawing a shader from another one: mutation, and relations that say what becomes of the verdict."""
