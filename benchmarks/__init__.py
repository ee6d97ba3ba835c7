"""Benchmarks: one module per suite, all run by ``python -m benchmarks``."""
