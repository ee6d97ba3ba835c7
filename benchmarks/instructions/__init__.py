"""Counts of instructions of the hot kernels, stored by architecture."""
