"""Commands about rules and models, not about one shader."""
