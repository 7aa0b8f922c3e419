"""Static analyses: the paper (section 4.2) and its variants."""
