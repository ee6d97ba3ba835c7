from .classes import check_default_cost as check_default_cost
from .fingerprints import ENCODER_ON_TRUST as ENCODER_ON_TRUST
from .fingerprints import verdict_on_data as verdict_on_data
from .fingerprints import with_encoder as with_encoder
from .model import verify as verify
