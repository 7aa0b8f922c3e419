"""Conformance: two small shaders for every branch of the rules, whose verdicts the branch decides; what targets say."""
