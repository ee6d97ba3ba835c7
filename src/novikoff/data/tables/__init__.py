"""Raw rows of tables: roles of columns, blocks, labels."""
