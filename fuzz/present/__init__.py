"""How results are shown: terminal text, the report page, exports for issue trackers and test suites, pictures."""
