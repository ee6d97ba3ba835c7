"""Tables and figures of docs/benchmarks.md, made from stored results."""
