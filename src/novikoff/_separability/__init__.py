"""Whether a plane separates two classes: the search for the answer and its proof."""

import lazy_loader as _lazy

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
