"""A run: draw, ask, judge, record, minimise. Also the bounded-exhaustive run."""
