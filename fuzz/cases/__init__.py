"""One shader under test: how it is drawn and written, and what our own oracles say of it."""
