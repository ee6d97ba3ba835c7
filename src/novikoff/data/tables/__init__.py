"""What all table formats share: roles of columns, their encoding as rows, reading by passes, and writing."""
