"""Reading, hashing, caching and writing of rows and labels."""
