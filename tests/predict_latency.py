"""Predict for some seconds, and print how many seconds each request took, as JSON.

PYTHONPATH=tests python tests/predict_latency.py PORT SECONDS
"""

import http.client
import json
import random
import sys
import time

COLUMNS = 57
PAUSE = 0.002  # seconds between two requests


def row(rng):
    """Return an example of as many features as in the benchmark."""
    is_spam = rng.random() < 0.4
    x = {f"column {k}": round(rng.random() + 0.1 * is_spam, 3) for k in range(COLUMNS)}
    return {"x": x, "y": "spam" if is_spam else "ham"}


def latencies(port, seconds):
    """Return the seconds that each request took; all must be answered with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    bodies = [json.dumps({"x": row(random.Random(seed))["x"]}) for seed in range(100)]
    end, found = time.monotonic() + seconds, []
    while time.monotonic() < end:
        begin = time.perf_counter()
        connection.request("POST", "/v1/models/default/predict", random.choice(bodies))
        answer = connection.getresponse()
        label = json.loads(answer.read())["label"]
        found.append(time.perf_counter() - begin)
        if answer.status != 200 or label not in ("spam", "ham", None):
            raise SystemExit(f"{answer.status}: {label}")
        time.sleep(PAUSE)
    connection.close()
    return found


if __name__ == "__main__":
    print(json.dumps(latencies(int(sys.argv[1]), float(sys.argv[2]))))
