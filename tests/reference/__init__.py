"""Each rule in about ten lines of NumPy, written from the papers and not from the code."""
