"""Whether two classes can be separated by a plane: the search for a verdict, and its proof."""

from .verdict import separability as separability
