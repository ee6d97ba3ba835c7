"""The log of learned examples, which is the truth about every model."""
