"""SIMT-Step, executable: how the threads of a subgroup run together (section 4 of the paper about it).

Z. Chen, N. Rehman, G. Martínez, T. Sorensen: SIMT-Step Execution: A Flexible Operational Semantics for GPU Subgroup
Behavior. PLDI 2026, doi:10.1145/3808297. What its text leaves open is decided in docs/simt-step.md.
"""
