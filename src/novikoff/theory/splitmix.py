"""SplitMix64 (Steele, Lea and Flood 2014), whose numbers the kernels draw, too."""

UINT64_MASK = 2**64 - 1
INCREMENT = 0x9E3779B97F4A7C15


def mixed(state: int) -> int:
    """Return the number that SplitMix64 makes of a state."""
    z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & UINT64_MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & UINT64_MASK
    return z ^ (z >> 31)
