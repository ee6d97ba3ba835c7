"""How the raw columns of a table become rows of numbers."""
