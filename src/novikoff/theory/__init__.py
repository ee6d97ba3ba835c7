"""The theorems as functions, and certificates that can be checked with NumPy alone, without any learner."""

from . import bounds as bounds
from . import losses as losses
from .boundary_data import BoundaryData as BoundaryData
from .certificate import CERTIFICATES as CERTIFICATES
from .certificate import Certificate as Certificate
from .certificate import Support as Support
from .coefficients import CoefficientStatus as CoefficientStatus
from .crammer_singer import CrammerSingerCertificate as CrammerSingerCertificate
from .crammer_singer import JointModel as JointModel
from .gap import GapCertificate as GapCertificate
from .generalization import Generalization as Generalization
from .geometry import Geometry as Geometry
from .hulls import HullCertificate as HullCertificate
from .margin import MarginCertificate as MarginCertificate
from .margin import PerceptronMarginCertificate as PerceptronMarginCertificate
from .margin_value import Margin as Margin
from .mistakes import MistakeCertificate as MistakeCertificate
from .separability import Separability as Separability
from .separability_summary import SeparabilitySummary as SeparabilitySummary
from .svm_model import SvmModel as SvmModel
from .verification import Check as Check
from .verification import Verification as Verification
