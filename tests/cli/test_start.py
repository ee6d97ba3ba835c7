"""The quick start leaves scikit-learn, SciPy, NumPy and pandas as they would be, but for the time they take."""

import subprocess
import sys

BEGIN = "import sys\nfrom novikoff.cli._start import import_quickly\nimport_quickly()\n"


def output_of(code):
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", BEGIN + code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_what_is_slow_is_not_imported():
    slow = ["pandas", "scipy.stats._stats_py", "numpy.testing._private", "numpy.f2py.crackfortran"]
    assert output_of(f"print([name for name in {slow} if name in sys.modules])") == "[]"


def test_scipy_stats_is_there_as_soon_as_it_is_asked_for():
    ask = "import scipy, scipy.stats\nprint(scipy.stats.norm.cdf(0.0), type(sys.modules['scipy.stats']).__name__)"
    assert output_of(ask) == "0.5 module"
    assert output_of("from scipy.stats import norm\nprint(norm.cdf(0.0))") == "0.5"
    assert output_of("import scipy.stats._stats_py as stats\nprint(stats.__name__)") == "scipy.stats._stats_py"
    assert output_of("import scipy.stats\nprint(hasattr(scipy.stats, 'no such thing'))") == "False"


def test_parts_of_numpy_are_there_as_soon_as_they_are_asked_for():
    ask = "import numpy\nnumpy.testing.assert_equal(1, 1)\nprint(type(numpy.testing).__name__)"
    assert output_of(ask) == "module"
    assert output_of("import numpy\nprint(numpy.f2py.get_include.__name__)") == "get_include"
    assert output_of("from numpy.testing import assert_equal\nprint(assert_equal(1, 1))") == "None"
    assert output_of("import numpy.testing._private.utils as utils\nprint(utils.__name__)").endswith("utils")
    assert output_of("import numpy.f2py.crackfortran as it\nprint(it.__name__)") == "numpy.f2py.crackfortran"


def test_pandas_can_still_be_imported():
    assert output_of("import pandas\nprint(pandas.DataFrame([1]).shape)") == "(1, 1)"


def test_other_parts_of_scikit_learn_can_still_be_imported():
    code = "import sklearn.metrics, sklearn.linear_model, sklearn.decomposition\n"
    assert output_of(code + "print(sklearn.metrics.accuracy_score([1], [1]))") == "1.0"


def test_nothing_is_changed_after_scikit_learn_was_imported():
    code = "import sklearn.base, scipy.stats\n" + BEGIN + "print(type(sys.modules['scipy.stats']).__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "module"
