"""The areas of files: tables and their encoding, formats, malformed input, saved models, exports."""

import bz2
import gzip
import json
import lzma
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.pipeline import make_pipeline

import novikoff as nk

from .data import rounded, sets
from .entries import bits, certificate_entries, document_entries, model_entries, plain
from .learners import configured, learned

JOBS = ["clerk", "smith", "cook", "", "nurse"]
WORDS = ["free", "lunch", "tomorrow", "offer", "meeting", "Zürich", "the", "report"]


def table_lines(rows=240, seed=2):
    """The cells of a table: numbers, missing values, dates, Booleans, categories, texts, a constant, identifiers."""
    random = np.random.default_rng(seed)
    yield ["customer", "age", "income", "since", "member", "job", "zip", "note", "same", "y"]
    for row in range(rows):
        age, income = int(random.integers(18, 90)), float(rounded(random.normal()))
        words = " ".join(random.choice(WORDS, size=5))
        yield [
            f"c{row:05d}",
            str(age) if random.random() < 0.9 else "",
            repr(income),
            f"20{random.integers(10, 25)}-{random.integers(1, 13):02d}-{random.integers(1, 29):02d}",
            ["true", "false"][random.integers(2)],
            JOBS[random.integers(5)],
            f"{random.integers(30):05d}",
            f"{words} {row}",
            "1",
            "yes" if age / 50 + income + random.normal() / 2 > 1 else "no",
        ]


def table_text(delimiter=",", **options):
    return "".join(delimiter.join(cells) + "\n" for cells in table_lines(**options)).encode()


def frame():
    names, *rows = table_lines()
    found = pd.DataFrame(rows, columns=names)
    found["age"] = pd.to_numeric(found["age"])
    found["income"] = found["income"].astype(float)
    found["since"] = pd.to_datetime(found["since"])
    found["member"] = found["member"] == "true"
    return found


