from .fingerprints import verdict_on_data as verdict_on_data
from .fingerprints import with_encoder as with_encoder
from .model import verify as verify
