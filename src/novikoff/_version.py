"""The version of the library, once."""

__version__ = "0.1.0"
