from .cross_validation import LinearSVMCV as LinearSVMCV
from .hard_margin import HardMarginSVM as HardMarginSVM
from .imported import LinearClassifier as LinearClassifier
from .path import LinearSVMPath as LinearSVMPath
from .soft_margin import LinearSVM as LinearSVM
