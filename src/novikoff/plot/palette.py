"""The colours of all figures; they are distinguishable with common forms of colour blindness."""

POSITIVE = "#0072b2"
NEGATIVE = "#d55e00"
WRONG = "#aa3377"
RIGHT = "#8c949e"
INK = "#22262b"
MUTED = "#626a73"