ENCODERS = [
    {},
    {"scale": "none", "missing": "median"},
    {"scale": "maxabs", "missing": "zero", "indicator": False},
    {"scale": "minmax", "missing": -1.0},
    {"scale": "robust", "keep": True},
    {"max_categories": 3},
    {"text": ["note"], "ngram_range": (1, 2), "binary": True},
    {"text": ["note"], "sublinear_tf": True, "idf": True, "norm": "l2"},
]
DIALECTS = {
    "decimal comma": (b"a;b;y\n1,5;2;p\n-0,25;1.234,5;n\n3;4;p\n", {}),
    "tabs": (b"a\tb\ty\n1.5\t2\tp\n-0.25\t3\tn\n", {}),
    "quotes": (b'a,b,y\n1,"x, ""z""\nw",p\n2,q,n\n', {}),
    "latin-1": ("a,b,y\n1,Zürich,p\n2,Bern,n\n".encode("latin-1"), {}),
    "utf-16": ("a,b,y\n1,Zürich,p\n2,Bern,n\n".encode("utf-16"), {}),
    "no header": (b"1,2,p\n3,4,n\n5,6,p\n", {"header": False}),
    "names": (b"1,2,p\n3,4,n\n", {"header": False, "names": ["a", "b", "y"]}),
    "blanks and comments": (b"# made\n\na b y\n1  2 1\n3 4 0\n", {}),
    "dates, day first": (b"d,y\n01/02/2024,1\n13/02/2024,0\n", {}),
    "dates, told": (b"d,y\n01/02/2024 12:30,1\n03/02/2024 00:00,0\n", {"day_first": True}),
    "missing": (b"a,b,y\n1,?,p\nNA,2,n\n-999,3,p\n4,4,n\n", {"na": ["-999"], "missing": "mean"}),
    "indicator": (b"a,b,y\n1,x,p\n,z,n\n4,x,n\n", {"missing": "indicator"}),
    "zero": (b"a,b,y\n1,x,p\n,z,n\n4,x,n\n", {"missing": "zero"}),
    "weights": (b"a,w,y\n1,0.5,p\n2,2,n\n", {"weight": "w"}),
    "target and features": (b"a,b,c,d\n1,2,3,4\n5,6,7,8\n", {"target": "c", "features": ["d", "a"]}),
    "target by number": (b"a,b,c,d\n1,2,3,4\n5,6,7,8\n", {"target": 1, "exclude": ["c"]}),
    "CRLF, byte order mark": (b"\xef\xbb\xbfa,y\r\n1,0\r\n2,1\r\n", {}),
    "repeated names": (b"a,a,,y\n1,2,3,0\n4,5,6,1\n", {}),
    "hashing": (
        table_text(rows=30),
        {"exclude": ["note", "customer"], "missing": "zero", "hashing": nk.Hashing(n_bits=8)},
    ),
    "text": (table_text(rows=30), {"exclude": ["age", "customer", "job"], "text": "note"}),
}
MALFORMED = {
    "empty": (b"", "csv"),
    "header only": (b"a,b,y\n", "csv"),
    "too few fields": (b"a,b,y\n1,2,p\n1,2\n", "csv"),
    "quote never closed": (b'a,b,y\n1,"2,p\n', "csv"),
    "missing": (b"a,b,y\n1,,p\n2,3,n\n", "csv"),
    "no target": (b"a,b\n1.5,2.5\n2.5,3.5\n", "csv"),
    "one class": (b"1 1:1\n1 1:2\n", "svmlight"),
    "index 0": (b"1 0:1\n-1 1:1\n", "svmlight"),
    "repeated index": (b"1 1:1 1:2\n", "svmlight"),
    "not a number": (b"1 1:x\n", "svmlight"),
    "NaN": (b"1 1:nan\n", "svmlight"),
    "infinite": (b"1 1:1e999\n", "svmlight"),
    "huge index": (b"1 99999999999:1\n", "svmlight"),
    "not JSON": (b'{"a": 1, "y": 0\n', "ndjson"),
    "nested": (b'{"a": [1], "y": 0}\n', "ndjson"),
    "truncated gzip": (gzip.compress(b"1 1:1\n-1 2:1\n" * 100)[:-20], "svmlight"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "csv"),
    "truncated parquet": (b"PAR1" + b"\0" * 20, "parquet"),
}


def batch_entries(batch):
    """The rows of a batch."""
    found = {"rows": bits(batch.X, plain(batch.y)), "dense": not sp.issparse(batch.X)}
    if batch.weights is not None:
        found["weights"] = bits(batch.weights)
    return found | {"names": bits(plain(batch.feature_names)), "label": type(plain(batch.y)[0]).__name__}


def tables():
    for parameters in ENCODERS:
        yield f"TableEncoder, {parameters}", partial(encoded, parameters)
    yield "TableEncoder, numbers only", lambda: encoded({}, ["age", "income", "y"])
    for label, (text, options) in DIALECTS.items():
        yield f"read, {label}", partial(lambda t, o: batch_entries(nk.read(t, format="csv", **o)), text, options)
    for name in ("perceptron", "svm", "encoder"):
        yield f"fit, {name}", partial(table_fit, name)
    yield "hashing", hashed


def encoded(parameters, columns=None):
    source = frame()[columns or list(frame())]
    rows, labels = source.drop(columns="y"), source["y"]
    encoder = nk.TableEncoder(**parameters).fit(rows)
    later = rows.head(20).copy()
    if columns is None:
        later.loc[0, "job"], later.loc[1, "income"], later.loc[2, "note"] = "astronaut", np.nan, "unseen words only"
    model = make_pipeline(nk.TableEncoder(**parameters), nk.LinearSVM(C=0.1)).fit(rows, labels)
    return {
        "matrix": bits(encoder.transform(rows)),
        "dense": not sp.issparse(encoder.transform(rows)),
        "names": bits(plain(encoder.get_feature_names_out())),
        "later rows": bits(encoder.transform(later)),
        "predictions": bits(model.predict(later)),
        "verified": not nk.verify(model, rows, labels).failures,
    }


