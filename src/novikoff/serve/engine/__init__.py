"""Models that learn and predict at the same time."""
