"""What a stored run found, in buckets, and what people decided about each."""