def table_fit(name):
    options = {
        "perceptron": {"model": nk.AveragedPerceptron()},
        "svm": {"exclude": "note"},
        "encoder": {"encoder": nk.TableEncoder(scale="minmax", keep=True), "features": ["age", "job", "customer"]},
    }[name]
    text = table_text()
    model = nk.fit(text, format="csv", target="y", **options)
    found = {"predictions": bits(model.predict(text)), "later": bits(model.predict(table_text(rows=50, seed=9)))}
    return found | {"scores": bits(model.decision_function(frame()))} | certificate_entries(model.certificate_)


def hashed():
    texts = ["a free lunch", "Zürich, tomorrow tomorrow", "", "x_1 y-2 the end"]
    found = {}
    for options in (
        {},
        {"ngram_range": (1, 2), "binary": True},
        {"sublinear_tf": True, "norm": "l2", "lowercase": False},
    ):
        found[str(options)] = bits(nk.Hashing(n_bits=10, **options).fit_transform(texts))
    found["dicts"] = bits(nk.Hashing(n_bits=8).fit_transform([{"a": 1.5, "b": 2}, {"c": -1}]))
    found["float32"] = bits(nk.Hashing(n_bits=8, dtype=np.float32).fit_transform(texts))
    return found


def formats():
    for label in ("breast cancer", "sparse", "weighted", "iris", "float32"):
        for ending in (
            ".svm",
            ".csv",
            ".tsv",
            ".ndjson",
            ".parquet",
            ".arrow",
            ".svm.gz",
            ".csv.bz2",
            ".tsv.xz",
            ".ndjson.zst",
        ):
            if not ((label == "weighted" and ".svm" in ending) or (label == "sparse" and ".svm" not in ending)):
                yield f"{label}{ending}", partial(written, label, ending)
    for name, function in {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}.items():
        yield (
            f"bytes, {name}",
            partial(
                lambda f: batch_entries(nk.read(f(table_text(rows=30)), exclude="note", format="csv", missing="mean")),
                function,
            ),
        )
    yield "several files", several
    yield "SQL", partial(sql, "SELECT income, age, y FROM 'table.csv' WHERE age IS NOT NULL ORDER BY customer")
    yield (
        "SQL, pattern",
        partial(sql, "SELECT income, member, job, y FROM 'ta*.csv' WHERE job IS NOT NULL ORDER BY customer"),
    )
    yield "SQL, which writes", partial(sql, "WITH t AS (SELECT 1) COPY t TO 'other.csv'")
    for name, make in {"pandas": lambda t: t, "polars": polars, "pyarrow": arrow}.items():
        yield (
            f"table of {name}",
            partial(lambda f: batch_entries(nk.read(f(frame()[["income", "member", "since", "y"]]))), make),
        )
    for index_base in (0, 1):
        for dtype in (np.float64, np.float32):
            yield f"read_svmlight, base {index_base}, {np.dtype(dtype)}", partial(svmlight, index_base, dtype)
    for label, (text, format) in MALFORMED.items():
        yield f"malformed, {label}", partial(malformed, text, format)
    for label in ("svmlight", "csv", "ndjson"):
        yield f"skipped lines, {label}", partial(skipped, label)
    for label in ("csv", "svmlight"):
        yield f"streams of {label} in cuts", partial(cut, label)


def polars(table):
    import polars

    return polars.from_pandas(table)


def arrow(table):
    import pyarrow

    return pyarrow.Table.from_pandas(table)


