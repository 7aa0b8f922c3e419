"""Drawing a module from another one: mutation, and relations that say what becomes of the verdict."""
