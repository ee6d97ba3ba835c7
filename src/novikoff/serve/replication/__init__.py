"""Followers, which apply the log of another server."""
