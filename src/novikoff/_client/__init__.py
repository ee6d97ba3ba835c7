"""A client of ``novikoff serve``."""
