"""What the library computes and offers, written down so that two versions of it can be compared.

    python -m benchmarks.fingerprint compare                 # this checkout against the stored baseline
    python -m benchmarks.fingerprint store other.json        # this checkout into a file
    python -m benchmarks.fingerprint compare before.json after.json

The baseline is ``benchmarks/results/fingerprint.json``. ``--area online svm`` runs some areas only. An entry has a
name, "area / case / quantity", and one of five kinds (``entries.py``): bits, which must be the same; bounds, which
must be equal or tighter; sets, such as the parameters of a function, which must keep all members; other values, such
as counts and exit codes, which must be the same; and the class of the error that a case raised. Texts are not
compared. Only public names are used, and what is planned to leave the library is not recorded.
With ``FINGERPRINT_ERRORS=1`` the messages of errors are printed.

The bits of NumPy, SciPy and BLAS differ between machines. A file therefore has a digest of their arithmetic; if it
differs from that of the other file, bits and bounds are not compared. To compare everything, store a file at the
earlier commit on the same machine.
"""
