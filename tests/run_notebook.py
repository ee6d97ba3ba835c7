"""Run a notebook in a kernel of its own: python run_notebook.py NOTEBOOK RESULT SECONDS.

A process of its own, because nbclient leaves sockets open, which would be a warning in whichever test comes next.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient


def main(source, result, seconds):
    """Execute all cells, with a time limit for each, and write the notebook with its outputs."""
    book, place = nbformat.read(source, as_version=4), {"metadata": {"path": str(Path(source).parent)}}
    with TemporaryDirectory() as folder:  # for the sockets of the kernel; the path of one must be short
        kernel = AsyncKernelManager(transport="ipc", connection_file=f"{folder}/kernel.json")
        NotebookClient(book, km=kernel, timeout=seconds, resources=place).execute()
    nbformat.write(book, result)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
