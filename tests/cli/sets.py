"""Small data in the formats that the command reads."""

import dataclasses
import json

import numpy as np

import novikoff as nk
from novikoff._learner_names import LEARNERS, ONLINE
from novikoff.persistence.stored_record import encode_model

ONLINE, LEARNERS = tuple(ONLINE), tuple(LEARNERS)
rng = np.random.default_rng(11)
X = np.round(rng.normal(size=(40, 4)), 3)
TWO = np.where(X @ [1.0, -0.5, 0.25, 0.0] > 0.1, 1, -1)
X[:, 0] += 0.5 * TWO  # a plane separates them by a wide margin
THREE = 1 + np.digitize(rng.normal(size=40), [-0.5, 0.5])
THREE_X = np.round(np.eye(4)[THREE] * 4 + 0.3 * X, 3)

WORDS = ["free", "offer", "lunch", "noon", "meeting"]
ROWS = [
    {
        "size": float(np.round(rng.normal(), 3)),
        "sender": ["shop", "friend", "boss"][i % 3],
        "subject": " ".join(rng.choice(WORDS, size=3)),
        "cost": float(1 + i % 4),
        "label": "spam" if i % 3 == 0 else "ham",
    }
    for i in range(30)
]


def svmlight(rows, labels):
    """Rows as lines of svmlight."""
    lines = (
        f"{label} " + " ".join(f"{place}:{value}" for place, value in enumerate(row, 1) if value)
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True)
    )
    return "".join(line + "\n" for line in lines).encode()


def ndjson(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def separated(records, separator, columns=None):
    """Records as CSV or TSV; a value that is None is an empty field."""
    columns = columns or list(records[0])
    lines = [columns, *([("" if r.get(c) is None else str(r[c])) for c in columns] for r in records)]
    return "".join(separator.join(line) + "\n" for line in lines).encode()


def changed(content, line, replacement):
    """Text with another line in the place of one."""
    lines = content.splitlines(keepends=True)
    lines[line] = replacement if isinstance(replacement, bytes) else replacement(lines[line])
    return b"".join(lines)


def same_model(one, other):
    """Whether two model files hold the same, to the last bit: weights, classes, certificates."""
    a, b = nk.load(one), nk.load(other)

    def proofs(model):
        found = model.certificate_
        return [certificate.to_json() for certificate in (found if isinstance(found, list) else [found])]

    return (
        type(a) is type(b)
        and a.coef_.tobytes() == b.coef_.tobytes()
        and a.intercept_.tobytes() == b.intercept_.tobytes()
        and a.classes_.tolist() == b.classes_.tolist()
        and proofs(a) == proofs(b)
        and unsigned(one) == unsigned(other)
    )


def unsigned(path):
    """The bytes of a model file without the fingerprint of its rows, which a stream that continues does not know."""
    return encode_model(dataclasses.replace(nk.load(path).record_, fingerprint=None))
