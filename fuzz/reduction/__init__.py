"""Making a shader smaller while it stays interesting."""
