"""
Training on a file that does not fit in memory
==============================================

A log of clicks grows by some gigabytes a day, and the machine that should learn from it
has less memory than that. Reading it whole is not possible, and drawing a sample throws
most of the data away.

An online learner needs one row at a time, and ``nk.scan`` reads a file batch by batch.
So one pass needs the same amount of memory for a file of any size. This example writes
four files into a temporary directory, learns from each of them as a stream and as a
whole, and measures the memory.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import novikoff as nk

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#626a73"
plt.rc("axes.spines", top=False, right=False)
plt.rc("figure.constrained_layout", use=True)
folder = tempfile.TemporaryDirectory()

# %%
# The files
# ---------
#
# Rows of ten numbers, whose label is decided by a plane and some noise. ``nk.write``
# takes one batch after the other, so that writing needs little memory, too. The files
# are Parquet; CSV, svmlight and other formats are scanned in the same way. They are
# small here, so that the example takes a few seconds.


def batches(rows, random):
    """Yield rows and labels, up to 10,000 at a time."""
    plane = np.linspace(-1, 1, 10)
    for start in range(0, rows, 10_000):
        X = random.normal(size=(min(10_000, rows - start), 10)).round(3)
        yield X, np.where(X @ plane + 0.3 * random.normal(size=len(X)) > 0, 1, -1)


sizes = [50_000, 100_000, 200_000, 400_000]
paths = [Path(folder.name) / f"{size}.parquet" for size in sizes]
for size, path in zip(sizes, paths, strict=True):
    nk.write(batches(size, np.random.default_rng(size)), path)
    print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")

# %%
# Learning from a stream
# ----------------------
#
# The model sees each row once. As each row is predicted before it is learned, the
# accuracy is that on new rows, and no rows need to be held out.

model = nk.PassiveAggressiveI(C=0.01)
*_, last = nk.evaluate.progressive(model, nk.scan(paths[-1]), list_mistakes=False)
print(f"{last.examples} rows, accuracy {last.accuracy:.1%}")

# %%
# Memory
# ------
#
# The memory of a process is measured best in a process of its own, so a small script
# learns from each file, the small ones first, and prints by how much its largest memory
# has grown since its start. ``stream`` learns batch by batch, ``read`` reads the whole
# file and then learns.

SCRIPT = """
import re, sys
from pathlib import Path
import novikoff as nk

def peak():
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text()
        return int(re.search(r"VmHWM:\\s*(\\d+)", status)[1]) / 1024
    import resource
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS: bytes

way, warm_up, *paths = sys.argv[1:]
nk.PassiveAggressiveI(C=0.01).partial_fit(nk.scan(warm_up))  # loads all modules
start = peak()
for path in paths:
    source = nk.scan(path) if way == "stream" else nk.read(path)
    learner = nk.PassiveAggressiveI(C=0.01)
    learner.partial_fit(source) if way == "stream" else learner.partial_fit(*source)
    del source
    print(peak() - start)
"""


def growth(way):
    """Return how far the memory has grown, in MB, after each of the files."""
    command = [sys.executable, "-c", SCRIPT, way, paths[0], *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.split()]


streamed, whole = growth("stream"), growth("read")
for size, few, much in zip(sizes, streamed, whole, strict=True):
    print(f"{size:7} rows: {few:4.1f} MB more as a stream, {much:4.1f} MB as a whole")

# %%
figure, axes = plt.subplots(figsize=(7, 4))
axes.plot(sizes, whole, "s-", color=ORANGE, label="read the whole file")
axes.plot(sizes, streamed, "o-", color=BLUE, label="scan it as a stream")
axes.set(xlabel="rows of the file", ylabel="additional memory, MB", ylim=(-2, None))
axes.xaxis.set_major_formatter("{x:,.0f}")
axes.legend(frameon=False)
plt.show()

# %%
# The memory for the whole file grows with its size, and that for the stream does not. A
# pass holds a few batches of ``batch_size`` rows and the weights of the model. Text
# takes more, because it is parsed in blocks of some megabytes.

assert streamed[-1] < whole[-1] / 3

# %%
# Both ways learn the same. How a stream is cut into batches changes no bit of the
# weights:

whole_file = nk.PassiveAggressiveI(C=0.01).partial_fit(*nk.read(paths[0]))
for batch_size in (100, 8192):
    stream = nk.PassiveAggressiveI(C=0.01).partial_fit(nk.scan(paths[0], batch_size=batch_size))
    assert stream.coef_.tobytes() == whole_file.coef_.tobytes()
print("the weights are the same, bit for bit")
folder.cleanup()
