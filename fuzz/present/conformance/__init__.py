"""The conformance table as text, JSON, JUnit XML, Markdown, a page, and as tests for others."""
