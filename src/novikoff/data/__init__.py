"""Everything that becomes rows and labels."""
