"""Adapters for other libraries, one per module. Each imports its library, which is an optional dependency."""