def written(label, ending):
    X, y, weights = sets()[label]
    if ".svm" in ending:  # its labels are numbers
        y = np.unique(y, return_inverse=True)[1]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows{ending}"
        count = nk.write((X, y) if weights is None else (X, y, weights), path)
        options = {} if weights is None else {"weight": "weight"}
        options |= {"n_features": X.shape[1]} if ".svm" in ending else {"target": "label"}
        found = batch_entries(nk.read(path, **options)) | {"count": count}
        batches = list(nk.scan(path, batch_size=37, **options))
        rows = [np.asarray(b.X.toarray() if sp.issparse(b.X) else b.X, float) for b in batches]
        whole = X.toarray() if sp.issparse(X) else X
        found["the same"] = np.array_equal(np.concatenate(rows), whole)
        found["batches"] = [len(b.y) for b in batches] == [37] * (len(y) // 37) + [len(y) % 37]
        if ending in (".svm", ".csv", ".tsv", ".ndjson"):
            found["text"] = bits(path.read_bytes())
        return found


def several():
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.csv" for name in "ab"]
        for number, path in enumerate(paths):
            path.write_bytes(table_text(rows=40, seed=number))
        options = {"exclude": ["note", "customer"], "target": "y", "missing": "zero"}
        pattern = nk.read(f"{folder}/*.csv", **options)
        return batch_entries(nk.read(paths, **options)) | {
            "pattern": bits(pattern.X) == bits(nk.read(paths, **options).X)
        }


def sql(query):
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "table.csv").write_bytes(table_text())
        return batch_entries(nk.read(query.replace("'ta", f"'{folder}/ta"), target="y"))


def svmlight(index_base, dtype):
    text = f"# comment\n+1 qid:3 {index_base}:1.5 7:-2e-3 # end\n-1 {index_base + 2}:0.1 5:123456789.123\n".encode()
    X, y = nk.read_svmlight(text, index_base=index_base, dtype=dtype)
    with tempfile.NamedTemporaryFile() as file:
        nk.write_svmlight(X, y, file.name, index_base=index_base)
        return {"rows": bits(X, plain(y)), "written": bits(Path(file.name).read_bytes())}


def malformed(text, format):
    batch = nk.read(text, format=format)
    nk.Perceptron().fit(batch.X, batch.y)
    return {"read": True}


def skipped(format):
    text = {
        "svmlight": b"1 1:1\nwhat\n-1 2:1\n1 2:x\nnan 1:1\n1 3:1\n",
        "csv": b"a,b,y\n1,x,p\n2,3\n3,z,n\n4,x,\n",
        "ndjson": b'{"a": 1, "y": "p"}\nwhat\n{"a": 2, "y": "n"}\n[1]\n',
    }[format]
    batches = list(nk.scan(text, format=format, on_bad="skip"))
    return {"rows": bits(*[b.X for b in batches], *[plain(b.y) for b in batches])}


