from .verdict import separability as separability
