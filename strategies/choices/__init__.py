"""Where choices come from: sources, and choices that are replayed."""
