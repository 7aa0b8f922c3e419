"""The application: puts the language, the oracles and the generator together."""
