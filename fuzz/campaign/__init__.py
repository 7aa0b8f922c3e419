"""A campaign: it draws, asks, judges, records and minimises. Also enumeration: every shader up to a size."""