def cut(format):
    X, y, _ = sets()["breast cancer"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"rows.{format}"
        nk.write((X, y), path, format=format)
        learned = []
        for size in (1, 97, 8192):
            model = nk.AROW(scale="centred")
            learned.append(bits(model.partial_fit(nk.scan(path, batch_size=size)).coef_))
    return {"weights": learned[0], "cuts agree": learned == [learned[0]] * 3}


def saved():
    for name, learner in configured():
        yield name, partial(reloaded, learner, "breast cancer")
    for name, learner in {
        "LinearSVM": lambda: nk.LinearSVM(probability=True),
        "LinearSVM, hinge": lambda: nk.LinearSVM(loss="hinge"),
        "Crammer-Singer": lambda: nk.LinearSVM(loss="hinge", multi_class="crammer_singer"),
        "ovo": lambda: nk.LinearSVM(multi_class="ovo"),
        "LinearSVMCV": lambda: nk.LinearSVMCV(Cs=[0.01, 0.1], cv=3, selection="best"),
        "MulticlassAROW": lambda: nk.MulticlassAROW(),
        "Tracker": lambda: nk.Tracker(),
    }.items():
        for label in ("iris", "sparse, three classes"):
            yield f"{name}, {label}", partial(reloaded, learner, label)
    yield "HardMarginSVM", lambda: reloaded(nk.HardMarginSVM, "separable")
    yield "table", table_reloaded
    for name, text in {"empty": b"", "other": b"not a model", "cut": None, "changed": b""}.items():
        yield f"damaged, {name}", partial(damaged, name, text)


def reloaded(make, label):
    X, y, _ = sets()[label]
    model = learned(make(), X, y)
    with tempfile.TemporaryDirectory() as folder:
        nk.save(model, Path(folder) / "model.nvk")
        loaded = nk.load(Path(folder) / "model.nvk")
    proba = hasattr(model, "predict_proba") and bool(model.get_params().get("probability", False))
    again = nk.loads(nk.dumps(model))
    found = {"entries": model_entries(loaded, X, proba) == model_entries(model, X, proba)}
    found["scores"] = bits(loaded.decision_function(X))
    found["bytes"] = bits(again.decision_function(X)) == found["scores"]
    found["parameters"] = {k: v for k, v in loaded.get_params(deep=False).items() if k != "learners"} == {
        k: v for k, v in model.get_params(deep=False).items() if k != "learners"
    }
    found["verified"] = not nk.verify(loaded, X, y).failures
    if hasattr(model, "partial_fit"):
        model.partial_fit(X[:60], y[:60])
        loaded.partial_fit(X[:60], y[:60])
        found["continued"] = bits(loaded.decision_function(X)) == bits(model.decision_function(X))
    return found


def table_reloaded():
    model = nk.fit(table_text(), format="csv", target="y")
    loaded = nk.loads(nk.dumps(model))
    rows, labels = frame().drop(columns="y"), frame()["y"]
    found = {"predictions": bits(loaded.predict(table_text(rows=50, seed=9)))}
    return found | {"verified": not nk.verify(loaded, rows, labels).failures}


def damaged(name, text):
    whole = nk.dumps(nk.Perceptron().fit(*sets()["iris"][:2]))
    if name == "changed":
        text = whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]
    return {"loaded": type(nk.loads(whole[:-9] if text is None else text)).__name__}


def exports():
    models = {
        "LinearSVM": lambda: nk.LinearSVM(C=0.1),
        "LinearSVM, probability": lambda: nk.LinearSVM(C=0.1, probability=True),
        "ovo": lambda: nk.LinearSVM(C=0.1, multi_class="ovo"),
        "Perceptron": lambda: nk.Perceptron(max_iter=20),
        "AROW, centred": lambda: nk.AROW(scale="centred"),
        "MulticlassAROW": lambda: nk.MulticlassAROW(),
    }
    yield "ONNX, VotedPerceptron", partial(exported, onnx, nk.VotedPerceptron, "breast cancer")
    for name, learner in models.items():
        for label in ("breast cancer", "digits", "float32"):
            for kind, function in {"ONNX": onnx, "JSON": exported_json, "LIBLINEAR": liblinear}.items():
                yield f"{kind}, {name}, {label}", partial(exported, function, learner, label)


def exported(function, make, label):
    X, y, _ = sets()[label]
    with tempfile.TemporaryDirectory() as folder:
        return function(learned(make(), X, y), X, Path(folder))


def onnx(model, X, folder):
    import onnxruntime

    nk.export.to_onnx(model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    [given, *_] = session.get_inputs()
    rows = X.astype({"tensor(float)": np.float32, "tensor(double)": np.float64}[given.type])
    found = {"input": f"{given.name} {given.type}"}
    for output, value in zip(session.get_outputs(), session.run(None, {given.name: rows}), strict=True):
        found[f"output {output.name}"] = bits(plain(value)) if isinstance(value, list) else bits(value)
    return found


def exported_json(model, X, folder):
    nk.export.to_json(model, folder / "model.json")
    skip = {"format", "version", "certificates", "certificate", "parameters", "novikoff", "model"}
    return document_entries(json.loads((folder / "model.json").read_text()), skip)


def liblinear(model, X, folder):
    nk.export.to_liblinear(model, folder / "model.txt")
    text = (folder / "model.txt").read_bytes()
    return {"text": bits(text), "predictions": bits(nk.export.from_liblinear(folder / "model.txt").predict(X))}


AREAS = {"tables": tables, "files": formats, "saved": saved, "exports": exports}
