"""Solvers of the batch learners: the problem, its workspace, and one algorithm per module."""
