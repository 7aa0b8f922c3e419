"""The operational semantics (section 3.2): single runs, sampled runs, and all runs within bounds."""
