"""The theorems as functions and the certificates that rest on them: the judge, which calls no learner."""

from . import bounds as bounds
from .gap import GapCertificate as GapCertificate
from .gap import SvmModel as SvmModel
from .geometry import Geometry as Geometry
from .margin import MarginCertificate as MarginCertificate
from .mistakes import MistakeCertificate as MistakeCertificate
from .separability import Separability as Separability
from .verification import Check as Check
from .verification import Verification as Verification
