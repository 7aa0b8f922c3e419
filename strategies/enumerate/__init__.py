"""Every shader of a family up to a size."""
