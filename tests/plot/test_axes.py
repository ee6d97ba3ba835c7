import subprocess
import sys


def test_without_matplotlib_it_says_what_to_install():
    code = (
        "import sys\nsys.modules['matplotlib'] = None\nfrom novikoff.plot import MarginDisplay\n"
        "try:\n    MarginDisplay.from_predictions([0, 1], [-1.0, 1.0])\nexcept ValueError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'novikoff[plot]'" in done.stdout


def test_importing_the_pictures_imports_no_matplotlib():
    code = "import sys, novikoff.plot\nprint({'matplotlib', 'plotly'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
