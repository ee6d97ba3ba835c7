"""Whether a plane separates two classes: the search for the answer and its proof."""

from .verdict import separability as separability
