"""Where choices come from, and what they are drawn with: sources, profiles, swarms, constraints."""
