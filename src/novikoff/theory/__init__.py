"""The theorems as functions and the certificates that rest on them: the judge, which calls no learner."""

from . import bounds as bounds
from .certificates import MarginCertificate as MarginCertificate
from .certificates import MistakeCertificate as MistakeCertificate
from .geometry import Geometry as Geometry
from .verification import Check as Check
from .verification import Verification as Verification
