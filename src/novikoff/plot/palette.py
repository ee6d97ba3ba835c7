"""The colours of all pictures, which the colour-blind tell apart, too; a class has the same one everywhere."""

POSITIVE = "#0072b2"
NEGATIVE = "#d55e00"
WRONG = "#aa3377"
RIGHT = "#8c949e"
INK = "#22262b"
MUTED = "#626a73"
FAINT = "#d5d9de"
