"""Solvers of the batch learners, one algorithm per module.

The contracts are `Loss` (losses.py), `Problem` (problem.py), `Workspace` (workspace.py), and `Solver` with its
`SolverOptions` and `Solution` (solver.py). Losses and solvers are looked up in the registries `LOSSES` and `SOLVERS`.
"""
