"""What users import from `wgsl_fuzz` itself: plain functions of texts (docs/api.md)."""
